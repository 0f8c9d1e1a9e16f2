import { z } from "zod";
import {
  addTopic,
  allTopics,
  archiveTopic,
  countsOfTopics,
  deleteTopic,
  editTopic,
  maxTopics,
  moveTopic,
} from "../../../db/newsletter/topics";
import type { FormState } from "../../../views/components/forms/fields";
import { type CountedTopic, path, TopicForm, TopicList, TopicsHead } from "../../../views/dashboard/newsletter/topics";
import { TopicFields } from "../../fields/audience";
import { inputsOf } from "../../fields/field";
import { actorOf } from "../../security/session";
import type { Deps } from "../deps";
import { readForm, textFields } from "../form-input";
import { listHandlers } from "../list-handlers";
import { frameOf, pages } from "../pages";
import { forManagers } from "../permissions";
import { showDialog } from "../responses";

const inputs = inputsOf(TopicFields);

const { show, doneWith } = listHandlers({
  path,
  title: "Topics",
  Query: z.object({}),
  Head: () => <TopicsHead />,
  list: async ({ deps, frame }) => <TopicList frame={frame} topics={await countedTopics(deps)} />,
});

const countedTopics = ({ db }: Deps): Promise<CountedTopic[]> =>
  db.read(async (orm) => {
    const people = await countsOfTopics(orm);
    return (await allTopics(orm)).map((topic) => ({ ...topic, people: people.get(topic.row) ?? 0 }));
  });

/** `/dashboard/newsletter/topics`: what people can choose to read. */
export const topicsDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request, query }) => show(deps, request, query))
    .get("/new", ({ request }) => form(deps, request, undefined, { inputs }))
    .post("/", ({ request, body }) => save(deps, request, undefined, body))
    .get("/:id/edit", ({ request, params: { id } }) => askToEdit(deps, request, id))
    .post("/:id/edit", ({ request, params: { id }, body }) => save(deps, request, id, body))
    .post("/:id/up", ({ request, params: { id } }) => moveUp(deps, request, id))
    .post("/:id/archive", ({ request, params: { id } }) => archive(deps, request, id, true))
    .post("/:id/restore", ({ request, params: { id } }) => archive(deps, request, id, false))
    .post("/:id/delete", ({ request, params: { id } }) => remove(deps, request, id));

const gone = (deps: Deps, request: Request) =>
  doneWith(deps, request, { kind: "good", text: "This topic has already been deleted." });
const done = (deps: Deps, request: Request, text: string) => doneWith(deps, request, { kind: "good", text });

/** @param id of the topic; undefined for a new one */
async function form(deps: Deps, request: Request, id: string | undefined, state: FormState) {
  const frame = await frameOf(deps, request);
  const [title, verb] = id ? ["Edit topic", "Save"] : ["Add topic", "Add topic"];
  const action = id ? `${path}/${id}/edit` : path;
  const isDefault = state.values?.isDefault === "yes";
  const children = <TopicForm frame={frame} form={state} action={action} isDefault={isDefault} verb={verb} />;
  return showDialog(request, { frame, title, status: state.errors ? 422 : 200, children });
}

async function askToEdit(deps: Deps, request: Request, id: string) {
  const topic = (await deps.db.read(allTopics)).find((each) => each.id === id);
  if (!topic) return gone(deps, request);
  const { name, sentence, isDefault } = topic;
  return form(deps, request, id, { inputs, values: { name, sentence, isDefault: isDefault ? "yes" : "" } });
}

const refusals = {
  taken: "There is a topic with this name already, or with its name in links.",
  full: `A site can have ${maxTopics} topics.`,
};

async function save({ db, ...deps }: Deps, request: Request, id: string | undefined, body: unknown) {
  const all = { db, ...deps };
  const values = textFields.parse(body);
  const { input, errors } = readForm(TopicFields, values);
  if (errors) return form(all, request, id, { inputs, values, errors });
  const { name, sentence = "" } = input;
  const topic = { name, sentence: sentence ?? "", isDefault: values.isDefault === "yes" };
  const [by, now] = [actorOf(request), deps.now()];
  const saved = await (id ? editTopic(db, { id, ...topic }, by, now) : addTopic(db, topic, by, now));
  if (saved.outcome === "gone") return gone(all, request);
  if (saved.outcome === "saved") return done(all, request, `Topic “${name}” saved.`);
  const problems = [{ field: "name", message: refusals[saved.outcome] }];
  return form(all, request, id, { inputs, values, errors: problems });
}

async function moveUp(deps: Deps, request: Request, id: string) {
  const topic = await moveTopic(deps.db, id, -1);
  return topic ? done(deps, request, `Topic “${topic.name}” moved up.`) : gone(deps, request);
}

async function archive(deps: Deps, request: Request, id: string, isArchived: boolean) {
  const topic = await archiveTopic(deps.db, { id, isArchived }, actorOf(request), deps.now());
  if (!topic) return gone(deps, request);
  const text = isArchived
    ? `Topic “${topic.name}” archived. It is no longer offered; those who chose it keep it.`
    : `Topic “${topic.name}” is offered again.`;
  return done(deps, request, text);
}

async function remove(deps: Deps, request: Request, id: string) {
  const outcome = await deleteTopic(deps.db, id, actorOf(request), deps.now());
  if (outcome === "gone") return gone(deps, request);
  if (outcome === "deleted") return done(deps, request, "Topic deleted.");
  const text = "People have chosen this topic, or a broadcast went to it, so it cannot be deleted. Archive it instead.";
  return doneWith(deps, request, { kind: "bad", text });
}
