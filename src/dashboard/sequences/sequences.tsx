import { z } from "zod";
import type { Segment } from "../../../db/newsletter/segments/definition";
import { readSegment } from "../../../db/newsletter/segments/definition";
import { listSegments } from "../../../db/newsletter/segments/saved";
import { openTopics } from "../../../db/newsletter/topics";
import { createSequence, type Trigger } from "../../../db/sequences/edit";
import { countsOfSequences } from "../../../db/sequences/report";
import { listSequences, maxSequences } from "../../../db/sequences/sequences";
import type { FieldError } from "../../../views/components/forms/field-errors";
import type { FormState } from "../../../views/components/forms/fields";
import { path, SequenceForm, SequenceList, SequencesHead } from "../../../views/dashboard/sequences/sequences";
import { inputsOf } from "../../fields/field";
import { SequenceFields } from "../../fields/sequences";
import { actorOf } from "../../security/session/session";
import type { Deps } from "../deps";
import { readForm, textFields } from "../form-input";
import { listHandlers } from "../list-handlers";
import { frameOf, pages } from "../pages";
import { forManagers } from "../permissions";
import { seeOther, showDialog } from "../responses";

const { show } = listHandlers({
  path,
  title: "Sequences",
  Query: z.object({}),
  Head: () => <SequencesHead />,
  list: async ({ deps }) => <SequenceList sequences={await counted(deps)} />,
});

async function counted({ db }: Deps) {
  const [all, { emails, people }] = [await listSequences(db), await countsOfSequences(db)];
  return all.map((sequence) => ({
    ...sequence,
    emails: emails.get(sequence.row) ?? 0,
    people: people.get(sequence.row) ?? 0,
  }));
}

/** `/dashboard/sequences`: all sequences, and a new one. */
export const sequencesDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request, query }) => show(deps, request, query))
    .get("/new", ({ request }) => newForm(deps, request, {}))
    .post("/", ({ request, body }) => create(deps, request, body));

const inputs = inputsOf(SequenceFields);

async function newForm(deps: Deps, request: Request, form: Omit<FormState, "inputs">) {
  const frame = await frameOf(deps, request);
  const topics = (await deps.db.read(openTopics)).map(({ slug, name }) => [slug, name] as const);
  const segments = (await listSegments(deps.db)).map(({ id, name }) => [id, name] as const);
  const all = {
    ...inputs,
    topic: { ...inputs.topic, options: [["", "–"] as const, ...topics] },
    segment: { ...inputs.segment, options: [["", "Everyone"] as const, ...segments] },
  };
  const children = <SequenceForm frame={frame} form={{ inputs: all, ...form }} />;
  return showDialog(request, { frame, title: "New sequence", status: form.errors ? 422 : 200, children });
}

const refusals: Record<string, FieldError> = {
  taken: { field: "name", message: "There is a sequence with this name already." },
  full: { field: "name", message: `A site can have ${maxSequences.sequences} sequences.` },
  "no-topic": { field: "topic", message: "Choose the topic that begins it." },
  "no-tag": { field: "tag", message: "There is no place for another tag." },
};

async function create(deps: Deps, request: Request, body: unknown) {
  const values = textFields.parse(body);
  const { input, errors } = readForm(SequenceFields, values);
  if (errors) return newForm(deps, request, { values, errors });
  const refuse = (error: FieldError) => newForm(deps, request, { values, errors: [error] });
  const { name, trigger, tag, topic, segment } = input;
  if (trigger === "tag" && !tag) return refuse({ field: "tag", message: "Enter the tag that begins it." });
  const who = await segmentWith(deps, segment);
  if (!who) return refuse({ field: "segment", message: "This segment was deleted. Choose another one." });
  const of = (trigger === "tag" ? tag : topic) ?? "";
  const begins: Trigger = trigger === "tag" || trigger === "topic" ? { trigger, of } : { trigger };
  const made = await createSequence(deps.db, { ...begins, name, segment: who }, actorOf(request), deps.now());
  const refusal = refusals[made.outcome];
  if (made.outcome !== "saved") return refuse(refusal ?? { field: "name", message: "It could not be saved." });
  return seeOther(request, `${path}/${made.sequence.id}`, { kind: "good", text: `Sequence “${name}” created.` });
}

/** The segment that was chosen, which is everyone without one; undefined if it is gone or cannot be read. */
async function segmentWith({ db }: Deps, id: string | null | undefined): Promise<Segment | undefined> {
  if (!id) return {};
  const saved = (await listSegments(db)).find((segment) => segment.id === id);
  return saved && readSegment(saved.definition);
}
