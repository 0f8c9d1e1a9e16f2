import { countAudience, draftAudience } from "../../../../db/broadcasts/audience";
import { type Broadcast, byId } from "../../../../db/broadcasts/broadcasts";
import { edit } from "../../../../db/broadcasts/edit";
import { isEverybody, readSegment, type Segment } from "../../../../db/newsletter/segments/definition";
import { listSegments, type SavedSegment } from "../../../../db/newsletter/segments/saved";
import { allTopics } from "../../../../db/newsletter/topics";
import type { FieldError } from "../../../../views/components/forms/field-errors";
import type { Notice } from "../../../../views/components/frame";
import { plural } from "../../../../views/components/list";
import { AudienceForm, Counted } from "../../../../views/dashboard/broadcasts/audience";
import { path } from "../../../../views/dashboard/broadcasts/state";
import type { SegmentDraft } from "../../../../views/dashboard/segments/filter";
import type { JSX } from "../../../../views/jsx/jsx-runtime";
import { fragment } from "../../../http/response";
import type { Deps } from "../../deps";
import { sentFields } from "../../form-input";
import { frameOf, pages } from "../../pages";
import { forManagers } from "../../permissions";
import { seeOther, showDialog } from "../../responses";
import { fieldChoices } from "../../segments/choices";
import {
  asShown,
  changed,
  draftIn,
  draftOf,
  focusAfter,
  segmentOf,
  tagsApart,
  tagsIn,
  withTags,
} from "../../segments/form";
import { extras, gone } from "../broadcasts";

/** The page for choosing a draft's audience. */
export const broadcastAudience = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/:id/audience", ({ request, params: { id } }) => openAudience(deps, request, id))
    .post("/:id/audience", ({ request, params: { id }, body }) => change(deps, request, id, body))
    .post("/:id/audience/count", ({ params: { id }, body }) => count(deps, id, body));

async function openAudience(deps: Deps, request: Request, id: string) {
  const broadcast = await byId(deps.db, id);
  if (broadcast?.kind === "step") return seeOther(request, `${path}/${id}`);
  return broadcast ? askAudience(deps, request, broadcast) : gone(deps, request);
}

/** Shows the form with the current audience. */
export async function askAudience(deps: Deps, request: Request, broadcast: Broadcast, beside?: JSX.Element) {
  const segment = readSegment(broadcast.segment) ?? {};
  const saved = (await listSegments(deps.db)).find(({ row }) => row === broadcast.segmentRow);
  const topic = (await deps.db.read(allTopics)).find(({ row }) => row === broadcast.topicRow);
  const chosen = { ...tagsApart(draftOf(segment)), saved: saved?.id ?? "", topic: topic?.id ?? "" };
  return form(deps, request, broadcast, { ...chosen, beside });
}

type AudienceFormState = {
  /** The conditions, without the tags. */
  draft: SegmentDraft;
  tags: string[];
  /** The ID of the saved segment, "" for conditions of the broadcast's own. */
  saved: string;
  /** The ID of the topic, "" for everyone. */
  topic: string;
  focus?: string | undefined;
  errors?: FieldError[];
  beside?: JSX.Element | undefined;
  status?: number;
};

async function form(deps: Deps, request: Request, broadcast: Broadcast, form: AudienceFormState) {
  const { draft, tags, saved, topic, focus, errors = [], beside, status = 200 } = form;
  const [frame, segments, { fields, segment }] = await Promise.all([
    frameOf(deps, request),
    listSegments(deps.db),
    readDraft(deps, { draft, tags, saved, isForCount: true }),
  ]);
  const people = await countOf(deps, segment, topic);
  const topics = await topicsFor(deps, broadcast);
  const view = { frame, broadcast, draft, tags, focus, fields, saved, segments, topic, topics, count: people, errors };
  return showDialog(request, {
    frame,
    title: "Who gets this email?",
    extras,
    status,
    children: <AudienceForm {...view} />,
    ...(beside && { beside }),
  });
}

type Read = Pick<AudienceFormState, "draft" | "tags" | "saved"> & { isForCount?: boolean };

/** What the form offers, and the segment it says: the saved one, or the conditions. */
async function readDraft(deps: Deps, { draft: sent, tags, saved: id, isForCount = false }: Read) {
  const saved = id ? (await listSegments(deps.db)).find((segment) => segment.id === id) : undefined;
  const usual = await fieldChoices(deps.db, {});
  const draft = isForCount ? asShown(sent, usual) : sent;
  const whole = withTags({ draft, tags });
  const fields = await fieldChoices(deps.db, segmentOf(whole ?? draft, usual).segment ?? {});
  if (saved) return { fields, saved, segment: readSegment(saved.definition), errors: [] };
  if (id) return { fields, saved, errors: [{ field: "saved", message: "This segment was deleted. Choose another." }] };
  const { errors } = segmentOf(draft, fields);
  if (errors.length) return { fields, saved, errors };
  if (!whole) return { fields, saved, errors: [{ field: "kind", message: groupsBesideTags }] };
  return { fields, saved, ...segmentOf(whole, fields) };
}

const groupsBesideTags = "Beside tags, choose “all”, or conditions without groups.";

async function countOf({ db, now }: Deps, segment: Segment | undefined, topic: string) {
  const topicRow = await rowOfTopic(db, topic);
  const audience = segment && (await draftAudience(db, { segment: JSON.stringify(segment), topicRow }, now()));
  return audience && (await countAudience(db, audience));
}

/** Null for everyone. */
const rowOfTopic = async (db: Deps["db"], id: string): Promise<number | null> =>
  (id ? (await db.read(allTopics)).find((topic) => topic.id === id)?.row : null) ?? null;

/** Those that are offered, and the one that it goes to already. */
const topicsFor = async ({ db }: Deps, { topicRow }: Broadcast) =>
  (await db.read(allTopics)).filter(({ archivedAt, row }) => !archivedAt || row === topicRow);

const idIn = (value: unknown) => (typeof value === "string" ? value.slice(0, 36) : "");

const sentIn = (body: unknown) => {
  const { saved, topic } = sentFields(body);
  return { draft: draftIn(body), tags: tagsIn(body), saved: idIn(saved), topic: idIn(topic) };
};

async function change(deps: Deps, request: Request, id: string, body: unknown) {
  const broadcast = await byId(deps.db, id);
  if (!broadcast || broadcast.deletedAt) return gone(deps, request);
  if (broadcast.kind === "step") return seeOther(request, `${path}/${id}`);
  const sent = sentIn(body);
  const { do: act = "", was } = sentFields(body);
  const { saved, segment, errors } = await readDraft(deps, sent);
  if (act !== "use") {
    const draft = changed(sent.draft, String(act));
    const focus = focusAfter(draft, String(act), request);
    return form(deps, request, broadcast, { ...sent, draft, focus });
  }
  if (!segment) return form(deps, request, broadcast, { ...sent, errors, status: 422 });
  if ((await countOf(deps, segment, sent.topic)) === undefined) {
    const message =
      "A broadcast in these conditions does not exist, or it is no longer known who got it. Choose another.";
    return form(deps, request, broadcast, { ...sent, errors: [{ field: "kind", message }], status: 422 });
  }
  if (was !== broadcast.segment) {
    const message =
      "Someone else changed the audience in the meantime. These are your choices: check them, and save again.";
    return form(deps, request, broadcast, { ...sent, errors: [{ field: "kind", message }], status: 409 });
  }
  return save(deps, request, broadcast, { segment, saved, topic: sent.topic });
}

type Chosen = { segment: Segment; saved: SavedSegment | undefined; topic: string };

/** A broadcast with a limited audience is not listed in the archive, unless someone chooses that. */
async function save(deps: Deps, request: Request, broadcast: Broadcast, { segment, saved, topic }: Chosen) {
  const wasLimited = !isEverybody(readSegment(broadcast.segment) ?? {});
  const isHidden = !wasLimited && !isEverybody(segment) && broadcast.archive === "listed";
  const archive = isHidden ? { archive: "unlisted" as const } : {};
  const chosen = { segment, segmentRow: saved?.row ?? null, topicRow: await rowOfTopic(deps.db, topic) };
  const result = await edit(deps.db, broadcast, { ...chosen, ...archive }, deps.now());
  if (result.outcome === "gone") return gone(deps, request);
  if (result.outcome === "conflict")
    return seeOther(request, `${path}/${broadcast.id}`, {
      kind: "bad",
      text: "Nothing changed: it was saved by someone else.",
    });
  const people = plural((await countOf(deps, segment, topic)) ?? 0, "person", "people");
  const about = isHidden ? " On the web it is shown only by its link, because it is not for everyone." : "";
  const notice: Notice = { kind: "good", text: `For ${people}.${about}`, saidBy: "recipients" };
  return seeOther(request, `${path}/${broadcast.id}`, notice);
}

/** Counts the people who match while the form is being filled in. */
async function count(deps: Deps, id: string, body: unknown) {
  const sent = sentIn(body);
  const { segment } = await readDraft(deps, { ...sent, isForCount: true });
  return fragment(<Counted id={id} count={await countOf(deps, segment, sent.topic)} />);
}
