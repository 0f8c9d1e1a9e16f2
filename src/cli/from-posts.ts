import { titlesWaiting } from "../../db/broadcasts/from-posts/digests";
import {
  addRule,
  allRules,
  deleteRule,
  maxRules,
  type Schedule,
  scheduleOf,
  turnRule,
} from "../../db/broadcasts/from-posts/rules";
import type { Db, Orm } from "../../db/engine/open";
import { isTimeZone, minuteOfTime, timeOfMinute } from "../../db/lib/time";
import { allTopics } from "../../db/newsletter/topics";
import { resolveNames } from "../../db/posts/tags";
import { readTimeZone } from "../../db/settings/settings";
import { actor, type Command, type Flags, print, withData } from "./command";

const by = { actor };
const outcomes = ["draft", "send", "digest", "none"] as const;
const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

export const commands: Command[] = [
  {
    usage: "from-posts list [--json]",
    about:
      "List the rules for published posts in their order (ID, status, tag, what posts become, topic, when a digest goes out, how many posts wait for it)",
    options: { json: { type: "boolean" } },
    run: (_, { json }) =>
      withData(async ({ db }) => {
        const rules = await db.read(summariesOf);
        if (json) return void process.stdout.write(`${JSON.stringify(rules)}\n`);
        for (const { id, status, tag, becomes, topic, digest, waiting } of rules) {
          const when = digest ? `${digest.day} ${digest.at} ${digest.zone}` : "–";
          print(id, status, tag ?? "–", becomes, topic ?? "–", when, waiting.length);
        }
      }),
  },
  {
    usage: "from-posts add <becomes> [--tag=NAME] [--topic=SLUG] [--day=D] [--at=T] [--zone=Z]",
    about:
      'Add a rule after the others, which is on, and print its ID. <becomes> is draft, send, digest or none. It is for posts with a tag, or all; what it sends goes to who chose a topic, or everyone. A digest goes out every week, on --day=monday at --at="08:00", unless you say otherwise, in the site’s time zone or --zone',
    options: {
      tag: { type: "string" },
      topic: { type: "string" },
      day: { type: "string" },
      at: { type: "string" },
      zone: { type: "string" },
    },
    run: ([word], flags) =>
      withData(async ({ db, now }) => {
        const becomes = outcomes.find((each) => each === word);
        if (!becomes) throw new Error(`A post becomes ${outcomes.join(", ")}.`);
        const schedule = becomes === "digest" ? await scheduleIn(db, flags) : undefined;
        const tagSlug = await db.read((orm) => tagNamed(orm, flags.tag));
        const topicRow = await db.read((orm) => topicNamed(orm, flags.topic));
        const { outcome, id = "" } = await addRule(db, { becomes, tagSlug, topicRow, schedule }, by, now);
        if (outcome === "full") throw new Error(`A site can have ${maxRules} rules.`);
        if (outcome === "no-tag") throw new Error("No post has this tag. Give it to a post first.");
        print(id);
      }),
  },
  {
    usage: "from-posts on <id>",
    about: "Turn a rule on, for posts that are published from now on",
    run: ([id = ""]) => withData(({ db, now }) => turn(db, { id, isOn: true }, now)),
  },
  {
    usage: "from-posts off <id>",
    about: "Turn a rule off. What it has scheduled is still sent",
    run: ([id = ""]) => withData(({ db, now }) => turn(db, { id, isOn: false }, now)),
  },
  {
    usage: "from-posts delete <id>",
    about: "Delete a rule. What it has scheduled is still sent, what waits for a digest is not",
    run: ([id = ""]) =>
      withData(async ({ db, now }) => {
        if (!(await deleteRule(db, id, by, now))) throw noRule(id);
        print(id, "deleted");
      }),
  },
];

const noRule = (id: string) => new Error(`No rule with the ID ${id}.`);

async function turn(db: Db, wanted: { id: string; isOn: boolean }, now: Date): Promise<void> {
  if (!(await turnRule(db, wanted, by, now))) throw noRule(wanted.id);
  print(wanted.id, wanted.isOn ? "on" : "off");
}

async function scheduleIn(db: Db, { day = "monday", at = "08:00", zone }: Flags): Promise<Schedule> {
  const weekday = weekdays.indexOf(String(day).toLowerCase()) + 1;
  if (!weekday) throw new Error(`--day is ${weekdays.join(", ")}.`);
  const minute = minuteOfTime(String(at));
  if (minute === undefined) throw new Error('--at is a time, such as "08:00".');
  if (zone !== undefined && !isTimeZone(String(zone)))
    throw new Error("--zone is the name of a time zone, such as Europe/Lisbon.");
  return { weekday, minute, zone: String(zone ?? (await readTimeZone(db)) ?? "UTC") };
}

async function tagNamed(orm: Orm, name: Flags[string]): Promise<string | null> {
  if (name === undefined) return null;
  const [tag] = await resolveNames(orm, [String(name)]);
  return tag?.slug ?? "";
}

async function topicNamed(orm: Orm, wanted: Flags[string]): Promise<number | null> {
  if (wanted === undefined) return null;
  const topic = (await allTopics(orm)).find(({ slug, archivedAt }) => slug === wanted && !archivedAt);
  if (!topic) throw new Error("There is no topic with this slug. Add it in the dashboard first.");
  return topic.row;
}

/** The rules as JSON has them. */
async function summariesOf(orm: Orm) {
  const topics = new Map((await allTopics(orm)).map(({ row, slug }) => [row, slug]));
  const summaries = [];
  for (const rule of await allRules(orm)) {
    const { id, offReason, tagSlug: tag, becomes, topicRow, nextAt } = rule;
    const schedule = scheduleOf(rule);
    const digest = schedule && {
      day: weekdays[schedule.weekday - 1] ?? "",
      at: timeOfMinute(schedule.minute),
      zone: schedule.zone,
      next: offReason === null && nextAt ? nextAt.toISOString() : null,
    };
    summaries.push({
      id,
      status: offReason === null ? "on" : "off",
      reason: offReason,
      tag,
      becomes,
      topic: topics.get(topicRow ?? 0) ?? null,
      digest: digest ?? null,
      waiting: schedule ? await titlesWaiting(orm, rule) : [],
    });
  }
  return summaries;
}
