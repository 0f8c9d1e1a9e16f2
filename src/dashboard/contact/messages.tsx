import { z } from "zod";
import * as messageList from "../../../db/contact/list";
import * as messages from "../../../db/contact/messages";
import { ownerEmail } from "../../../db/contact/owner";
import { conversationOf, latestOf } from "../../../db/contact/conversation";
import * as snippets from "../../../db/contact/snippets";
import type { Db } from "../../../db/engine/open";
import * as outboxList from "../../../db/mail/list";
import { knownOf, nothingKnown } from "../../../db/newsletter/by-row";
import { byEmail } from "../../../db/newsletter/subscribers";
import { ofAddress, type SuppressionReason } from "../../../db/suppressions/suppressions";
import type { AssetName } from "../../../views/assets";
import type { Frame, Notice } from "../../../views/components/frame";
import { type ListState, listUrl, plural } from "../../../views/components/list";
import { FreshExports } from "../../../views/components/lists/head";
import type { Sender } from "../../../views/dashboard/contact/message";
import type { Draft } from "../../../views/dashboard/contact/composer";
import { ContactHead, exportFormats, MessageList, NewMessages } from "../../../views/dashboard/contact/messages";
import { FreshFates, mostFollowed, waitingReplies } from "../../../views/dashboard/contact/thread";
import { Surroundings } from "../../../views/dashboard/shell";
import { paths } from "../../../views/paths";
import { csvLine } from "../../content/csv/reader";
import { inputOf } from "../../fields/field";
import { addressOf } from "../../mail/headers";
import { isLive } from "../../mail/open";
import { contextOf } from "../../platform/request-context";
import { actorOf } from "../../security/session";
import { bulkActions, bulkBody, listBefore, toTrash, undoableSelectionOf } from "../bulk-actions";
import type { Deps } from "../deps";
import { download } from "../download";
import { exactly, pageNumber, perPage, search, stateOf } from "../list-query";
import { frameOf, isPartial, pages } from "../pages";
import { forManagers } from "../permissions";
import { periodFields, periodOf, timeZoneOf } from "../period";
import { done, notThere, part, pathBefore, queryBefore, showList } from "../responses";
import { filledSnippet, replyText } from "./snippets";

const path = paths.contact;

/** The list's parameters in the URL. */
const Query = z.object({
  q: search,
  box: z.enum(["inbox", "snoozed", "archived", "quarantine", "spam", "trash"]).catch("inbox").default("inbox"),
  source: exactly,
  assignee: exactly,
  key: exactly,
  ...periodFields,
  page: pageNumber,
  per: perPage,
});
type Query = z.output<typeof Query>;

const filterOf = ({ box, q, source, assignee, key, ...days }: Query, timeZone: string): messageList.MessageFilter => ({
  ...periodOf(days, timeZone),
  box,
  q: q || undefined,
  source: source || undefined,
  assignee: assignee || undefined,
  key: key || undefined,
});

const stateHere = (query: Query): ListState => stateOf(path, Query, query);

/** `/dashboard/contact`: messages from the contact form. */
export const contactDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request, query }) => showMessages(deps, request, query))
    .get("/export.csv", ({ request, query }) => exportAs("csv", deps, request, Query.parse(query)))
    .get("/export.json", ({ request, query }) => exportAs("json", deps, request, Query.parse(query)))
    .get("/news", ({ request, query }) => showNews(deps, request, News.parse(query)))
    .post("/bulk", ({ request, body }) => changeSelected(deps, request, body), { body: MessageBulk })
    .get("/:id", ({ request, params: { id }, query }) => showOne(deps, request, query, id));

type Params = Record<string, unknown>;

/** The open message, what is being written to it, and the ID of the entry that was just written. */
type Open = { message: messages.Message; draft?: Draft | undefined; written?: string | undefined };

/** Reads the list for these parameters, the open message, and what else on the page changes with them. */
async function listFor(deps: Deps, frame: Frame, params: Params, open?: Open) {
  const { config, db } = deps;
  const query = Query.parse({ ...params, ...(open && { box: messages.boxOf(open.message) }) });
  const owner = ownerEmail({ config, db });
  const [listed, counts, sources, keys, address, openMessage, inbox] = await Promise.all([
    messageList.list(db, filterOf(query, frame.preferences.timeZone), query),
    messageList.counts(db),
    messages.sources(db),
    messages.keysOfSites(db),
    owner,
    open && openMessageOf(deps, open, owner),
    messages.arrivedSince(db, new Date(0)),
  ]);
  const state = stateHere(query);
  const latest = await latestOf(
    db,
    listed.rows.map(({ id }) => id),
  );
  const list = (
    <MessageList
      frame={frame}
      state={state}
      counts={counts}
      sources={sources}
      keys={keys}
      box={query.box}
      per={query.per}
      {...listed}
      notified={{ address, isSimulated: !isLive(config) }}
      contactUrl={`${config.BASE_URL}/api/contact`}
      latest={latest}
      open={openMessage}
      newestAt={inbox.newestAt}
    />
  );
  const isEmpty = Object.values(counts).every((count) => count === 0);
  const beside = <FreshExports state={state} formats={exportFormats} />;
  return { list, state, beside, head: <ContactHead state={state} isEmpty={isEmpty} /> };
}

/** Reads what is shown of an open message. */
async function openMessageOf(
  { config, db }: Deps,
  { message, draft, written }: Open,
  owner: ReturnType<typeof ownerEmail>,
) {
  const [mails, { entries, total }, suppression, all, answersTo, sender] = await Promise.all([
    outboxList.about(db, message.id),
    conversationOf(db, message.id),
    ofAddress(db, message.email),
    snippets.list(db),
    owner,
    senderOf(db, message),
  ]);
  const replies = entries.filter(({ kind }) => kind === "reply").map(({ id }) => id);
  const composer = {
    from: addressOf(config.MAIL_FROM),
    answersTo,
    isLive: isLive(config),
    suppressed: suppression && suppressed[suppression.reason],
    snippets: all.map((snippet) => ({ ...snippet, filled: filledSnippet(snippet, message) })),
    draft: draft ?? { key: crypto.randomUUID(), text: "" },
    longest: inputOf("text", replyText).maxlength,
  };
  const thread = { entries, total, mails: await outboxList.newestAbout(db, replies), written };
  return { message, mails, sender, thread, composer };
}

/** Reads what stands beside a conversation about the person who began it. */
async function senderOf(db: Db, { email, emailKey }: messages.Message): Promise<Sender> {
  const [subscriber, count] = await Promise.all([byEmail(db, email), messages.countFrom(db, emailKey)]);
  const about = subscriber && (await db.read((orm) => knownOf(orm, [subscriber.row]))).get(subscriber.row);
  return { subscriber, about: about ?? nothingKnown, messages: count };
}

const mayNotArrive = "the reply may not arrive.";
const suppressed: Record<SuppressionReason, string> = {
  bounce: `Emails to this address bounced: ${mayNotArrive}`,
  complaint: `Newsletters to this address were marked as spam: ${mayNotArrive}`,
  provider: `The email provider blocks this address: ${mayNotArrive}`,
  manual: "This address gets no newsletters. A reply is sent.",
  import: "This address gets no newsletters. A reply is sent.",
  erased: "This address gets no newsletters. A reply is sent.",
};

const News = z.object({
  after: z.coerce.number().int().min(0).max(8.64e15).catch(0),
  waiting: z
    .string()
    .transform((ids) => ids.split(","))
    .pipe(z.array(z.uuid()).max(mostFollowed))
    .catch([]),
});

/**
 * What poll.js asks for while the page is open: how many messages have arrived, what became of the replies that waited,
 * and the counts beside the navigation.
 */
async function showNews(deps: Deps, request: Request, { after, waiting }: z.output<typeof News>) {
  const frame = await frameOf(deps, request);
  const [{ count }, mails] = await Promise.all([
    messages.arrivedSince(deps.db, new Date(after)),
    outboxList.newestAbout(deps.db, waiting),
  ]);
  const openId = pathBefore(request).slice(`${path}/`.length);
  const open = openId ? await messages.byId(deps.db, openId) : undefined;
  return part(
    <>
      <NewMessages after={after} count={count} waiting={waitingReplies(mails)} />
      {openId && <FreshFates frame={frame} messageId={openId} mails={mails} />}
      <Surroundings frame={{ ...frame, path }} title={titleOf(open && { message: open })} />
    </>,
  );
}

const extras: AssetName[] = ["poll.js", "contact.js"];
const titleOf = (open?: Open) => (open ? `${open.message.name}: message` : "Inbox");

/** Shows the page of the list. @param open the message that is open, with the status of a form that was refused */
export async function showMessages(
  deps: Deps,
  request: Request,
  params: Params,
  open?: Open & { status?: number | undefined },
) {
  const frame = await frameOf(deps, request);
  const { head, list, beside } = await listFor(deps, frame, params, open);
  return showList(request, { frame, title: titleOf(open), status: open?.status, extras, head, list, beside });
}

/** Responds after something was done with a message that stays open. */
export async function doneWithOpen(deps: Deps, request: Request, open: Open, notice?: Notice) {
  const frame = await frameOf(deps, request);
  const { state, list, beside } = await listFor(deps, frame, queryBefore(request, path), open);
  const back = listUrl({ ...state, path: `${path}/${open.message.id}` }, { page: state.query.page ?? "" });
  return done(request, { frame, title: titleOf(open), list, beside, back, notice });
}

/** Responds after an action: the list as it was filtered, with a notice. */
export async function doneWith(deps: Deps, request: Request, params: Params, notice: Notice) {
  const frame = await frameOf(deps, request);
  const { state, list, beside } = await listFor(deps, frame, params);
  const back = listUrl(state, { page: state.query.page ?? "" });
  contextOf(request).headers["hx-replace-url"] = back;
  return done(request, { frame, title: "Inbox", list, beside, back, notice, isBelowToo: true });
}

/** Applies an action to the selected messages, after a question if it needs one. */
function changeSelected(deps: Deps, request: Request, bulk: MessageBulk) {
  const { do: action, filter } = bulk;
  const selected = undoableSelectionOf(bulk, (query) => filterOf(Query.parse(query), timeZoneOf(request)));
  return messageActions.askOrChange(deps, request, bulk, {
    count: () => messageList.countAffected(deps.db, action, selected),
    apply: (at) => messageList.applyAction(deps.db, { action, selection: selected }, actorOf(request), at),
    finish: (notice) => doneWith(deps, request, listBefore(request, path, filter), notice),
    action: `${path}/bulk`,
    cancel: `${path}?${filter ?? ""}`,
  });
}

/** Shows one message next to the list, and marks it as read. */
async function showOne(deps: Deps, request: Request, params: Record<string, unknown>, id: string) {
  const message = await messages.byId(deps.db, id);
  if (!message) return gone(deps, request, params);
  if (!message.readAt && !contextOf(request).isPassive) await markRead(deps, id);
  return showMessages(deps, request, params, { message: (await messages.byId(deps.db, id)) ?? message });
}

/** A failure to mark it must not prevent showing the message. */
const markRead = ({ db, now }: Deps, id: string) => messages.markRead(db, id, now()).catch(() => undefined);

async function gone(deps: Deps, request: Request, params: Record<string, unknown>) {
  const text = "This message was permanently deleted.";
  if (isPartial(request)) return doneWith(deps, request, params, { kind: "good", text });
  return notThere(await frameOf(deps, request), text, path);
}

/** What the page's forms send: selected messages, all that match the filter, or those that one action changed. */
const MessageBulk = bulkBody([
  "read",
  "unread",
  "archive",
  "unarchive",
  "wake",
  "spam",
  "not-spam",
  "release",
  "trash",
  "restore",
  "delete",
]);
type MessageBulk = z.output<typeof MessageBulk>;

const quick = (past: string, undo?: { do: messageList.MessageAction; ofMany: boolean }) => ({
  verb: (rows: string) => rows,
  asks: "never" as const,
  past,
  ...(undo && { undo }),
});

/** The bulk actions on messages. */
const messageActions = bulkActions<messageList.MessageAction, NonNullable<messageList.ChangedMessages["first"]>>({
  rows: ["message", "messages"],
  nameOf: ({ name }) => `Message from ${name}`,
  noneSelected: "No messages selected.",
  tooLate: () => "Nothing changed: already moved or deleted.",
  others: (count) => `${plural(count, "other")} had already been moved or deleted.`,
  actions: {
    read: quick("marked as read"),
    unread: quick("marked as unread"),
    archive: quick("archived", { do: "unarchive", ofMany: true }),
    unarchive: quick("moved to the inbox"),
    wake: quick("moved to the inbox"),
    spam: quick("marked as spam", { do: "not-spam", ofMany: false }),
    "not-spam": quick("marked as not spam"),
    release: {
      verb: (rows) => `Release ${rows}`,
      asks: "many",
      consequence: () => "They will be moved to the inbox, among your other messages. No notification emails are sent.",
      past: "released to the inbox",
    },
    trash: toTrash(),
    restore: { ...quick("restored"), opens: (id) => `${path}/${id}` },
    delete: {
      verb: (rows) => `Permanently delete ${rows}`,
      asks: "always",
      consequence: (count) =>
        `The ${count === 1 ? "message and all its" : "messages and all their"} content will be permanently deleted. This cannot be undone.`,
      destroys: true,
      past: "permanently deleted",
    },
  },
});

const columns = ["id", "receivedAt", "name", "email", "source", "box", "readAt", "spamReason", "message"] as const;

const recordOf = (message: messages.Message): Record<(typeof columns)[number], string | null> => ({
  id: message.id,
  receivedAt: message.createdAt.toISOString(),
  name: message.name,
  email: message.email,
  source: message.source,
  box: messages.boxOf(message),
  readAt: message.readAt?.toISOString() ?? null,
  spamReason: message.spamReason,
  message: message.message,
});

async function* csv(list: AsyncIterable<messages.Message[]>) {
  yield csvLine([...columns]);
  for await (const batch of list)
    yield batch.map((message) => csvLine(columns.map((name) => recordOf(message)[name]))).join("");
}

async function* json(list: AsyncIterable<messages.Message[]>) {
  let start = "[\n";
  for await (const batch of list) {
    yield start + batch.map((message) => JSON.stringify(recordOf(message))).join(",\n");
    start = ",\n";
  }
  yield start === "[\n" ? "[]\n" : "\n]\n";
}

const formats = { csv, json };

/** Exports what the list shows, all pages of it. */
const exportAs = (extension: keyof typeof formats, deps: Deps, request: Request, query: Query) =>
  download(
    deps,
    request,
    { name: "messages", extension, action: "message.export" },
    formats[extension](messageList.batches(deps.db, filterOf(query, timeZoneOf(request)))),
  );
