import type { Entry } from "../../../db/contact/conversation";
import type { Message } from "../../../db/contact/messages";
import type { Mail } from "../../../db/mail/outbox";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { Linked } from "../../components/linked";
import { plural } from "../../components/list";
import { Moment } from "../../components/time";
import { Avatar, nameOf } from "../../components/who";
import type { Child } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";
import { MailState } from "../mail/mail-state";

export type Thread = {
  /** The newest entries, oldest first. */
  entries: Entry[];
  total: number;
  /** The newest email of each reply. */
  mails: Map<string, Mail>;
  /** The ID of the entry that was just written. */
  written?: string | undefined;
};

type Props = { frame: Frame; message: Message; thread: Thread; canReply: boolean };

const longCharacters = 600; // about where the field of the reply is out of sight
const charactersPerLine = 60;

/** Whether the field of the reply is far below the beginning of the message. */
const isLong = ({ message }: Message) =>
  message.length + charactersPerLine * message.split("\n").length > longCharacters;

/** The conversation: what they wrote, what we answered, and notes between. */
export const Conversation = ({ frame, message, thread: { entries, total, mails, written }, canReply }: Props) => (
  <ol class="thread" aria-label="Conversation">
    <li class="entry">
      <div class="by">
        <Avatar name={message.name} />
        <strong>{message.name}</strong>
        <Moment at={message.createdAt} clock={frame} />
        from <span class="mono">{message.source}</span>
        {canReply && isLong(message) && (
          <a class="btn quiet sm" id="to-reply" href="#reply-text">
            Reply
          </a>
        )}
      </div>
      <div class="words" dir="auto">
        <Linked text={message.message} />
      </div>
    </li>
    {total > entries.length && (
      <li class="hint">{plural(total - entries.length, "earlier entry", "earlier entries")}</li>
    )}
    {entries.map((entry) => (
      <EntryItem
        frame={frame}
        message={message}
        entry={entry}
        mail={mails.get(entry.id)}
        isNew={entry.id === written}
      />
    ))}
  </ol>
);

const writer = ({ manager, names }: Frame, author: string | null) =>
  author === manager.email ? "You" : author === null ? "Someone" : nameOf(author, names);

type EntryProps = { frame: Frame; message: Message; entry: Entry; mail: Mail | undefined; isNew: boolean };

function EntryItem({ frame, message, entry, mail, isNew }: EntryProps) {
  const { id, kind, author, createdAt } = entry;
  if (kind === "answer") return <Answer frame={frame} message={message} entry={entry} />;
  const isNote = kind === "note";
  return (
    <li
      class={isNote ? "entry note-entry" : "entry ours"}
      id={`entry-${id}`}
      tabindex={isNew ? "-1" : undefined}
      data-focus={isNew}
    >
      <div class="by">
        {isNote && <Icon name="sticky-note" />}
        <strong>{writer(frame, author)}</strong>
        {isNote && "noted"}
        <Moment at={createdAt} clock={frame} />
        {mail && <Fate frame={frame} messageId={message.id} id={id} mail={mail} />}
        {isNote && author === frame.manager.email && (
          <TakeBack frame={frame} messageId={message.id} id={id}>
            Remove
          </TakeBack>
        )}
      </div>
      <div class="words" dir="auto">
        <Linked text={entry.text} />
      </div>
    </li>
  );
}

const Answer = ({
  frame,
  message,
  entry: { id, name, email, text, createdAt },
}: Omit<EntryProps, "mail" | "isNew">) => (
  <li class="entry" id={`entry-${id}`}>
    <div class="by">
      <Avatar name={name || email || message.name} />
      <strong>{name || email || message.name}</strong>
      <Moment at={createdAt} clock={frame} />
      {email && email !== message.email ? `by email from ${email}` : "by email"}
    </div>
    <div class="words" dir="auto">
      <Linked text={text} />
    </div>
  </li>
);

type FateProps = { frame: Frame; messageId: string; id: string; mail: Mail; isNews?: boolean };

/** What became of a reply, and what can be done about it. `isNews`: it may be where Undo was until now. */
const Fate = ({ frame, messageId, id, mail, isNews = false }: FateProps) => (
  <span class={isNews && mail.state !== "queued" ? "fate arrived" : "fate"} id={fateOf(id)} role="status">
    {mail.state === "sent" ? (
      "sent by email"
    ) : (
      <a href={`${paths.mails}/${mail.id}`}>
        <MailState mail={mail} />
        {mail.state === "dead" && " See why, or send it again"}
      </a>
    )}
    {mail.state === "queued" && mail.attempts === 0 && (
      <TakeBack frame={frame} messageId={messageId} id={id}>
        Undo
      </TakeBack>
    )}
  </span>
);

const fateOf = (id: string) => `fate-${id}`;

/** More replies than that do not wait at a time: their IDs are in a URL. */
export const mostFollowed = 20;

/** The newest replies whose fate is not known yet. */
export const waitingReplies = (mails: Thread["mails"]) =>
  [...mails].flatMap(([id, { state }]) => (state === "queued" ? [id] : [])).slice(-mostFollowed);

/** What has become of replies that waited, into the open conversation. */
export const FreshFates = ({ frame, messageId, mails }: Omit<FateProps, "id" | "mail"> & Pick<Thread, "mails">) => (
  <>
    {[...mails].map(([id, mail]) => (
      <hx-partial hx-target={`#${fateOf(id)}`} hx-swap="outerMorph">
        <Fate frame={frame} messageId={messageId} id={id} mail={mail} isNews />
      </hx-partial>
    ))}
  </>
);

type TakeBackProps = { frame: Frame; messageId: string; id: string; children?: Child };

const TakeBack = ({ frame, messageId, id, children }: TakeBackProps) => (
  <Form action={`${paths.contact}/${messageId}/entries/${id}/take-back`} token={frame.token}>
    <button type="submit" class="btn quiet sm" id={`take-back-${id}`}>
      {children}
    </button>
  </Form>
);
