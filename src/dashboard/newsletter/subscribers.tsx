import { z } from "zod";
import type { Changed } from "../../../db/lib/bulk";
import * as pending from "../../../db/newsletter/confirm";
import * as subscriberList from "../../../db/newsletter/list";
import { statuses } from "../../../db/newsletter/rules";
import * as scanner from "../../../db/newsletter/scanner";
import type { SubscriberFilter } from "../../../db/newsletter/search";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import { placesOf } from "../../../db/sequences/report";
import { languages } from "../../../db/settings/rules";
import { isBegunBy } from "../../../db/newsletter/sequence-entry";
import { listSegments } from "../../../db/newsletter/segments/saved";
import { listTags, tagsOf } from "../../../db/newsletter/tags";
import { openTopics } from "../../../db/newsletter/topics";
import { allFields } from "../../../db/newsletter/fields";
import { relabel } from "../../../db/newsletter/list";
import { allOf } from "../../../db/newsletter/segments/definition";
import { Field } from "../../../views/components/forms/fields";
import type { Frame, Notice } from "../../../views/components/frame";
import { plural } from "../../../views/components/list";
import { isColumnShown } from "../../../views/components/lists/choose-columns";
import { exportFormats, NewsletterHead, SubscriberList } from "../../../views/dashboard/newsletter/subscribers";
import { paths } from "../../../views/paths";
import { exportCsv } from "../../content/csv/subscribers";
import { field, inputOf } from "../../fields/field";
import { line } from "../../platform/text/schemas";
import { actorOf } from "../../security/session";
import { bulkActions, bulkBody, selectionBody, undoableSelectionOf } from "../bulk-actions";
import type { Deps } from "../deps";
import { download } from "../download";
import { listHandlers } from "../list-handlers";
import { sentencesOf } from "../segments/words";
import { chosenSegment, countChosen, earlierConditions, forBroadcast, segmentFilter, segmentParams } from "./filter";
import { exactly, oneOf, pageNumber, perPage, search } from "../list-query";
import { pages } from "../pages";
import { forManagers } from "../permissions";
import { askForLabels, BeginSequences, LabelForm, labelsIn } from "./labels";
import { periodFields, periodOf, timeZoneOf } from "../period";
import { seeOther, subscriberPageBefore } from "../responses";

export const path = paths.newsletter;

const initial = "-joined" as const;

/** The list's parameters in the URL. Sorting by unsubscribe date applies only to those who unsubscribed. */
const Query = z
  .object({
    q: search,
    status: oneOf([...statuses]),
    source: exactly,
    language: oneOf(languages),
    tag: exactly,
    sort: z
      .enum(["joined", "-joined", "email", "-email", "unsubscribed", "-unsubscribed"])
      .catch(initial)
      .default(initial),
    ...segmentParams,
    ...periodFields,
    page: pageNumber,
    per: perPage,
  })
  .transform((query) => ({
    ...query,
    sort: query.status !== "unsubscribed" && query.sort.endsWith("unsubscribed") ? initial : query.sort,
  }));
type Query = z.output<typeof Query>;

const filterOf = async (
  { db, now }: Deps,
  { q, status, source, language, tag, where, segment, ...days }: Query,
  timeZone: string,
): Promise<SubscriberFilter> => ({
  ...periodOf(days, timeZone),
  segment: await segmentFilter(db, { where, segment }, now()),
  q: q || undefined,
  status: status || undefined,
  source: source || undefined,
  language: language || undefined,
  tag: tag || undefined,
});

export const { show: showSubscribers, doneWith } = listHandlers({
  path,
  title: "Subscribers",
  Query,
  Head: NewsletterHead,
  exports: exportFormats,
  async list({ deps, query, frame, state }) {
    const { config, db } = deps;
    const [rows, counts, segments, filtered, scanned] = await Promise.all([
      subscriberList.list(db, await filterOf(deps, query, frame.preferences.timeZone), query.sort, query),
      subscriberList.counts(db),
      listSegments(db),
      filterInWords(deps, query, frame),
      scanner.countScanned(db),
    ]);
    const tags = isColumnShown(frame, "subscribers", "tags") ? await tagsIn(deps, rows.rows) : undefined;
    const subscribeUrl = `${config.BASE_URL}/api/newsletter/subscribe`;
    return (
      <SubscriberList
        frame={frame}
        state={state}
        counts={counts}
        segments={segments}
        tags={tags}
        filtered={filtered}
        scanned={scanned}
        subscribeUrl={subscribeUrl}
        {...rows}
      />
    );
  },
});

/** The tags of these people; undefined if no one on the site has any. */
async function tagsIn({ db }: Deps, people: Subscriber[]) {
  const rows = people.map(({ row }) => row);
  const tags = await db.read((orm) => tagsOf(orm, rows));
  return tags.size > 0 || (await listTags(db)).length > 0 ? tags : undefined;
}

/** What the filter says, and how many conditions it has; undefined if it has none. */
async function filterInWords({ db }: Deps, query: Query, frame: Frame) {
  const { segment, saved } = await chosenSegment(db, query);
  const count = countChosen(segment, query);
  if (!count) return undefined;
  const all = allOf(earlierConditions(query), segment);
  const [sentence = ""] = await sentencesOf(db, [all], frame.preferences);
  return { count, sentence, name: query.where ? undefined : saved?.name, where: forBroadcast(query, all) };
}

/** `/dashboard/newsletter`: the list of subscribers. */
export const newsletterDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request, query }) => showSubscribers(deps, request, query))
    .post("/restore", ({ request }) => restoreScanned(deps, request))
    .post("/bulk", ({ request, body }) => changeSelected(deps, request, body), { body: SubscriberBulk })
    .get("/export.csv", async ({ request, query }) =>
      csvFile(deps, request, { matching: await filterOf(deps, Query.parse(query), timeZoneOf(request)) }),
    )
    .post("/bulk/export", async ({ request, body }) => csvFile(deps, request, await selected(deps, request, body)), {
      body: selectionBody,
    });

const bulkNames = ["reactivate", "unsubscribe", "resubscribe", "change", "remind", "confirm", "delete"] as const;
const SubscriberBulk = bulkBody(bulkNames).extend({
  note: z.string().optional(),
  back: z.string().optional(),
  ...LabelForm.shape,
});
type SubscriberBulk = z.output<typeof SubscriberBulk>;

async function selected(deps: Deps, request: Request, bulk: z.output<typeof selectionBody>) {
  const selection = undoableSelectionOf(bulk, (query) => Query.parse(query));
  if (!("matching" in selection)) return selection;
  return { matching: await filterOf(deps, selection.matching, timeZoneOf(request)) };
}

/** The bulk actions on subscribers. */
const subscriberActions = bulkActions<SubscriberBulk["do"], Subscriber>({
  rows: ["subscriber", "subscribers"],
  nameOf: ({ email }) => email,
  noneSelected: "No subscribers selected.",
  tooLate: () => "Already deleted.",
  others: () => "",
  actions: {
    reactivate: {
      verb: (rows) => `Reactivate ${rows}`,
      asks: "several",
      consequence: () =>
        "They will receive the newsletter again. Only do this if they asked you to: emailing people who unsubscribed is illegal in many countries.",
      past: "reactivated",
      tooLate: "Nothing to reactivate: already active or deleted.",
    },
    unsubscribe: {
      verb: (rows) => `Unsubscribe ${rows}`,
      asks: "several",
      consequence: () => "They will no longer receive the newsletter. Their addresses stay in the list.",
      past: "unsubscribed",
      tooLate: "Nothing to unsubscribe: already unsubscribed or deleted.",
      undo: { do: "resubscribe", ofMany: true, ifUnchanged: true }, // nobody who has left since comes back
    },
    /** Undoes “unsubscribe”, and is offered only in its notice. */
    resubscribe: {
      verb: (rows) => `Reactivate ${rows}`,
      asks: "never",
      past: "reactivated",
      tooLate: "Nothing to reactivate: already active or deleted.",
    },
    change: {
      verb: (rows) => `Change the tags and language of ${rows}`,
      asks: "always",
      past: "changed",
      tooLate: "Nothing to change: they have these tags and this language already, or were deleted.",
    },
    remind: {
      verb: (rows) => `Send the link to ${rows} again`,
      asks: "several",
      consequence: () =>
        "Those who are pending get another email with the link to confirm, at most five in 30 days and one in ten minutes.",
      past: "will get the link again",
      tooLate: "No link was sent: already confirmed, or too many emails recently.",
    },
    confirm: {
      verb: (rows) => `Confirm ${rows}`,
      asks: "always",
      consequence: () =>
        "They will receive the newsletter. Your note is kept as proof of how they agreed. Those who unsubscribed before are left out: only the link in their own email brings them back.",
      past: "confirmed",
      tooLate: "Nothing to confirm: none of them was pending, or they unsubscribed before.",
    },
    delete: {
      verb: (rows) => `Delete ${rows}`,
      asks: "always",
      consequence: (count) =>
        count === 1
          ? "The address and what is known about the person will be permanently deleted. This cannot be undone."
          : "They will be permanently deleted. Export them first if you may need the addresses later. This cannot be undone.",
      destroys: true,
      past: "deleted",
    },
  },
});

const note = field(line({ min: 1, max: 300 }), { label: "How they agreed" });
const noteInput = inputOf("note", note);
const changes = {
  reactivate: subscriberList.reactivate,
  unsubscribe: subscriberList.unsubscribe,
  resubscribe: subscriberList.reactivate,
  remind: pending.remind,
  delete: subscriberList.remove,
};

/** How an action changes the list, and what is shown afterwards: the subscriber's page, or the list. */
function changeOf(deps: Deps, request: Request, bulk: SubscriberBulk) {
  async function apply(at: Date) {
    const selection = await selected(deps, request, bulk);
    const by = actorOf(request);
    if (bulk.do === "change") {
      const labels = labelsIn(bulk, await deps.db.read(allFields));
      return relabel(deps.db, { selection, labels }, by, at);
    }
    if (bulk.do !== "confirm") return changes[bulk.do](deps.db, selection, by, at);
    const byHand = { selection, why: bulk.note?.trim() ?? "", begin: bulk.begin === "yes" };
    return pending.confirmByHand(deps.db, byHand, by, at);
  }
  const person = subscriberPageBefore(request, bulk.back);
  const isUndo = bulk.do === "resubscribe"; // by its moment, from the page on which it was done
  const ownPage = person === `${path}/${bulk.ids[0]}` || isUndo ? person : undefined;
  return {
    apply,
    finish: async (notice: Notice, changed: Changed<Subscriber>) => {
      const isBack = isUndo || bulk.do === "reactivate";
      const said = isBack ? { ...notice, text: notice.text + (await notResumed(deps, changed)) } : notice;
      return ownPage && bulk.do !== "delete" ? seeOther(request, ownPage, said) : doneWith(deps, request, said);
    },
    action: `${path}/bulk`,
    cancel: ownPage ?? path,
    more: ownPage ? { back: ownPage } : {},
  };
}

/** Coming back does not resume what leaving stopped (db/sequences/members.ts). Of many, some may have been in a sequence. */
async function notResumed({ db }: Deps, { count, first }: Changed<Subscriber>): Promise<string> {
  const isStopped =
    first && count === 1
      ? (await placesOf(db, first.row)).some(({ reason }) => reason === "left")
      : count > 0 && (await db.read((orm) => isBegunBy(orm, ["subscribed", "confirmed", "tag", "topic"])));
  return isStopped ? " Sequences stopped by unsubscribing do not resume." : "";
}

/** Applies the action of a button in a row or on a subscriber's page. */
export function changeOne(deps: Deps, request: Request, id: string, action: SubscriberBulk["do"]) {
  const bulk = SubscriberBulk.parse({ do: action, ids: id });
  return subscriberActions.change(deps, bulk, changeOf(deps, request, bulk));
}

/** Applies an action to the selected rows, after a question if it needs one. */
async function changeSelected(deps: Deps, request: Request, bulk: SubscriberBulk) {
  const count = await subscriberList.countSelected(deps.db, await selected(deps, request, bulk));
  if (count === 0) return doneWith(deps, request, { kind: "good", text: subscriberActions.noneSelected });
  const { children, isMissing } = await questionOf(deps, bulk);
  const asked = isMissing ? { ...bulk, confirmed: undefined } : bulk;
  const change = changeOf(deps, request, bulk);
  return subscriberActions.askOrChange(deps, request, asked, { ...change, count: () => count, children });
}

/** What a question asks for besides a confirmation, and whether that is missing. */
async function questionOf({ db }: Deps, bulk: SubscriberBulk) {
  if (bulk.do === "confirm") {
    const begins = await db.read((orm) => isBegunBy(orm, ["subscribed", "confirmed", "tag", "topic"]));
    const children = (
      <>
        <Field scope="confirm" {...noteInput} value={bulk.note} />
        {begins && <BeginSequences of="As if they had confirmed themselves." isChosen={bulk.begin} />}
      </>
    );
    return { children, isMissing: !note.safeParse(bulk.note).success };
  }
  if (bulk.do !== "change") return { children: undefined, isMissing: false };
  const site = await db.read(async (orm) => ({
    topics: await openTopics(orm),
    fields: await allFields(orm),
    begins: await isBegunBy(orm, ["tag", "topic"]),
  }));
  return askForLabels(bulk, site);
}

/** Reactivates everyone whom a mail scanner has probably unsubscribed (D15). */
async function restoreScanned(deps: Deps, request: Request) {
  const restored = await scanner.restoreScanned(deps.db, actorOf(request), deps.now());
  const text = `${plural(restored, "subscriber")} restored.${await notResumed(deps, { count: restored, first: undefined })}`;
  return doneWith(deps, request, { kind: "good", text });
}

/** Exports the selected subscribers as CSV, all pages of them. */
const csvFile = (deps: Deps, request: Request, chosen: subscriberList.SubscriberSelection) =>
  download(
    deps,
    request,
    { name: "subscribers", extension: "csv", action: "subscriber.export" },
    exportCsv(deps.db, subscriberList.batches(deps.db, chosen)),
  );
