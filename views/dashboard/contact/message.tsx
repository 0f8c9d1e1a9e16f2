import type { Box, Message } from "../../../db/contact/messages";
import type { Mail } from "../../../db/mail/outbox";
import { Badge } from "../../components/badge";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Linked } from "./linked";
import { type ListState, ListLink, listUrl } from "../../components/list";
import { inBothZones, Time } from "../../components/time";
import { MailState } from "../mail/mail-state";
import { personPath } from "../people/stored";
import { mailAddress } from "./reply-link";
import { paths } from "../../paths";
import { MessageActions } from "./message-actions";
import { CopyButton } from "../../components/copy-button";

export type LetterView = {
  frame: Frame;
  state: ListState;
  box: Box;
  message: Message;
  /** The e-mails that notified of it, oldest first. */
  mails: Mail[];
};

const back: Record<Box, string> = {
  inbox: "Inbox",
  archived: "Archived",
  quarantine: "Quarantine",
  spam: "Spam",
  trash: "Trash",
};

/** One message, as plain text, and what can be done with it. */
export function Letter({ frame, state, box, message, mails }: LetterView) {
  const { name, email, message: words } = message;
  return (
    <article class="letter" aria-labelledby="letter-from">
      <p class="crumb">
        <ListLink href={listUrl(state, { page: state.query.page ?? "" })} id="back-to-list">
          <Icon name="arrow-left" />
          {back[box]}
        </ListLink>
      </p>
      <header>
        <h2 id="letter-from" tabindex="-1" data-focus>
          {name}
        </h2>
        <p class="sender">
          <a href={`mailto:${mailAddress(email)}`} id="letter-email">
            {email}
          </a>
          <CopyButton from="letter-email" class="btn quiet sm" id="copy-email" />
        </p>
      </header>
      <MessageActions frame={frame} state={state} box={box} message={message} />
      <WhyHere box={box} message={message} clock={frame} />
      <div class="words" dir="auto">
        <Linked text={words} />
      </div>
      <Facts message={message} mails={mails} frame={frame} />
    </article>
  );
}

const WhyHere = ({ box, message, clock }: { box: Box; message: Message; clock: Frame }) =>
  box === "spam" ? (
    <p class="note">
      <Icon name="shield-alert" />
      <span>
        <strong>Spam:</strong> {message.spamReason}
      </span>
    </p>
  ) : box === "quarantine" ? (
    <p class="note">
      <Icon name="shield-alert" />
      <span>
        <strong>Quarantine:</strong> This message arrived after the hourly limit was reached. Release it to move it to
        the inbox.
      </span>
    </p>
  ) : box === "trash" && message.deletedAt ? (
    <p class="note">
      <Icon name="trash-2" />
      <span>
        Deleted <Time at={message.deletedAt} clock={clock} />. It will be permanently deleted after 30 days.
      </span>
    </p>
  ) : null;

const Facts = ({ message, mails, frame }: Pick<LetterView, "message" | "mails" | "frame">) => (
  <dl class="facts">
    <dt>Received</dt>
    <dd>{inBothZones(message.createdAt, frame.preferences)}</dd>
    <dt>Source</dt>
    <dd class="mono">{message.source}</dd>
    <dt>Notification</dt>
    <dd>
      {mails.map((mail) => (
        <span class="told">
          <MailState state={mail.state} label={mail.state === "simulated" ? "Simulated" : undefined} />
          <a href={`${paths.mails}/${mail.id}`}>{mail.recipient}</a>
        </span>
      ))}
      {mails.length === 0 && <NoNotification message={message} />}
    </dd>
    <dt>Sender</dt>
    <dd>
      <a href={personPath(message.email)} id="person">
        Everything under this address
      </a>
    </dd>
  </dl>
);

const NoNotification = ({ message: { spamReason, quarantinedAt } }: { message: Message }) =>
  quarantinedAt ? (
    <Badge tone="off">In the quarantine summary</Badge>
  ) : spamReason ? (
    <Badge tone="off">None (spam)</Badge>
  ) : (
    <NobodyNotified />
  );

const NobodyNotified = () => (
  <span class="told">
    <Badge tone="warn">None</Badge>
    <a href={paths.settings}>No notification address was set</a>
  </span>
);
