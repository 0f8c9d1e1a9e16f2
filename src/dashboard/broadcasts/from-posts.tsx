import { z } from "zod";
import {
  addRule,
  allRules,
  deleteRule,
  editRule,
  maxRules,
  moveRuleUp,
  type PostRule,
  turnRule,
} from "../../../db/broadcasts/from-posts/rules";
import { allTopics } from "../../../db/newsletter/topics";
import { find as findTag, resolveNames } from "../../../db/posts/tags/tags";
import type { FormState, Input } from "../../../views/components/forms/fields";
import {
  FromPostsHead,
  type NamedRule,
  path,
  RuleForm,
  RuleList,
} from "../../../views/dashboard/broadcasts/from-posts";
import { field, inputsOf } from "../../fields/field";
import { optional } from "../../http/request-schemas";
import { line } from "../../platform/text/schemas";
import { actorOf } from "../../security/session/session";
import type { Deps } from "../deps";
import { readForm, textFields } from "../form-input";
import { listHandlers } from "../list-handlers";
import { frameOf, pages } from "../pages";
import { forManagers } from "../permissions";
import { showDialog } from "../responses";

const outcomes = [
  ["draft", "A draft newsletter"],
  ["send", "A newsletter that is sent 10 minutes later"],
  ["none", "Nothing"],
] as const;

const RuleFields = z.object({
  tag: field(optional(line({ max: 100 })), {
    label: "Posts with the tag (optional)",
    hint: "Leave it empty for all posts.",
  }),
  becomes: field(z.enum(["draft", "send", "none"], "Choose one of them."), {
    label: "Become",
    hint: "What is sent automatically can be stopped under Broadcasts until it starts, and is a draft if a check fails.",
    options: outcomes,
  }),
  topic: field(z.string().max(100), { label: "For", options: [["", "Everyone"]] }),
});

const { show, doneWith } = listHandlers({
  path,
  title: "From posts",
  Query: z.object({}),
  Head: () => <FromPostsHead />,
  list: async ({ deps, frame }) => <RuleList frame={frame} rules={await namedRules(deps)} />,
});

const namedRules = ({ db }: Pick<Deps, "db">): Promise<NamedRule[]> =>
  db.read(async (orm) => {
    const topics = new Map((await allTopics(orm)).map(({ row, name }) => [row, name]));
    const rules: NamedRule[] = [];
    for (const rule of await allRules(orm)) {
      const tag = rule.tagSlug === null ? undefined : await findTag(orm, rule.tagSlug);
      rules.push({ ...rule, tag: tag?.name, topic: topics.get(rule.topicRow ?? 0) });
    }
    return rules;
  });

/** `/dashboard/broadcasts/from-posts`: what a published post becomes. */
export const fromPostsDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request, query }) => show(deps, request, query))
    .get("/new", ({ request }) => form(deps, request, undefined, { values: { becomes: "draft" } }))
    .post("/", ({ request, body }) => save(deps, request, undefined, body))
    .get("/:id/edit", ({ request, params: { id } }) => askToEdit(deps, request, id))
    .post("/:id/edit", ({ request, params: { id }, body }) => save(deps, request, id, body))
    .post("/:id/up", ({ request, params: { id } }) => moveUp(deps, request, id))
    .post("/:id/on", ({ request, params: { id } }) => turn(deps, request, id, true))
    .post("/:id/off", ({ request, params: { id } }) => turn(deps, request, id, false))
    .post("/:id/delete", ({ request, params: { id } }) => remove(deps, request, id));

const done = (deps: Deps, request: Request, text: string) => doneWith(deps, request, { kind: "good", text });
const gone = (deps: Deps, request: Request) => done(deps, request, "This rule has already been deleted.");

/** The topics that are offered, and the one that the rule has. */
async function inputsFor({ db }: Deps, topic: string | null | undefined): Promise<Record<string, Input>> {
  const { topic: input, ...others } = inputsOf(RuleFields);
  const topics = (await db.read(allTopics)).filter(({ id, archivedAt }) => !archivedAt || id === topic);
  const options = [["", "Everyone"], ...topics.map(({ id, name }) => [id, `Who chose ${name}`] as const)] as const;
  return { ...others, topic: { ...input, options } };
}

/** @param id of the rule; undefined for a new one */
async function form(deps: Deps, request: Request, id: string | undefined, state: Omit<FormState, "inputs">) {
  const frame = await frameOf(deps, request);
  const [title, verb] = id ? ["Edit rule", "Save"] : ["Add rule", "Add rule"];
  const action = id ? `${path}/${id}/edit` : path;
  const inputs = await inputsFor(deps, state.values?.topic);
  const children = <RuleForm frame={frame} form={{ ...state, inputs }} action={action} verb={verb} />;
  return showDialog(request, { frame, title, status: state.errors ? 422 : 200, children });
}

async function askToEdit(deps: Deps, request: Request, id: string) {
  const rule = (await namedRules(deps)).find((each) => each.id === id);
  if (!rule) return gone(deps, request);
  const topic = (await deps.db.read(allTopics)).find(({ row }) => row === rule.topicRow)?.id ?? "";
  const { becomes, tag, tagSlug } = rule;
  return form(deps, request, id, { values: { becomes, tag: tag ?? tagSlug ?? "", topic } });
}

async function save({ db, ...others }: Deps, request: Request, id: string | undefined, body: unknown) {
  const deps = { db, ...others };
  const values = textFields.parse(body);
  const refused = (name: string, message: string) =>
    form(deps, request, id, { values, errors: [{ field: name, message }] });
  const { input, errors } = readForm(RuleFields, { topic: "", ...values });
  if (errors) return form(deps, request, id, { values, errors });
  const topic = (await db.read(allTopics)).find((each) => each.id === input.topic);
  if (input.topic && !topic) return refused("topic", "This topic has been deleted. Choose another one.");
  const [tag] = await db.read((orm) => resolveNames(orm, input.tag ? [input.tag] : []));
  const tagSlug = input.tag ? (tag?.slug ?? "") : null;
  const rule = { becomes: input.becomes, tagSlug, topicRow: topic?.row ?? null };
  const [by, now] = [actorOf(request), deps.now()];
  const { outcome } = await (id ? editRule(db, { id, ...rule }, by, now) : addRule(db, rule, by, now));
  if (outcome === "gone") return gone(deps, request);
  if (outcome === "no-tag") return refused("tag", "No post has this tag. Give it to a post first.");
  if (outcome === "full") return refused("becomes", `A site can have ${maxRules} rules. Delete one first.`);
  return done(deps, request, id ? "Rule saved." : "Rule added.");
}

async function moveUp(deps: Deps, request: Request, id: string) {
  return (await moveRuleUp(deps.db, id)) ? done(deps, request, "Rule moved up.") : gone(deps, request);
}

async function turn(deps: Deps, request: Request, id: string, isOn: boolean) {
  const rule: PostRule | undefined = await turnRule(deps.db, { id, isOn }, actorOf(request), deps.now());
  if (!rule) return gone(deps, request);
  return done(deps, request, isOn ? "Rule turned on." : "Rule turned off. What it has scheduled is still sent.");
}

async function remove(deps: Deps, request: Request, id: string) {
  const isDeleted = await deleteRule(deps.db, id, actorOf(request), deps.now());
  return isDeleted ? done(deps, request, "Rule deleted. What it has scheduled is still sent.") : gone(deps, request);
}
