import { z } from "zod";
import { maxPosts, titlesWaiting } from "../../../db/broadcasts/from-posts/digests";
import {
  addRule,
  allRules,
  deleteRule,
  editRule,
  maxRules,
  moveRuleUp,
  type PostRule,
  scheduleOf,
  skipWaiting,
  turnRule,
} from "../../../db/broadcasts/from-posts/rules";
import { isTimeZone, minuteOfTime, timeOfMinute } from "../../../db/lib/time";
import { allTopics } from "../../../db/newsletter/topics";
import { find as findTag, resolveNames } from "../../../db/posts/tags";
import { readTimeZone } from "../../../db/settings/settings";
import type { FormState, Input } from "../../../views/components/forms/fields";
import {
  FromPostsHead,
  type NamedRule,
  path,
  RuleForm,
  RuleList,
  weekdays,
} from "../../../views/dashboard/broadcasts/from-posts";
import { field, inputsOf } from "../../fields/field";
import { optional } from "../../http/request-schemas";
import { line } from "../../platform/text/schemas";
import { actorOf } from "../../security/session";
import type { Deps } from "../deps";
import { readForm, textFields } from "../form-input";
import { listHandlers } from "../list-handlers";
import { frameOf, pages } from "../pages";
import { forManagers } from "../permissions";
import { showDialog } from "../responses";

const outcomes = [
  ["draft", "A draft newsletter"],
  ["send", "A newsletter that is sent 10 minutes later"],
  ["digest", "A part of a weekly digest"],
  ["none", "Nothing"],
] as const;

const RuleFields = z.object({
  tag: field(optional(line({ max: 100 })), {
    label: "Posts with the tag (optional)",
    hint: "Leave it empty for all posts.",
  }),
  becomes: field(z.enum(["draft", "send", "digest", "none"], "Choose one of them."), {
    label: "Become",
    hint: "What is sent automatically can be stopped under Broadcasts until it starts, and is a draft if a check fails.",
    options: outcomes,
  }),
  topic: field(z.string().max(100), { label: "For", options: [["", "Everyone"]] }),
  weekday: field(z.enum(["1", "2", "3", "4", "5", "6", "7"], "Choose a day."), {
    label: "A digest goes out on",
    options: weekdays.map((name, at) => [String(at + 1), name] as const),
  }),
  time: field(
    z.string().refine((text) => minuteOfTime(text) !== undefined, "Enter a time, such as 08:00."),
    {
      label: "At",
      type: "time",
    },
  ),
  zone: field(
    optional(line({ max: 60 })).refine(
      (text) => !text || isTimeZone(text),
      "Enter the name of a time zone, such as Europe/Lisbon.",
    ),
    { label: "In the time zone (optional)", hint: "Leave it empty for the site’s." },
  ),
});
const defaults = { topic: "", weekday: "1", time: "08:00", zone: "" };

const { show, doneWith } = listHandlers({
  path,
  title: "From posts",
  Query: z.object({}),
  Head: () => <FromPostsHead />,
  list: async ({ deps, frame }) => <RuleList frame={frame} rules={await namedRules(deps)} most={maxPosts} />,
});

const namedRules = ({ db }: Pick<Deps, "db">): Promise<NamedRule[]> =>
  db.read(async (orm) => {
    const topics = new Map((await allTopics(orm)).map(({ row, name }) => [row, name]));
    const rules: NamedRule[] = [];
    for (const rule of await allRules(orm)) {
      const tag = rule.tagSlug === null ? undefined : await findTag(orm, rule.tagSlug);
      const waiting = rule.becomes === "digest" ? await titlesWaiting(orm, rule) : [];
      const time = timeOfMinute(rule.minute ?? 0);
      rules.push({ ...rule, tag: tag?.name, topic: topics.get(rule.topicRow ?? 0), time, waiting });
    }
    return rules;
  });

/** `/dashboard/broadcasts/from-posts`: what a published post becomes. */
export const fromPostsDashboard = (deps: Deps) =>
  pages(path, deps, forManagers)
    .get("/", ({ request, query }) => show(deps, request, query))
    .get("/new", ({ request }) => form(deps, request, undefined, { values: { ...defaults, becomes: "draft" } }))
    .post("/", ({ request, body }) => save(deps, request, undefined, body))
    .get("/:id/edit", ({ request, params: { id } }) => askToEdit(deps, request, id))
    .post("/:id/edit", ({ request, params: { id }, body }) => save(deps, request, id, body))
    .post("/:id/up", ({ request, params: { id } }) => moveUp(deps, request, id))
    .post("/:id/on", ({ request, params: { id } }) => turn(deps, request, id, true))
    .post("/:id/off", ({ request, params: { id } }) => turn(deps, request, id, false))
    .post("/:id/skip", ({ request, params: { id } }) => skip(deps, request, id))
    .post("/:id/delete", ({ request, params: { id } }) => remove(deps, request, id));

const done = (deps: Deps, request: Request, text: string) => doneWith(deps, request, { kind: "good", text });
const gone = (deps: Deps, request: Request) => done(deps, request, "This rule has already been deleted.");

/** The topics that are offered, and the one that the rule has. */
async function inputsFor({ db }: Deps, topic: string | null | undefined): Promise<Record<string, Input>> {
  const inputs = inputsOf(RuleFields);
  const topics = (await db.read(allTopics)).filter(({ id, archivedAt }) => !archivedAt || id === topic);
  const options = [["", "Everyone"], ...topics.map(({ id, name }) => [id, `Who chose ${name}`] as const)] as const;
  return { ...inputs, topic: { ...inputs.topic, options } };
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
  const schedule = scheduleOf(rule);
  const times = schedule && {
    weekday: String(schedule.weekday),
    time: timeOfMinute(schedule.minute),
    zone: schedule.zone,
  };
  return form(deps, request, id, { values: { ...defaults, ...times, becomes, tag: tag ?? tagSlug ?? "", topic } });
}

async function save({ db, ...others }: Deps, request: Request, id: string | undefined, body: unknown) {
  const deps = { db, ...others };
  const values = { ...defaults, ...textFields.parse(body) };
  const refused = (name: string, message: string) =>
    form(deps, request, id, { values, errors: [{ field: name, message }] });
  const { input, errors } = readForm(RuleFields, values);
  if (errors) return form(deps, request, id, { values, errors });
  const topic = (await db.read(allTopics)).find((each) => each.id === input.topic);
  if (input.topic && !topic) return refused("topic", "This topic has been deleted. Choose another one.");
  const [tag] = await db.read((orm) => resolveNames(orm, input.tag ? [input.tag] : []));
  const tagSlug = input.tag ? (tag?.slug ?? "") : null;
  const { becomes, weekday, time } = input;
  const zone = input.zone || (await readTimeZone(db)) || "UTC";
  const schedule =
    becomes === "digest" ? { weekday: Number(weekday), minute: minuteOfTime(time) ?? 0, zone } : undefined;
  const rule = { becomes, tagSlug, topicRow: topic?.row ?? null, schedule };
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

async function skip(deps: Deps, request: Request, id: string) {
  const isSkipped = await skipWaiting(deps.db, id, actorOf(request), deps.now());
  return isSkipped ? done(deps, request, "The posts that waited are left out of the digest.") : gone(deps, request);
}

async function remove(deps: Deps, request: Request, id: string) {
  const isDeleted = await deleteRule(deps.db, id, actorOf(request), deps.now());
  return isDeleted ? done(deps, request, "Rule deleted. What it has scheduled is still sent.") : gone(deps, request);
}
