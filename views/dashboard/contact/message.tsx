import type { Box, Message } from "../../../db/contact/messages";
import type { Mail } from "../../../db/mail/outbox";
import type { KnownOfPerson } from "../../../db/newsletter/by-row";
import { statusOf } from "../../../db/newsletter/rules";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import { Badge } from "../../components/badge";
import { CopyButton } from "../../components/buttons";
import { Fact } from "../../components/fact";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { ListLink, type ListState, listUrl, number } from "../../components/list";
import { Menu } from "../../components/lists/row-actions";
import { exact, inBothZones, monthOf, Time } from "../../components/time";
import { languageLabel } from "../../languages/names";
import { paths } from "../../paths";
import { MailState } from "../mail/mail-state";
import { State } from "../newsletter/subscribers";
import { Known } from "../people/person";
import { encoded, mailAddress, personPath } from "../people/stored";
import { Composer, type ComposerView, isBeingWritten } from "./composer";
import { snoozeTimes } from "./snooze";
import { Conversation, type Thread } from "./thread";

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

type Act = { move: string; label: string; icon: string; hotkey?: string };

const archive = { move: "archive", label: "Archive", icon: "archive", hotkey: "y" };
const unread = { move: "unread", label: "Mark unread", icon: "mail", hotkey: "u" };
const spam = { move: "spam", label: "Spam", icon: "shield-alert" };
const trash = { move: "trash", label: "Delete", icon: "trash-2", hotkey: "#" };

const acts: Record<Box, Act[]> = {
  inbox: [archive, unread, spam, trash],
  snoozed: [{ move: "wake", label: "Move to inbox", icon: "inbox", hotkey: "y" }, archive, spam, trash],
  archived: [{ move: "unarchive", label: "Move to inbox", icon: "inbox", hotkey: "y" }, unread, spam, trash],
  quarantine: [{ move: "release", label: "Release", icon: "inbox" }, unread, spam, trash],
  spam: [{ move: "not-spam", label: "Not spam", icon: "inbox" }, unread, trash],
  trash: [
    { move: "restore", label: "Restore", icon: "archive-restore" },
    { move: "delete", label: "Delete permanently…", icon: "trash-2", hotkey: "#" },
  ],
};

/** Further actions, in a menu. */
const inMenu = new Set(["unread", "spam", "trash"]);
/** A button, too, where there is room for it; the one of the menu is shown where there is not. */
const whereRoom = "spam";

type ActionsProps = { frame: Frame; state: ListState; box: Box; message: Message };

/** The actions on the open message. What is done most is a button; the rest is in menus. */
const MessageActions = ({ frame, state, box, message }: ActionsProps) => {
  const isWorkedOn = box === "inbox" || box === "snoozed" || box === "archived";
  const [inSight, behind] = [false, true].map((isBehind) =>
    acts[box].filter(({ move }) => (isWorkedOn && inMenu.has(move)) === isBehind || (isWorkedOn && move === whereRoom)),
  );
  return (
    <div class="acts">
      <BulkForm frame={frame} state={state} message={message} acts={inSight ?? []} />
      {isWorkedOn && (
        <>
          {box !== "archived" && <Snooze frame={frame} message={message} />}
          <Assign frame={frame} message={message} />
          <Menu id="message" label="More actions">
            <BulkForm frame={frame} state={state} message={message} acts={behind ?? []} isMenu />
            <a class="btn quiet" id="reply-by-app" href={replyLink(message, frame.siteTitle)}>
              <Icon name="reply" />
              Reply in your email app
            </a>
          </Menu>
        </>
      )}
    </div>
  );
};

type BulkProps = Omit<ActionsProps, "box"> & { acts: Act[]; isMenu?: boolean };

const BulkForm = ({ frame, state, message, acts, isMenu }: BulkProps) => (
  <Form action={`${state.path}/bulk`} token={frame.token} class="row" label="Actions for this message">
    <input type="hidden" name="ids" value={message.id} />
    <input type="hidden" name="filter" value={new URLSearchParams(state.query).toString()} />
    {acts.map(({ move, label, icon, hotkey }) => (
      <button
        type="submit"
        class={isMenu ? "btn quiet" : "btn sm"}
        name="do"
        value={move}
        id={isMenu && move === whereRoom ? `do-${move}-in-menu` : `do-${move}`}
        data-hotkey={hotkey}
        aria-keyshortcuts={hotkey}
      >
        <Icon name={icon} />
        {label}
      </button>
    ))}
  </Form>
);

type OneProps = { frame: Frame; message: Message };

/** When the message comes back. */
const Snooze = ({ frame, message: { id, snoozedUntil } }: OneProps) => (
  <>
    <button type="button" class="btn sm" id="snooze" popovertarget="menu-snooze" data-hotkey="h" aria-keyshortcuts="h">
      <Icon name="clock" />
      Snooze
    </button>
    <div class="menu" id="menu-snooze" popover="auto" role="group" aria-label="Snooze until">
      <Form action={`${paths.contact}/${id}/snooze`} token={frame.token}>
        {snoozeTimes(frame).map(({ name, label, at }) => (
          <button type="submit" class="btn quiet" name="until" value={name}>
            {label}
            <span class="sub">{exact(at, frame.preferences)}</span>
          </button>
        ))}
        <div class="row at">
          <label class="sr" for="snooze-at">
            Until
          </label>
          <input class="input" type="datetime-local" id="snooze-at" name="at" />
          <button type="submit" class="btn sm" name="until" value="at">
            {snoozedUntil ? "Change" : "Snooze"}
          </button>
        </div>
      </Form>
    </div>
  </>
);

/** Who answers. */
const Assign = ({ frame: { team, token, manager }, message: { id, assigneeId } }: OneProps) =>
  team.length < 2 && !assigneeId ? null : (
    <>
      <button
        type="button"
        class="btn sm"
        id="assign"
        popovertarget="menu-assign"
        data-hotkey="a"
        aria-keyshortcuts="a"
      >
        <Icon name="user-plus" />
        {team.find((one) => one.id === assigneeId)?.name ?? "Assign"}
      </button>
      <div class="menu" id="menu-assign" popover="auto" role="group" aria-label="Assign to">
        <Form action={`${paths.contact}/${id}/assign`} token={token}>
          {team.map((one) => (
            <button
              type="submit"
              class="btn quiet"
              name="assignee"
              value={one.id}
              aria-pressed={one.id === assigneeId ? "true" : "false"}
            >
              {one.id === manager.id ? "Me" : one.name}
            </button>
          ))}
          {assigneeId && (
            <button type="submit" class="btn quiet" name="assignee" value="">
              No one
            </button>
          )}
        </Form>
      </div>
    </>
  );

export type OpenMessageView = {
  frame: Frame;
  state: ListState;
  box: Box;
  message: Message;
  /** The emails that notified of it, oldest first. */
  mails: Mail[];
  sender: Sender;
  thread: Thread;
  composer: ComposerView;
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
  ) : box === "snoozed" && message.snoozedUntil ? (
    <p class="note info">
      <Icon name="clock" />
      <span>
        Comes back to the inbox on {exact(message.snoozedUntil, clock.preferences)}, or when they write again.
      </span>
    </p>
  ) : null;

/** Who wrote: what is known of them here, if they are a subscriber, and how many messages came from the address. */
export type Sender = { subscriber: Subscriber | undefined; about: KnownOfPerson; messages: number };

const shownTags = 3;

/** Who wrote, in a line. */
const Standing = ({ sender: { subscriber, about }, frame }: Pick<OpenMessageView, "sender" | "frame">) => {
  if (!subscriber) return <span class="standing">Not a subscriber</span>;
  const status = statusOf(subscriber);
  const more = about.tags.length - shownTags;
  return (
    <span class="standing">
      {status === "active" ? (
        <a href={`${paths.newsletter}/${subscriber.id}`}>
          Subscriber since {monthOf(subscriber.createdAt, frame.preferences)}
        </a>
      ) : (
        <>
          <a href={`${paths.newsletter}/${subscriber.id}`}>Subscriber</a> <State subscriber={subscriber} />
        </>
      )}
      {about.tags.slice(0, shownTags).map((tag) => (
        <span class="chip">{tag}</span>
      ))}
      {more > 0 && <span>+{more}</span>}
    </span>
  );
};

/** Beside the conversation: the person, then the message. */
const Facts = ({ message, sender, mails, frame }: OpenMessageView) => (
  <aside class="sender-facts" aria-label="About this conversation">
    <h3>Person</h3>
    <dl class="facts">
      <PersonFacts sender={sender} />
      <Fact name="Conversations">{number(sender.messages)}</Fact>
      <Fact name="Stored">
        <a href={personPath(message.email)} id="person">
          All data for this address
        </a>
      </Fact>
    </dl>
    <h3>Message</h3>
    <dl class="facts">
      <Fact name="Received">{inBothZones(message.createdAt, frame.preferences)}</Fact>
      <Fact name="Source">
        <span class="mono">{message.source}</span>
      </Fact>
      <Fact name="Notification">
        {mails.map((mail) => (
          <span class="told">
            <MailState mail={mail} />
            <a href={`${paths.mails}/${mail.id}`}>{mail.recipient}</a>
          </span>
        ))}
        {mails.length === 0 && <NoNotification message={message} />}
      </Fact>
    </dl>
  </aside>
);

const PersonFacts = ({ sender: { subscriber, about } }: Pick<OpenMessageView, "sender">) =>
  subscriber ? (
    <>
      <Fact name="Language">{languageLabel(subscriber.language)}</Fact>
      {about.tags.length > shownTags && <Fact name="Tags">{about.tags.join(", ")}</Fact>}
      <Known profile={about} />
    </>
  ) : null;

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
    <a href={`${paths.siteSettings}#owner`}>No notification address was set</a>
  </span>
);

export const boxLabels: Record<Box, string> = {
  inbox: "Inbox",
  snoozed: "Snoozed",
  archived: "Archived",
  quarantine: "Quarantine",
  spam: "Spam",
  trash: "Trash",
};

/** One message as plain text, with what followed it, its actions, the reply, and who wrote. */
export function OpenMessage(view: OpenMessageView) {
  const { frame, state, box, message, sender, thread, composer } = view;
  const { id, name, email } = message;
  const isAnswered = box === "inbox" || box === "snoozed" || box === "archived";
  return (
    <article class="letter" aria-labelledby="letter-from">
      <p class="crumb">
        <ListLink href={listUrl(state, { page: state.query.page ?? "" })} id="back-to-list">
          <Icon name="arrow-left" />
          {boxLabels[box]}
        </ListLink>
      </p>
      <header>
        <div>
          <h2 id="letter-from" tabindex="-1" data-focus={!thread.written && !isBeingWritten(composer.draft)}>
            {name}
          </h2>
          <p class="sender">
            <a href={`mailto:${mailAddress(email)}`} id="letter-email">
              {email}
            </a>
            <CopyButton from="letter-email" class="btn quiet sm" id="copy-email" />
            <Standing sender={sender} frame={frame} />
          </p>
        </div>
        <MessageActions frame={frame} state={state} box={box} message={message} />
      </header>
      <div class="talk">
        <WhyHere box={box} message={message} clock={frame} />
        <Conversation frame={frame} message={message} thread={thread} canReply={isAnswered} />
        {isAnswered && (
          <Composer
            {...composer}
            frame={frame}
            id={id}
            name={name}
            action={`${paths.contact}/${id}/reply`}
            mailto={replyLink(message, frame.siteTitle)}
          />
        )}
      </div>
      <Facts {...view} />
    </article>
  );
}
