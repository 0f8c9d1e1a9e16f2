import type { Box, Message } from "../../../db/contact/messages";
import type { Mail } from "../../../db/mail/outbox";
import { Badge } from "../../components/badge";
import { CopyButton } from "../../components/copy-button";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { ListLink, type ListState, listUrl } from "../../components/list";
import { inBothZones, Time } from "../../components/time";
import { Fragment } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";
import { MailState } from "../mail/mail-state";
import { personPath } from "../people/stored";

const address = /https:\/\/[^\s<>"“”]+/g;
const sentenceMarks = new Set(".,;:!?'’)]}");

/**
 * A stranger's text, with its https URLs as links and everything else unchanged. A link's text is always its URL; one
 * that hides another host behind an @ stays text.
 */
export function Linked({ text }: { text: string }) {
  const parts = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(address)) {
    const url = trimmed(match);
    if (!isPlain(url)) continue;
    parts.push(
      text.slice(end, index),
      <a href={url} rel="noopener noreferrer nofollow" target="_blank">
        {url}
      </a>,
    );
    end = index + url.length;
  }
  return <Fragment>{[...parts, text.slice(end)]}</Fragment>;
}

/** Removes the punctuation of the sentence around it; a bracket that was opened inside belongs to it. */
function trimmed(link: string): string {
  let end = link.length;
  while (end > 0 && sentenceMarks.has(link.charAt(end - 1))) end--;
  return link.slice(0, end) + (link.charAt(end) === ")" && link.includes("(") ? ")" : "");
}

function isPlain(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password, hostname } = new URL(url);
  return !username && !password && hostname.includes(".");
}

const maxLinkLength = 1_900; // Windows hands programs at most about 2,000 characters
const lineBreak = "\r\n"; // RFC 6068 section 5

type RepliedMessage = { name: string; email: string; message: string; createdAt: Date };

/**
 * A link that replies to a message in the manager's own email app, with a subject and as much of the message quoted as
 * fits.
 */
export function replyLink({ name, email, message, createdAt }: RepliedMessage, siteTitle: string): string {
  const day = createdAt.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
  const subject = encoded(`Re: your message to ${truncated(siteTitle, 60)}`);
  const opening = encoded(`${lineBreak.repeat(2)}On ${day}, ${truncated(name, 60)} wrote:${lineBreak}`);
  const start = `mailto:${mailAddress(email)}?subject=${subject}&body=${opening}`;
  return start + quoted(message, maxLinkLength - start.length);
}

const mailAddress = (email: string) => {
  const cut = email.lastIndexOf("@");
  return `${encoded(email.slice(0, cut))}@${encoded(email.slice(cut + 1))}`;
};

function quoted(message: string, maxLength: number): string {
  const cutMark = encoded(" […]");
  let quote = encoded("> ");
  for (const character of message) {
    const next = encoded(character === "\n" ? `${lineBreak}> ` : character);
    if (quote.length + next.length + cutMark.length > maxLength) return quote + cutMark;
    quote += next;
  }
  return quote;
}

const truncated = (text: string, max: number) => [...text].slice(0, max).join("");

const encoded = (text: string) => encodeURIComponent(text.toWellFormed());

type Act = { move: string; label: string; icon: string; hotkey?: string };

const archive = { move: "archive", label: "Archive", icon: "archive", hotkey: "y" };
const unread = { move: "unread", label: "Mark unread", icon: "mail", hotkey: "u" };
const spam = { move: "spam", label: "Spam", icon: "shield-alert" };
const trash = { move: "trash", label: "Delete", icon: "trash-2", hotkey: "#" };

const acts: Record<Box, Act[]> = {
  inbox: [archive, unread, spam, trash],
  archived: [{ move: "unarchive", label: "Move to inbox", icon: "inbox", hotkey: "y" }, unread, spam, trash],
  quarantine: [{ move: "release", label: "Release", icon: "inbox" }, unread, spam, trash],
  spam: [{ move: "not-spam", label: "Not spam", icon: "inbox" }, unread, trash],
  trash: [
    { move: "restore", label: "Restore", icon: "archive-restore" },
    { move: "delete", label: "Delete permanently…", icon: "trash-2", hotkey: "#" },
  ],
};

type ActionsProps = { frame: Frame; state: ListState; box: Box; message: Message };

/** The actions on the open message. */
const MessageActions = ({ frame, state, box, message }: ActionsProps) => (
  <Form action={`${state.path}/bulk`} token={frame.token} class="acts" label="Actions for this message">
    <input type="hidden" name="ids" value={message.id} />
    <input type="hidden" name="filter" value={new URLSearchParams(state.query).toString()} />
    {(box === "inbox" || box === "archived") && (
      <a
        class="btn sm primary"
        id="reply"
        href={replyLink(message, frame.siteTitle)}
        data-hotkey="r"
        aria-keyshortcuts="r"
      >
        <Icon name="reply" />
        Reply
      </a>
    )}
    {acts[box].map(({ move, label, icon, hotkey }) => (
      <button
        type="submit"
        class="btn sm"
        name="do"
        value={move}
        id={`do-${move}`}
        data-hotkey={hotkey}
        aria-keyshortcuts={hotkey}
      >
        <Icon name={icon} />
        {label}
      </button>
    ))}
  </Form>
);

export type OpenMessageView = {
  frame: Frame;
  state: ListState;
  box: Box;
  message: Message;
  /** The emails that notified of it, oldest first. */
  mails: Mail[];
};

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

const Facts = ({ message, mails, frame }: Pick<OpenMessageView, "message" | "mails" | "frame">) => (
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
        All data for this address
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

const back: Record<Box, string> = {
  inbox: "Inbox",
  archived: "Archived",
  quarantine: "Quarantine",
  spam: "Spam",
  trash: "Trash",
};

/** One message as plain text, with its actions. */
export function OpenMessage({ frame, state, box, message, mails }: OpenMessageView) {
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
