import { countAudience } from "../../../../db/broadcasts/audience/audience";
import { type Broadcast, byId } from "../../../../db/broadcasts/broadcasts";
import { edit } from "../../../../db/broadcasts/edit";
import { received } from "../../../../db/broadcasts/audience/names";
import { isEverybody, readSegment, type Segment } from "../../../../db/broadcasts/audience/segment";
import * as subscriberList from "../../../../db/newsletter/list";
import type { FieldError } from "../../../../views/components/forms/field-errors";
import { plural } from "../../../../views/components/list";
import { type AudienceFields, AudienceForm, Counted } from "../../../../views/dashboard/broadcasts/audience";
import { path } from "../../../../views/dashboard/broadcasts/state";
import type { JSX } from "../../../../views/jsx/jsx-runtime";
import type { Deps } from "../../deps";
import { fragment } from "../../../http/response";
import { sentFields } from "../../form-input";
import { frameOf, pages } from "../../pages";
import { seeOther, showDialog } from "../../responses";
import { fieldsIn, fieldsOf, segmentOf } from "./segment";
import { extras, gone } from "../broadcasts";

/** The page for choosing a draft's audience. */
export const broadcastAudience = (deps: Deps) =>
  pages(path, deps)
    .get("/:id/audience", ({ request, params: { id } }) => openAudience(deps, request, id))
    .post("/:id/audience", ({ request, params: { id }, body }) => change(deps, request, id, body))
    .post("/:id/audience/count", ({ params: { id }, body }) => count(deps, id, body));

async function openAudience(deps: Deps, request: Request, id: string) {
  const broadcast = await byId(deps.db, id);
  return broadcast ? askAudience(deps, request, broadcast) : gone(deps, request);
}

/** Shows the form with the current audience. */
export async function askAudience(deps: Deps, request: Request, broadcast: Broadcast, beside?: JSX.Element) {
  const frame = await frameOf(deps, request);
  const segment = readSegment(broadcast.segment) ?? {};
  const fields = fieldsOf(segment, frame.preferences.timeZone);
  return form(deps, request, broadcast, { fields, segment, beside });
}

type AudienceFormState = {
  fields: AudienceFields;
  segment: Segment | undefined;
  errors?: FieldError[];
  beside?: JSX.Element | undefined;
  status?: number;
};

async function form(deps: Deps, request: Request, broadcast: Broadcast, form: AudienceFormState) {
  const { fields, segment, errors, beside, status = 200 } = form;
  const [frame, sources, others, people] = await Promise.all([
    frameOf(deps, request),
    subscriberList.sources(deps.db),
    received(deps.db, fields.without),
    segment && countAudience(deps.db, segment),
  ]);
  const offered = [...new Set([...sources, ...fields.sources.filter(Boolean)])];
  const view = { frame, broadcast, fields, count: people, sources: offered, others, errors };
  const children = <AudienceForm {...view} />;
  return showDialog(request, {
    frame,
    title: "Who gets this email?",
    extras,
    status,
    children,
    ...(beside && { beside }),
  });
}

async function change(deps: Deps, request: Request, id: string, body: unknown) {
  const broadcast = await byId(deps.db, id);
  if (!broadcast || broadcast.deletedAt) return gone(deps, request);
  const fields = fieldsIn(body);
  const { segment, errors } = segmentOf(fields);
  if (!segment) return form(deps, request, broadcast, { fields, segment, errors, status: 422 });
  if (segment.without && !(await byId(deps.db, segment.without))) {
    const message = "This broadcast does not exist. Choose another.";
    return form(deps, request, broadcast, { fields, segment, errors: [{ field: "without", message }], status: 422 });
  }
  const sent = sentFields(body);
  if (sent.do === "count") return form(deps, request, broadcast, { fields, segment });
  if (sent.was !== broadcast.segment) {
    const message =
      "Someone else changed the audience in the meantime. These are your choices: check them, and save again.";
    return form(deps, request, broadcast, { fields, segment, errors: [{ field: "source", message }], status: 409 });
  }
  return save(deps, request, broadcast, segment);
}

/** A broadcast with a limited audience is not listed in the archive, unless someone chooses that. */
async function save(deps: Deps, request: Request, broadcast: Broadcast, segment: Segment) {
  const wasLimited = !isEverybody(readSegment(broadcast.segment) ?? {});
  const isHidden = !wasLimited && !isEverybody(segment) && broadcast.archive === "listed";
  const archive = isHidden ? { archive: "unlisted" as const } : {};
  const result = await edit(deps.db, broadcast, { segment, ...archive }, deps.now());
  if (result.outcome === "gone") return gone(deps, request);
  if (result.outcome === "conflict")
    return seeOther(request, `${path}/${broadcast.id}`, {
      kind: "bad",
      text: "Nothing changed: it was saved by someone else.",
    });
  const people = plural(await countAudience(deps.db, segment), "person", "people");
  const about = isHidden ? " On the web it is shown only by its link, because it is not for everyone." : "";
  return seeOther(request, `${path}/${broadcast.id}`, { kind: "good", text: `For ${people}.${about}` });
}

/** Counts the people who match while the form is being filled in. */
async function count({ db }: Deps, id: string, body: unknown) {
  const { segment } = segmentOf(fieldsIn(body));
  return fragment(<Counted id={id} count={segment && (await countAudience(db, segment))} />);
}
