import type { Box, Message } from "../../../db/contact/messages";
import type { Mail } from "../../../db/mail/outbox";
import { Badge } from "../../components/badge";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import type { ListState } from "../../components/list";
import { inBothZones, Time } from "../../components/time";
import { paths } from "../../paths";
import { MailState } from "../mail/mail-state";
import { personPath } from "../people/stored";

export type LetterView = {
  frame: Frame;
  state: ListState;
  box: Box;
  message: Message;
  /** The emails that notified of it, oldest first. */
  mails: Mail[];
};

export const WhyHere = ({ box, message, clock }: { box: Box; message: Message; clock: Frame }) =>
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

export const Facts = ({ message, mails, frame }: Pick<LetterView, "message" | "mails" | "frame">) => (
  <dl class="facts">
    <dt>Received</dt>
    <dd>{inBothZones(message.createdAt, frame.preferences)}</dd>
    <dt>Source</dt>
    <dd class="mono">{message.source}</dd>
    <dt>Notification</dt>
    <dd>
      {mails.map((mail) => (
        <span class="told">
          <MailState mail={mail} label={mail.state === "simulated" ? "Simulated" : undefined} />
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
