import { and, eq, isNotNull } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { emailKey } from "../lib/email-key";
import { hourMs } from "../lib/time";
import * as outbox from "../mail/outbox";
import { mayEmailRecord } from "../mail/caps";
import { isStarted, sequences, sequenceSteps } from "../schema/sequences";
import { type Origin } from "../events/subscriber-events";
import { changePeople } from "./change-people";
import { pause, resume } from "./pause";
import { enterSequences } from "./sequence-entry";
import {
  bringBack,
  countUnsubscribed,
  lockBroadcastOf,
  guarded,
  lockWithKey,
  type Subscriber,
  unsubscribe,
  type UnsubscribeResult,
} from "./subscribers";
import { allTopics, openTopics, type Topic, topicsOfOne } from "./topics";

/* What people set on the page of their own, behind the links in their emails. */

/** Whether they have a page to set anything: who left or never confirmed is asked to subscribe first. */
export const hasPreferences = (person: Subscriber | undefined): person is Subscriber =>
  person?.state === "active" && !person.pendingAt;

type OfferedTopic = { topic: Topic; chosen: boolean };

/** Returns the topics that someone is offered, with archived ones that they still have. */
export const offeredTopics = (db: Db, { row }: Subscriber): Promise<OfferedTopic[]> =>
  db.read(async (orm) => {
    const mine = await topicsOfOne(orm, row);
    const chosen = new Set(mine.filter((each) => each.chosen).map(({ topic }) => topic.row));
    const all = await allTopics(orm);
    return all
      .filter((topic) => !topic.archivedAt || chosen.has(topic.row))
      .map((topic) => ({ topic, chosen: chosen.has(topic.row) }));
  });

export type Preferences = {
  /** By slug: those that the page offered, and those of them that were ticked. The others stay. */
  offered: string[];
  chosen: string[];
  /** Undefined stays, and so does the site's if it is chosen by someone without a language of their own. */
  language: string | undefined;
  siteLanguage: string;
  /** Undefined stays, and null is the site's. */
  timeZone?: string | null | undefined;
  /** Undefined stays. */
  name: string | undefined;
};

/** Who sets something, from where, and when. */
type ByThem = { email: string; origin: Origin; now: Date };

/** Saves what someone set. Returns false if they are not on the list. */
export const savePreferences = (db: Db, { email, origin, now }: ByThem, wanted: Preferences) =>
  db.write(async (orm) => {
    const person = await lockWithKey(orm, emailKey(email));
    if (!hasPreferences(person)) return false;
    const { name, timeZone } = wanted;
    const topics = {
      add: (await openTopics(orm)).filter(({ slug }) => isNamed(slug, wanted.chosen)),
      remove: (await allTopics(orm)).filter(
        ({ slug }) => isNamed(slug, wanted.offered) && !isNamed(slug, wanted.chosen),
      ),
    };
    const isAsBefore = !person.language && wanted.language === wanted.siteLanguage;
    const language = isAsBefore ? undefined : wanted.language;
    const change = { person, topics, details: { name, language, timeZone } };
    const { causes } = await changePeople(orm, [change], origin, now);
    await enterSequences(orm, causes, now);
    return true;
  }, guarded);

/** Returns the topics of someone who left, if there are several: with fewer of them they may come back. */
export async function topicsToReturnTo(db: Db, { row }: Subscriber): Promise<Topic[]> {
  const mine = await db.read((orm) => topicsOfOne(orm, row));
  const chosen = mine.flatMap((each) => (each.chosen && !each.topic.archivedAt ? each.topic : []));
  return chosen.length > 1 ? chosen : [];
}

/** Brings someone back with the topics that they tick, of those that they had. Returns false if they tick none of these. */
export const returnWith = (db: Db, { email, origin, now }: ByThem, slugs: string[]) =>
  db.write(async (orm) => {
    const person = await lockWithKey(orm, emailKey(email));
    if (!person) return false;
    const mine = (await topicsOfOne(orm, person.row)).filter(({ chosen }) => chosen);
    if (!mine.some(({ topic }) => isNamed(topic.slug, slugs))) return false;
    const remove = mine.flatMap(({ topic }) => (isNamed(topic.slug, slugs) ? [] : topic));
    await changePeople(orm, [{ person, topics: { add: [], remove } }], origin, now);
    await bringBack(orm, person, origin, now);
    return true;
  }, guarded);

const isNamed = (slug: string, slugs: string[]) => slugs.includes(slug);

/** Whether any email comes at an hour of the person's day, so that it matters where they are. */
export const hasTimedEmails = (db: Db): Promise<boolean> =>
  db.read(async (orm) => {
    const timed = orm
      .select({ row: sequenceSteps.row })
      .from(sequenceSteps)
      .innerJoin(sequences, eq(sequences.row, sequenceSteps.sequenceRow))
      .where(and(isStarted, isNotNull(sequenceSteps.atMinute)))
      .limit(1);
    return (await timed.get()) !== undefined;
  });

/** Pauses the emails to someone who is on the list, or ends that. */
export const pauseFor = (db: Db, { email, origin, now }: ByThem, until: Date | undefined) =>
  db.write(async (orm) => {
    const person = await lockWithKey(orm, emailKey(email));
    if (!hasPreferences(person)) return;
    if (until) await pause(orm, { person: person.id, until }, origin, now);
    else await resume(orm, [person.id], origin, now);
  }, guarded);

/** How long the link to everything that is stored works. */
export const recordLinkMs = hourMs;

/** Emails someone the link to everything that is stored under their address, as far as the cap allows. */
export const emailRecord = (db: Db, email: string, now: Date) =>
  db.write(async (orm): Promise<"sent" | "capped"> => {
    const person = await lockWithKey(orm, emailKey(email));
    return person && hasPreferences(person) && (await mayEmailRecord(orm, person, now))
      ? enqueueRecord(orm, person, now)
      : "capped";
  }, guarded);

async function enqueueRecord(orm: Orm, { id, email }: Subscriber, now: Date): Promise<"sent"> {
  const payload = { askedAt: String(now.getTime()) };
  await outbox.enqueue(orm, { kind: "record", recipient: email, subjectId: id, payload }, now);
  return "sent";
}

/** What became of someone who leaves a topic: the only one they have is everything. */
type TopicLeft = { outcome: "topic"; topic: Topic; subscriber: Subscriber } | UnsubscribeResult;

/**
 * Leaves one topic. Whoever has no other leaves everything: they would report an email that they get after that as
 * spam. The same happens if the topic does not exist.
 *
 * @param recipient the row of the broadcast's email whose link was used
 */
export async function leaveTopic(
  db: Db,
  { email, origin, now }: ByThem,
  { slug, recipient }: { slug: string; recipient: number | undefined },
): Promise<TopicLeft> {
  const left = await db.write(async (orm): Promise<TopicLeft | undefined> => {
    await lockBroadcastOf(orm, recipient);
    const person = await lockWithKey(orm, emailKey(email));
    const topic = (await allTopics(orm)).find((each) => each.slug === slug);
    if (!topic || !hasPreferences(person)) return;
    const mine = await topicsOfOne(orm, person.row);
    if (!mine.some((each) => each.chosen && each.topic.row !== topic.row)) return;
    const change = { person, topics: { add: [], remove: [topic] } };
    const { changed } = await changePeople(orm, [change], origin, now);
    if (recipient && changed.size) await countUnsubscribed(orm, { recipient, person }, now);
    return { outcome: "topic", topic, subscriber: person };
  }, guarded);
  return left ?? unsubscribe(db, email, origin, now, recipient);
}
