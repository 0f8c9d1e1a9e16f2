import { dayMs } from "../../../db/lib/time";
import type { Latest } from "../../../db/contact/conversation";
import type { Box, Message } from "../../../db/contact/messages";
import { Empty, EmptyTrash, Example, NoMatch } from "../../components/empty";
import { Form } from "../../components/forms/form";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { EmptyList, ListLink, type ListState, listUrl, type ListView, number, plural } from "../../components/list";
import { BulkButtons, BulkForm } from "../../components/lists/bulk";
import { Exports, ListHead } from "../../components/lists/head";
import { Menu } from "../../components/lists/row-actions";
import { exact, inBands, TimeInBand } from "../../components/time";
import { Avatar, nameOf } from "../../components/who";
import type { JSX } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";
import { Head } from "../shell";
import { boxLabels, OpenMessage, type OpenMessageView } from "./message";
import { snippetsPath } from "./snippets";
import { waitingReplies } from "./thread";

export const ContactHead = ({ state, isEmpty }: { state: ListState; isEmpty: boolean }) => (
  <Head title="Inbox" lead="Messages from the contact form.">
    {!isEmpty && (
      <a class="btn quiet" href={snippetsPath}>
        <Icon name="zap" />
        Snippets
      </a>
    )}
    {!isEmpty && (
      <Menu id="inbox" label="More actions for the inbox">
        <Exports state={state} formats={exportFormats} />
      </Menu>
    )}
  </Head>
);

export const exportFormats = ["csv", "json"] as const;

type NewsProps = { after: Date | number | null; count?: number; waiting?: string[] };

/**
 * Says that messages have arrived since the newest of the list. They are shown when someone wants them, so that nothing
 * moves below a pointer. Follows emails, too, while replies of the open conversation are `waiting`.
 */
export const NewMessages = ({ after, count = 0, waiting = [] }: NewsProps) => (
  <p
    class="news"
    id="news"
    role="status"
    data-topic={waiting.length > 0 ? "messages emails" : "messages"}
    data-poll={`${paths.contact}/news?after=${Number(after)}${waiting.length > 0 ? `&waiting=${waiting.join(",")}` : ""}`}
  >
    {count > 0 && (
      <ListLink href={paths.contact} id="show-news">
        {plural(count, "new message")}
      </ListLink>
    )}
  </p>
);

/** Where notifications of new messages go. */
type Notified = { address: string | undefined; isSimulated: boolean };

/** Shown next to a list of which no message is open. */
const NoneOpen = () => (
  <Empty icon="mail-open" title="Choose a message to read it">
    <p class="keys-hint">
      <kbd>j</kbd> <kbd>k</kbd> next and previous, <kbd>Enter</kbd> open
    </p>
  </Empty>
);

const isFiltered = ({ query }: ListState) =>
  ["q", "source", "assignee", "key", "from", "to"].some((name) => query[name]);

/** Shown instead of the rows: no search results, or an empty box. */
const NoneHere = ({ state, box }: { state: ListState; box: Box }) =>
  isFiltered(state) ? (
    <NoMatch
      what="messages"
      query={state.query.q}
      clear={listUrl(state, { q: "", source: "", assignee: "", key: "", from: "", to: "" })}
    />
  ) : (
    nothingIn[box]
  );

const nothingIn: Record<Box, JSX.Element> = {
  inbox: (
    <Empty drawing="tray" title="The inbox is empty">
      <p>New messages appear here.</p>
    </Empty>
  ),
  snoozed: (
    <Empty drawing="clock" title="Nothing is snoozed">
      <p>Snoozed messages wait here, and come back to the inbox at their time or when someone writes again.</p>
    </Empty>
  ),
  archived: (
    <Empty drawing="box" title="No archived messages">
      <p>Archived messages stay here and can be searched.</p>
    </Empty>
  ),
  quarantine: (
    <Empty drawing="sieve" title="No messages in quarantine">
      <p>When more messages arrive within an hour than the limit allows, the rest are stored here.</p>
    </Empty>
  ),
  spam: (
    <Empty drawing="sieve" title="No spam">
      <p>Messages caught by the form’s hidden field, and those you mark as spam, appear here.</p>
    </Empty>
  ),
  trash: <EmptyTrash what="messages" />,
};

/** Before the first message: who will be notified, and how the site's form sends one. */
const NoMessages = ({ notified, contactUrl, newestAt }: MessagesView) => (
  <EmptyList label="Messages" drawing="tray" title="No messages yet">
    <NewMessages after={newestAt} />
    <p>
      Messages sent through your contact form appear here. <Notification {...notified} />
    </p>
    <a class="btn" href={`${paths.siteSettings}#owner`} id="notification-address">
      {notified.address ? "Check the notification address" : "Set the notification address"}
    </a>
    <Example of="contact form">
      {`curl -X POST ${contactUrl} \\\n  -H "Content-Type: application/json" \\\n  -d '{"name":"Ada","email":"ada@example.com","message":"Hello from the form"}'`}
    </Example>
  </EmptyList>
);

const Notification = ({ address, isSimulated }: Notified) =>
  address ? (
    <>
      A notification is also sent to <strong>{address}</strong>.
      {isSimulated && " No email provider is configured, so it is simulated: logged instead of sent."}
    </>
  ) : (
    <>No notifications are sent yet: no address is set.</>
  );

type ItemProps = { message: Message; latest: Latest | undefined; state: ListState; frame: Frame; isOpen: boolean };

/** The link comes before the checkbox, because the keys j and k go to it. */
function Item({ message, latest, state, frame, isOpen }: ItemProps) {
  const { id, name, source, readAt, surfacedAt } = message;
  const href = messageUrl(state, id);
  return (
    <li class={readAt ? "item" : "item unread"} data-open={isOpen}>
      <a
        href={href}
        id={`open-${id}`}
        aria-current={isOpen ? "true" : undefined}
        hx-get={href}
        hx-target="#list"
        hx-swap="outerMorph"
        hx-push-url="true"
      >
        <span class="from">
          {!readAt && <span class="sr">Unread: </span>}
          {name}
        </span>{" "}
        <TimeInBand at={surfacedAt} clock={frame} />
        <span class="line">{lastWords(message, latest, frame)}</span>
        <span class="sub">
          <span class="mono">{source}</span>
          <Hint message={message} latest={latest} frame={frame} />
        </span>
      </a>
      <label class="tick">
        <Avatar name={name} />
        <input type="checkbox" name="ids" value={id} id={`pick-${id}`} aria-label={`Select the message from ${name}`} />
      </label>
    </li>
  );
}

/** The URL of a message, with the list it was found in. */
const messageUrl = (state: ListState, id: string) =>
  listUrl({ path: `${state.path}/${id}`, query: state.query }, { page: state.query.page ?? "" });

/** The beginning of what was written last, and by which of us. */
export function lastWords({ message }: Message, latest: Latest | undefined, { manager, names }: Frame): string {
  if (!latest) return firstWords(message);
  if (latest.kind === "answer") return firstWords(latest.words);
  const writer = latest.author === manager.email ? "You" : latest.author && nameOf(latest.author, names);
  return `${writer || "Us"}: ${firstWords(latest.words)}`;
}

const patienceMs = 2 * dayMs;

/** What changes what one does about a message: when it comes back, who answers it, how long it has waited and is. */
function Hint({ message, latest, frame }: Omit<ItemProps, "state" | "isOpen">) {
  const { manager, now, team, preferences } = frame;
  const { assigneeId, archivedAt, snoozedUntil, spamReason, repliedAt, createdAt } = message;
  const assignee = team.find(({ id }) => id === assigneeId);
  const wroteAt = latest?.kind === "answer" ? latest.createdAt : createdAt;
  const waitsMs =
    !archivedAt && !spamReason && (!repliedAt || repliedAt < wroteAt) ? now.getTime() - wroteAt.getTime() : 0;
  const isSnoozed = !archivedAt && !spamReason && snoozedUntil && snoozedUntil > now;
  const text = isSnoozed
    ? `Until ${exact(snoozedUntil, preferences)}`
    : assignee
      ? `Assigned to ${assignee.id === manager.id ? "you" : assignee.name}`
      : waitsMs >= patienceMs
        ? `Unanswered for ${plural(Math.floor(waitsMs / dayMs), "day")}`
        : latest
          ? `${number(latest.emails + 1)} in the conversation`
          : undefined;
  return text ? <span class="hint">{text}</span> : null;
}

/** As much as two lines of a tablet have, in one line; what goes on ends in an ellipsis. */
function firstWords(message: string): string {
  const letters = [...message.slice(0, 2 * mostLetters).replace(/\s+/g, " ")];
  return letters.length > mostLetters ? `${letters.slice(0, mostLetters).join("").trimEnd()}…` : letters.join("");
}
const mostLetters = 200;

/** Nothing to choose from for who works alone. */
const assignees = ({ team, manager }: Frame) =>
  team.length < 2 ? [] : team.map(({ id, name }) => [id, id === manager.id ? "Mine" : name] as const);

type MessagesView = ListView<Message> & {
  box: Box;
  counts: Record<Box, number>;
  sources: string[];
  /** The API keys by which sites sent messages on behalf of visitors. */
  keys: { id: string; name: string }[];
  /** Who is notified of new messages, for a page that has none yet. */
  notified: Notified;
  contactUrl: string;
  /** When the newest message in the inbox arrived. */
  newestAt: Date | null;
  /** The last email of each conversation that has more than its first message. */
  latest: Map<string, Latest>;
  /** The open message. */
  open?: Omit<OpenMessageView, "frame" | "state" | "box"> | undefined;
};

/** Not offered while they are empty. */
const rare = new Set<Box>(["snoozed", "quarantine"]);
const boxNames: Box[] = ["inbox", "snoozed", "archived", "quarantine", "spam", "trash"];

/** The messages of a box and, next to them on a wide screen, the open one. */
export function MessageList(view: MessagesView) {
  const { state, box, counts, sources, keys, open } = view;
  if (Object.values(counts).every((count) => count === 0)) return <NoMessages {...view} />;
  return (
    <section class={open ? "list desk reading" : "list desk"} id="list" aria-label="Messages">
      <ListHead
        view={view}
        noun="message"
        count={withUnread(view)}
        note={<NewMessages after={view.newestAt} waiting={open ? waitingReplies(open.thread.mails) : []} />}
        segments={{
          name: "box",
          label: "Folder",
          options: boxNames
            .filter((name) => !rare.has(name) || name === box || counts[name] > 0)
            .map((name) => ({
              value: name === "inbox" ? "" : name,
              label: boxLabels[name],
              count: counts[name],
            })),
        }}
        search={{
          label: "Search messages and replies",
          filters: [
            { name: "source", label: "Source", all: "All sources", options: sources },
            { name: "assignee", label: "Assigned to", all: "Everyone’s", options: assignees(view.frame) },
            {
              name: "key",
              label: "Sent by a site with",
              all: "Any key, or none",
              options: keys.map(({ id, name }) => [id, name]),
            },
            { period: "Received" },
          ],
        }}
      />
      {box === "quarantine" && counts.quarantine > 0 && <WhyQuarantined {...view} />}
      <div class="panes">
        <div class="pane">{view.rows.length ? <Messages {...view} /> : <NoneHere state={state} box={box} />}</div>
        {(open || view.rows.length > 0) && (
          <div class="reader">{open ? <OpenMessage {...view} {...open} /> : <NoneOpen />}</div>
        )}
      </div>
    </section>
  );
}

/** The number of messages in the whole inbox, and of those that the navigation counts. */
function withUnread({ frame, state, box, total, counts }: MessagesView): string | undefined {
  const { unread } = frame.counts;
  const isWhole = box === "inbox" && !isFiltered(state) && total === counts.inbox;
  return isWhole && unread > 0 ? `${plural(total, "message")}, ${number(unread)} unread` : undefined;
}

const WhyQuarantined = ({ frame, state, counts: { quarantine } }: MessagesView) => (
  <div class="note">
    <Icon name="shield-alert" />
    <p>
      These messages arrived after the hourly limit was reached. One summary an hour is sent instead of an email for
      each. Release the genuine ones to move them to the inbox. <a href={paths.limitSettings}>View limits</a>
    </p>
    <Form action={`${state.path}/bulk`} token={frame.token} label="Quarantine">
      <input type="hidden" name="all" value="matching" />
      <input type="hidden" name="filter" value="box=quarantine" />
      <button type="submit" class="btn sm" name="do" value="release" id="release-all">
        Release {quarantine === 1 ? "it" : `all ${number(quarantine)}`}
      </button>
    </Form>
  </div>
);

const Messages = (view: MessagesView) => (
  <BulkForm
    view={view}
    action={`${view.state.path}/bulk`}
    label="Messages"
    buttons={<BulkButtons of={actions[view.box]} />}
  >
    {inBands(view.rows, ({ surfacedAt }) => surfacedAt, view.frame).map(({ band, rows }, at) => (
      <>
        <h2 class="band" id={`band-${at}`}>
          {band}
        </h2>
        <ul class="rows" aria-labelledby={`band-${at}`}>
          {rows.map((message) => (
            <Item
              {...view}
              message={message}
              latest={view.latest.get(message.id)}
              isOpen={message.id === view.open?.message.id}
            />
          ))}
        </ul>
      </>
    ))}
  </BulkForm>
);

const actions: Record<Box, [action: string, label: string][]> = {
  inbox: [
    ["read", "Mark read"],
    ["archive", "Archive"],
    ["spam", "Spam"],
    ["trash", "Delete"],
  ],
  snoozed: [
    ["wake", "Move to inbox"],
    ["archive", "Archive"],
    ["spam", "Spam"],
    ["trash", "Delete"],
  ],
  archived: [
    ["unarchive", "Move to inbox"],
    ["spam", "Spam"],
    ["trash", "Delete"],
  ],
  quarantine: [
    ["release", "Release"],
    ["spam", "Spam"],
    ["trash", "Delete"],
  ],
  spam: [
    ["not-spam", "Not spam"],
    ["trash", "Delete"],
  ],
  trash: [
    ["restore", "Restore"],
    ["delete", "Delete permanently…"],
  ],
};
