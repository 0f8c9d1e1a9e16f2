import { z } from "zod";
import type { Segment } from "../../../db/newsletter/segments/definition";
import { readSegment } from "../../../db/newsletter/segments/definition";
import { listSegments } from "../../../db/newsletter/segments/saved";
import { openTopics, topicWithRow } from "../../../db/newsletter/topics";
import { createSequence, redefine, type Trigger } from "../../../db/sequences/edit";
import { countsOfSequences, noCounts } from "../../../db/sequences/report";
import { canBeginAgain, listSequences, maxSequences } from "../../../db/sequences/sequences";
import type { FieldError } from "../../../views/components/forms/field-errors";
import type { FormState } from "../../../views/components/forms/fields";
import { path, SequenceForm, SequenceList, SequencesHead } from "../../../views/dashboard/sequences/sequences";
import { inputsOf } from "../../fields/field";
import { SequenceFields } from "../../fields/sequences";
import { actorOf } from "../../security/session";
import type { Deps } from "../deps";
import { readForm, textFields } from "../form-input";
import { listHandlers } from "../list-handlers";
import { frameOf, pages } from "../pages";
import { forManagers } from "../permissions";
import { seeOther, showDialog } from "../responses";
import { sentencesOf } from "../segments/words";
import { type About, about, answer } from "./about";

const { show } = listHandlers({
  path,
  title: "Sequences",
  Query: z.object({}),
  Head: () => <SequencesHead />,
  list: async ({ deps }) => <SequenceList sequences={await counted(deps)} />,
});

async function counted({ db }: Deps) {
  const [all, counts] = [await listSequences(db), await countsOfSequences(db)];
  return all.map((sequence) => ({ ...sequence, ...(counts.get(sequence.row) ?? noCounts()) }));
}

/** `/dashboard/sequences`: all sequences, and a new one. */
export const sequencesDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request, query }) => show(deps, request, query))
    .get("/new", ({ request }) => newForm(deps, request, {}))
    .post("/", ({ request, body }) => create(deps, request, body))
    .get("/:id/define", ({ request, params }) => about(deps, request, { params }, askToDefine))
    .post("/:id/define", ({ request, params, body }) => about(deps, request, { params, body }, define));

const inputs = inputsOf(SequenceFields);

async function newForm(deps: Deps, request: Request, form: Omit<FormState, "inputs">) {
  const frame = await frameOf(deps, request);
  const children = <SequenceForm frame={frame} form={{ ...(await fieldsFor(deps, everyone)), ...form }} />;
  return showDialog(request, { frame, title: "New sequence", status: form.errors ? 422 : 200, children });
}

type Choices = (readonly [value: string, label: string])[];
const everyone: Choices = [["", "Everyone"]];

/** The fields, with the site's topics and segments. @param first what can be chosen besides saved segments */
async function fieldsFor(deps: Deps, first: Choices): Promise<Pick<FormState, "inputs">> {
  const topics = (await deps.db.read(openTopics)).map(({ slug, name }) => [slug, name] as const);
  const segments = (await listSegments(deps.db)).map(({ id, name }) => [id, name] as const);
  const all = {
    ...inputs,
    topic: { ...inputs.topic, options: [["", "–"] as const, ...topics] },
    segment: { ...inputs.segment, options: [...first, ...segments] },
  };
  return { inputs: all };
}

/** In place of a segment: the one that a sequence has. */
const asItIs = "as-it-is";

async function askToDefine({ deps, request, sequence }: About, form: Omit<FormState, "inputs"> = {}) {
  const frame = await frameOf(deps, request);
  const { name, trigger, tag, topicRow, againDays } = sequence;
  const segment = readSegment(sequence.segment);
  const [words = ""] = await sentencesOf(deps.db, [segment], frame.preferences);
  const choices: Choices = segment && !Object.keys(segment).length ? everyone : [[asItIs, words], ...everyone];
  const topic = topicRow === null ? undefined : await deps.db.read((orm) => topicWithRow(orm, topicRow));
  const values = {
    name,
    trigger,
    tag: tag ?? "",
    topic: topic?.slug ?? "",
    again: String(againDays ?? ""),
    segment: choices[0]?.[0] ?? "",
  };
  const fields = { ...(await fieldsFor(deps, choices)), values, ...form };
  const children = <SequenceForm frame={frame} form={fields} sequence={sequence} />;
  return showDialog(request, { frame, title: `Change “${name}”`, status: form.errors ? 422 : 200, children });
}

async function define(of: About) {
  const { deps, request, seen, body } = of;
  const values = textFields.parse(body);
  const { definition, errors } = await definitionIn(deps, values);
  if (errors) return askToDefine(of, { values, errors });
  const result = await redefine(deps.db, { seen, definition }, actorOf(request), deps.now());
  const refusal = refusals[result.outcome];
  return refusal ? askToDefine(of, { values, errors: [refusal] }) : answer(of, result, "Saved.");
}

const refusals: Record<string, FieldError> = {
  taken: { field: "name", message: "There is a sequence with this name already." },
  full: { field: "name", message: `A site can have ${maxSequences.sequences} sequences.` },
  "no-topic": { field: "topic", message: "Choose the topic that begins it." },
  topic: {
    field: "topic",
    message: "Its emails are about the topic that it began with. Create another sequence for another topic.",
  },
  "no-tag": { field: "tag", message: "There is no place for another tag." },
};

async function create(deps: Deps, request: Request, body: unknown) {
  const values = textFields.parse(body);
  const { definition, errors } = await definitionIn(deps, values);
  if (errors) return newForm(deps, request, { values, errors });
  const { name, segment = {} } = definition;
  const made = await createSequence(deps.db, { ...definition, segment }, actorOf(request), deps.now());
  const refusal = refusals[made.outcome] ?? { field: "name", message: "It could not be saved." };
  if (made.outcome !== "saved") return newForm(deps, request, { values, errors: [refusal] });
  return seeOther(request, `${path}/${made.sequence.id}`, { kind: "good", text: `Sequence “${name}” created.` });
}

type Definition = Trigger & { name: string; segment: Segment | undefined; againDays: number | null };

/** Reads what was entered; without a segment, a sequence keeps the one that it has. */
async function definitionIn(
  deps: Deps,
  values: Record<string, string>,
): Promise<{ definition: Definition; errors?: undefined } | { errors: FieldError[]; definition?: undefined }> {
  // Beside what happens once to everyone, the days are hidden, as is a tag that does not begin it
  const { input, errors } = readForm(SequenceFields, canBeginAgain(values.trigger) ? values : { ...values, again: "" });
  if (errors) return { errors };
  const { name, trigger, tag, topic, segment, again: againDays } = input;
  if (trigger === "tag" && !tag) return { errors: [{ field: "tag", message: "Enter the tag that begins it." }] };
  const who = segment === asItIs ? undefined : await segmentWith(deps, segment);
  if (!who && segment !== asItIs)
    return { errors: [{ field: "segment", message: "This segment was deleted. Choose another one." }] };
  const of = (trigger === "tag" ? tag : topic) ?? "";
  const begins: Trigger = trigger === "tag" || trigger === "topic" ? { trigger, of } : { trigger };
  return { definition: { ...begins, name, segment: who, againDays } };
}

/** The segment that was chosen, which is everyone without one; undefined if it is gone or cannot be read. */
async function segmentWith({ db }: Deps, id: string | null | undefined): Promise<Segment | undefined> {
  if (!id) return {};
  const saved = (await listSegments(db)).find((segment) => segment.id === id);
  return saved && readSegment(saved.definition);
}
