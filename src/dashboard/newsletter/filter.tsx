import { z } from "zod";
import type { Db } from "../../../db/engine/open";
import { statuses } from "../../../db/newsletter/rules";
import {
  allOf,
  type Condition,
  conditionsOf,
  freeze,
  maxSegment,
  readSegment,
  type Segment,
} from "../../../db/newsletter/segments/definition";
import { countPeople } from "../../../db/newsletter/segments/people";
import {
  changeSegment,
  maxSaved,
  removeSegment,
  type SavedSegment,
  saveSegment,
  segmentById,
  termsOf,
} from "../../../db/newsletter/segments/saved";
import type { FieldError } from "../../../views/components/forms/field-errors";
import { listUrl } from "../../../views/components/list";
import { CountedPeople, FilterForm } from "../../../views/dashboard/newsletter/filter";
import type { SegmentDraft } from "../../../views/dashboard/segments/filter";
import { paths } from "../../../views/paths";
import { field, inputsOf } from "../../fields/field";
import { fragment } from "../../http/response";
import { line } from "../../platform/text/schemas";
import { actorOf } from "../../security/session";
import type { Deps } from "../deps";
import { readForm, sentFields, typed } from "../form-input";
import { exactly } from "../list-query";
import { frameOf, pages } from "../pages";
import { periodFields } from "../period";
import { forManagers } from "../permissions";
import { seeOther, showDialog } from "../responses";
import { fieldChoices } from "../segments/choices";
import { asShown, changed, draftIn, draftOf, focusAfter, segmentOf } from "../segments/form";

/* The one Filter of the list of subscribers, which saves segments too. */

const list = paths.newsletter;
const path = `${list}/filter`;

/** The parameters of a list's URL that say which people it shows: conditions, or a saved segment. */
export const segmentParams = {
  where: z.string().max(maxSegment.length).catch("invalid").default(""),
  segment: exactly,
};

/** What lists had before there were conditions, in URLs that still exist. */
type Earlier = { source: string; language: string; tag: string; from: string; to: string };
type Chosen = { where: string; segment: string };

/** A filter that cannot be read, and a segment that was deleted, show nobody: it must never mean everyone. */
const nobody: Segment = {
  v: 2,
  all: [{ field: "status", is: "none", of: [...statuses] }],
};

/** Returns the segment that the URL names, and the saved one it comes from. */
export async function chosenSegment(db: Db, { where, segment: id }: Chosen) {
  const saved = id ? await segmentById(db, id) : undefined;
  if (id && !saved) return { segment: nobody };
  if (saved && !where) return { segment: readSegment(saved.definition) ?? nobody, saved };
  return { segment: where ? (readSegment(where) ?? nobody) : {}, saved };
}

/** Returns the people whom the URL means, as of now; undefined for everyone. */
export async function segmentFilter(db: Db, chosen: Chosen, now: Date) {
  if (!chosen.where && !chosen.segment) return undefined;
  const { segment } = await chosenSegment(db, chosen);
  return db.read(async (orm) => freeze(segment, await termsOf(orm, now)));
}

/** The filters of before as conditions, so that the form shows all there are. */
export function earlierConditions({ source, language, tag, from, to }: Earlier): Condition[] {
  const conditions: Condition[] = [];
  if (source) conditions.push({ field: "source", is: "any", of: [source] });
  if (language) conditions.push({ field: "language", is: "any", of: [language] });
  if (tag) conditions.push({ field: "tag", is: "any", of: [tag] });
  if (from) conditions.push({ field: "joined", is: "from", of: from });
  if (to) conditions.push({ field: "joined", is: "before", of: dayAfter(to) });
  return conditions;
}

/**
 * Returns the conditions for a broadcast to the people whom the list shows. Undefined if no broadcast can have them, and
 * with earlier filters that mean others: as conditions, a language is also that of people without one, and days are
 * those of the site's time zone, not the manager's.
 */
export function forBroadcast({ language, from, to }: Earlier, all: Segment): string | undefined {
  const json = JSON.stringify(all);
  return language || from || to || !readSegment(json) ? undefined : json;
}

const dayAfter = (day: string) => Temporal.PlainDate.from(day).add({ days: 1 }).toString();

/** The number of conditions, for the button. */
export const countChosen = (segment: Segment, earlier: Earlier) =>
  conditionsOf(segment).length + earlierConditions(earlier).length;

/** `/dashboard/newsletter/filter`: the form of conditions. */
export const newsletterFilter = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request, query }) => openFilter(deps, request, query))
    .post("/", ({ request, body }) => useFilter(deps, request, body))
    .post("/count", ({ body }) => recount(deps, body))
    .post("/:id/delete", ({ request, params: { id } }) => deleteSegment(deps, request, id));

/** The list's query besides what the form replaces, as text. */
const Rest = z
  .string()
  .max(4_000)
  .catch("")
  .transform((text) => Object.fromEntries(new URLSearchParams(text)));
const Opened = z.object({
  ...segmentParams,
  source: exactly,
  language: exactly,
  tag: exactly,
  ...periodFields,
});

async function openFilter(deps: Deps, request: Request, query: Record<string, unknown>) {
  const { where, segment: id, ...earlier } = Opened.parse(query);
  const { segment, saved } = await chosenSegment(deps.db, { where, segment: id });
  const rest = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (typeof value === "string" && !(name in Opened.shape) && name !== "page") rest.set(name, value);
  const all = allOf(earlierConditions(earlier), segment);
  const draft = draftOf(segment === nobody ? {} : all);
  const drawn = draft.nodes.length ? draft : changed(draft, "add");
  return showForm(deps, request, { draft: drawn, rest: String(rest), saved });
}

const Name = z.object({ name: field(line({ min: 1, max: maxSaved.name }), { label: "Name of the segment" }) });
const { name: nameInput } = inputsOf(Name);

type FormState = {
  draft: SegmentDraft;
  rest: string;
  saved?: SavedSegment | undefined;
  name?: string;
  focus?: string | undefined;
  errors?: FieldError[];
  status?: number;
};

async function showForm(deps: Deps, request: Request, { draft, errors = [], status = 200, ...about }: FormState) {
  const frame = await frameOf(deps, request);
  const choices = await fieldChoices(deps.db, segmentIn(draft));
  const { segment } = segmentOf(asShown(draft, choices), choices);
  const count = segment && (await countOf(deps, segment));
  const form = (
    <FilterForm
      {...about}
      frame={frame}
      draft={draft}
      fields={choices}
      count={count}
      errors={errors}
      nameInput={nameInput}
      cancel={listUrl({ path: list, query: Rest.parse(about.rest) }, {})}
    />
  );
  return showDialog(request, {
    frame,
    title: "Filter subscribers",
    extras: ["broadcasts.css"],
    status,
    children: form,
  });
}

/** What is complete in a draft, so that its values are offered. */
const segmentIn = (draft: SegmentDraft): Segment => {
  const all = draft.nodes.flatMap((node) => ("group" in node ? node.group : node));
  const values = all.flatMap(({ field, is, of }) => {
    const value = field === "broadcast" || field === "sequence" ? of[0] : of;
    return readSegment(JSON.stringify({ v: 2, all: [{ field, is, of: value }] }))?.all ?? [];
  });
  return { v: 2, all: values };
};

async function countOf({ db, now }: Deps, segment: Segment): Promise<number> {
  const frozen = await db.read(async (orm) => freeze(segment, await termsOf(orm, now())));
  return countPeople(db, { segment: frozen });
}

/** Counts the people who match while the form is being filled in. */
async function recount(deps: Deps, body: unknown) {
  const draft = draftIn(body);
  const choices = await fieldChoices(deps.db, segmentIn(draft));
  const { segment } = segmentOf(asShown(draft, choices), choices);
  return fragment(<CountedPeople count={segment && (await countOf(deps, segment))} />);
}

async function useFilter(deps: Deps, request: Request, body: unknown) {
  const { do: act = "", rest: query, segment: id } = sentFields(body);
  const rest = typed(body, "rest");
  const saved = typeof id === "string" && id ? await segmentById(deps.db, id) : undefined;
  const sent = draftIn(body);
  const choices = await fieldChoices(deps.db, segmentIn(sent));
  const draft = changed(sent, String(act));
  const again = { draft, rest, saved, name: typed(body, "name") };
  if (act !== "show" && act !== "save" && act !== "change")
    return showForm(deps, request, { ...again, focus: focusAfter(draft, String(act), request) });
  const { segment, errors } = segmentOf(draft, choices);
  if (!segment) return showForm(deps, request, { ...again, errors, status: 422 });
  // as many as were counted, whatever the list was narrowed to before
  const back = { path: list, query: { ...Rest.parse(query), q: "", status: "" } };
  if (act === "show") {
    const where = conditionsOf(segment).length ? JSON.stringify(segment) : "";
    return seeOther(request, listUrl(back, { where }));
  }
  return save(deps, request, { segment, back, again, version: Number(typed(body, "version")) });
}

type Saving = {
  segment: Segment;
  back: Parameters<typeof listUrl>[0];
  again: FormState & { name: string };
  /** The version that was changed; none for a new one. */
  version: number;
};

const refusals = {
  taken: "Another segment has this name. Choose another.",
  full: `There are ${maxSaved.segments} segments. Delete one of them first.`,
  gone: "This segment was deleted in the meantime. Save it as a new one.",
  conflict: "Someone else changed this segment in the meantime. These are your conditions: check them, and save again.",
};

async function save(deps: Deps, request: Request, { segment, back, again, version }: Saving) {
  const { input, errors } = readForm(Name, { name: again.name });
  if (errors) return showForm(deps, request, { ...again, errors, status: 422 });
  const by = actorOf(request);
  const values = { name: input.name, definition: segment };
  const result =
    again.saved && version
      ? await changeSegment(deps.db, { id: again.saved.id, version }, values, by, deps.now())
      : await saveSegment(deps.db, values, by, deps.now());
  if (result.outcome !== "saved")
    return showForm(deps, request, {
      ...again,
      errors: [{ field: "name", message: refusals[result.outcome] }],
      status: result.outcome === "conflict" ? 409 : 422,
    });
  const text = `Segment “${input.name}” saved.`;
  return seeOther(request, listUrl(back, { segment: result.segment.id }), { kind: "good", text });
}

async function deleteSegment(deps: Deps, request: Request, id: string) {
  const result = await removeSegment(deps.db, id, actorOf(request), deps.now());
  if (result.outcome === "used") {
    const text = `Nothing was deleted: ${result.broadcasts} ${result.broadcasts === 1 ? "broadcast" : "broadcasts"} will be sent to this segment. Choose another audience there first.`;
    return seeOther(request, `${list}?segment=${id}`, { kind: "bad", text });
  }
  const text = result.outcome === "removed" ? "Segment deleted." : "This segment has already been deleted.";
  return seeOther(request, list, { kind: "good", text });
}
