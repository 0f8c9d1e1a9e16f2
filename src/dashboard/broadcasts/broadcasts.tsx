import { z } from "zod";
import type { Db } from "../../../db/engine/open";
import { archiveFor } from "../../../db/broadcasts/audience";
import { copy, create } from "../../../db/broadcasts/edit";
import * as broadcastList from "../../../db/broadcasts/list";
import { maxSubject } from "../../../db/broadcasts/rules";
import { shortened } from "../../../db/lib/text";
import { maxSegment, readSegment } from "../../../db/newsletter/segments/definition";
import { segmentById } from "../../../db/newsletter/segments/saved";
import * as postEdits from "../../../db/posts/edit";
import type { AssetName } from "../../../views/assets";
import type { Frame, Notice } from "../../../views/components/frame";
import { type ListState, listUrl, plural } from "../../../views/components/list";
import {
  BroadcastList,
  BroadcastsHead,
  isWriter,
  NewBroadcastPage,
  tabsFor,
} from "../../../views/dashboard/broadcasts/broadcasts";
import { path } from "../../../views/dashboard/broadcasts/state";
import { actorOf } from "../../security/session";
import { audienceWords } from "../segments/words";
import { Fields, flat, typedIn } from "./composer/form";
import { bulkActions, bulkBody, listBefore, toTrash, undoableSelectionOf } from "../bulk-actions";
import type { Deps } from "../deps";
import { readForm, sentFields } from "../form-input";
import { oneOf, pageNumber, perPage, search, stateOf } from "../list-query";
import { frameOf, pages } from "../pages";
import { forAnalysts, forManagers } from "../permissions";
import { done, notThere, seeOther, show, showList } from "../responses";

/** The list's parameters in the URL. */
const Query = z.object({
  q: search,
  tab: oneOf(["drafts", "scheduled", "sending", "sent", "trash"]),
  page: pageNumber,
  per: perPage,
});
type Query = z.output<typeof Query>;

const filterOf = ({ q, tab }: Query): broadcastList.BroadcastFilter => ({ q: q || undefined, tab: tab || "all" });

const stateHere = (query: Query): ListState => stateOf(path, Query, query);

/** `/dashboard/broadcasts`: the list of all broadcasts, and its trash. */
export const broadcastsDashboard = (deps: Deps) =>
  pages(path, deps, forAnalysts).get("/", ({ request, query }) => showBroadcasts(deps, request, query));

export const broadcastActionsDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/new", ({ request }) => offerNew(deps, request))
    .post("/bulk", ({ request, body }) => changeSelected(deps, request, body), { body: BroadcastBulk })
    .post("/new", ({ request, body }) => createDraft(deps, request, body))
    .post("/from-post/:id", ({ request, params: { id } }) => createFromPost(deps, request, id))
    .post("/:id/copy", ({ request, params: { id } }) => copyOne(deps, request, id))
    .post("/:id/trash", ({ request, params: { id } }) => moveOne(deps, request, id, "trash"))
    .post("/:id/restore", ({ request, params: { id } }) => moveOne(deps, request, id, "restore"));

type Params = Record<string, unknown>;
const title = "Broadcasts";
export const extras: AssetName[] = ["broadcasts.css"];

/** Reads the list for these parameters. */
async function listFor({ db }: Deps, frame: Frame, params: Params) {
  const query = Query.parse(params);
  const tabs = tabsFor(frame);
  const filter = { ...filterOf(query), tab: tabs.find((tab) => tab === query.tab) ?? tabs[0] ?? "sent" };
  const [{ rows, ...where }, counts] = await Promise.all([
    broadcastList.list(db, filter, query),
    broadcastList.counts(db),
  ]);
  const words = isWriter(frame) ? await audienceWords(db, rows, frame.preferences) : [];
  const rowsWithAudience = rows.map((broadcast, at) => ({ broadcast, audienceWords: words[at] }));
  const state = stateHere(query);
  const view = { frame, state, counts, tab: filter.tab, per: query.per, ...where, rows: rowsWithAudience };
  return { state, list: <BroadcastList {...view} /> };
}

async function showBroadcasts(deps: Deps, request: Request, params: Params) {
  const frame = await frameOf(deps, request);
  const { list } = await listFor(deps, frame, params);
  const head = <BroadcastsHead frame={frame} />;
  return showList(request, { frame, title, extras: [...extras, "poll.js"], head, list });
}

/** Responds after an action: the list as it was filtered, with a notice. */
async function doneWith(deps: Deps, request: Request, params: Params, notice: Notice) {
  const frame = await frameOf(deps, request);
  const { state, list } = await listFor(deps, frame, params);
  return done(request, { frame, title, list, back: listUrl(state, { page: state.query.page ?? "" }), notice });
}

/** Someone deleted it in the meantime. */
export const gone = async (deps: Deps, request: Request) =>
  notThere(await frameOf(deps, request), "This broadcast was deleted.", path);

/** Applies an action to the selected broadcasts, after a question if it needs one. */
function changeSelected(deps: Deps, request: Request, bulk: BroadcastBulk) {
  const { do: action, filter } = bulk;
  const selected = undoableSelectionOf(bulk, (query) => filterOf(Query.parse(query)));
  return broadcastActions.askOrChange(deps, request, bulk, {
    count: () => broadcastList.countAffected(deps.db, action, selected),
    apply: (at: Date) => broadcastList.applyAction(deps.db, { action, selection: selected }, actorOf(request), at),
    finish: (notice: Notice) => doneWith(deps, request, listBefore(request, path, filter), notice),
    action: `${path}/bulk`,
    cancel: `${path}?${filter ?? ""}`,
  });
}

/** Deletes or restores one broadcast, from its row or its page. */
const moveOne = (deps: Deps, request: Request, id: string, action: "trash" | "restore") =>
  changeSelected(deps, request, BroadcastBulk.parse({ do: action, ids: id }));

async function offerNew(deps: Deps, request: Request) {
  const frame = await frameOf(deps, request);
  return show({ frame, title: "New broadcast", extras }, <NewBroadcastPage frame={frame} />);
}

const empty = { subject: "", preheader: "", fromName: "", archive: "listed" as const, segment: {}, content: "" };

/** Creates an empty draft, one for a segment or for conditions, or one with text that could not be saved elsewhere. */
async function createDraft(deps: Deps, request: Request, body: unknown) {
  const { db, now } = deps;
  const { segment, where } = sentFields(body);
  const saved = typeof segment === "string" ? await audienceOf(db, segment) : {};
  if (!saved)
    return doneWith(deps, request, {}, { kind: "bad", text: "This segment was deleted, so no draft was created." });
  const audience = typeof where === "string" ? audienceWhere(where) : saved;
  if (!audience)
    return doneWith(
      deps,
      request,
      {},
      { kind: "bad", text: "These conditions cannot be read, so no draft was created." },
    );
  const fields = { ...empty, ...readForm(Fields, flat(typedIn(body))).input, ...audience };
  const { id } = await create(db, { source: { kind: "own" }, fields }, actorOf(request), now());
  return seeOther(request, `${path}/${id}`);
}

/** The people of a saved segment; undefined if it is gone. */
async function audienceOf(db: Db, id: string) {
  const saved = await segmentById(db, id);
  const segment = saved && readSegment(saved.definition);
  return segment && { segment, segmentRow: saved.row, archive: archiveFor(segment) };
}

/** The people of the list of subscribers whom these conditions mean; undefined if they cannot be read. */
function audienceWhere(json: string) {
  const segment = json.length <= maxSegment.length ? readSegment(json) : undefined;
  return segment && { segment, archive: archiveFor(segment) };
}

/** Creates a draft that sends a post, with the post's title and excerpt for the inbox. */
async function createFromPost(deps: Deps, request: Request, postId: string) {
  const { db, now } = deps;
  const post = await postEdits.byId(db, postId);
  if (!post || post.deletedAt)
    return doneWith(deps, request, {}, { kind: "bad", text: "This post was deleted, so it cannot be sent." });
  const fields = {
    ...empty,
    subject: shortened(post.title, maxSubject),
    preheader: shortened(post.excerpt, maxSubject),
  };
  const { id } = await create(db, { source: { kind: "post", postId }, fields }, actorOf(request), now());
  return seeOther(request, `${path}/${id}`, { kind: "good", text: "Draft created from the post." });
}

/** Creates a copy as a draft. */
async function copyOne(deps: Deps, request: Request, id: string) {
  const draft = await copy(deps.db, id, actorOf(request), deps.now());
  if (!draft) return doneWith(deps, request, {}, { kind: "bad", text: "This broadcast was permanently deleted." });
  return seeOther(request, `${path}/${draft.id}`, { kind: "good", text: "Copy created as a draft." });
}

/** What the list's forms send. */
const BroadcastBulk = bulkBody(["trash", "restore", "delete"]);
type BroadcastBulk = z.output<typeof BroadcastBulk>;

/** The bulk actions on broadcasts. Sent broadcasts, and those under way, cannot be deleted. */
const broadcastActions = bulkActions<
  broadcastList.BroadcastAction,
  NonNullable<broadcastList.ChangedBroadcasts["first"]>
>({
  rows: ["broadcast", "broadcasts"],
  nameOf: ({ subject }) => (subject ? `“${subject}”` : "Broadcast"),
  noneSelected: "No broadcasts selected.",
  tooLate: () => "Nothing changed: only drafts and cancelled broadcasts can be deleted.",
  others: (count) => `${plural(count, "other")} not changed: only drafts and cancelled broadcasts can be deleted.`,
  actions: {
    trash: toTrash(),
    restore: {
      verb: (rows) => `Restore ${rows}`,
      asks: "never",
      past: "restored",
      tooLate: "Nothing changed.",
      opens: (id) => `${path}/${id}`,
    },
    delete: {
      verb: (rows) => `Permanently delete ${rows}`,
      asks: "always",
      consequence: (n) =>
        `The ${n === 1 ? "broadcast and its" : "broadcasts and their"} reports will be permanently deleted. This cannot be undone.`,
      destroys: true,
      past: "permanently deleted",
      tooLate: "Nothing changed.",
    },
  },
});
