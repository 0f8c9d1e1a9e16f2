import { eq, lt } from "drizzle-orm";
import { together } from "../async/turns";
import * as audit from "../audit";
import { forUpdate } from "../engine/dialects";
import type { Db, Orm } from "../engine/open";
import type { Origin } from "../events/subscriber-events";
import { deleteInCommits, giveWay } from "../lib/bulk";
import { emailKey, mailboxKey } from "../lib/email-key";
import { fold } from "../lib/fold";
import { dayMs } from "../lib/time";
import { subscribers } from "../schema/newsletter";
import { apiBatches, type NamedResult } from "../schema/shared";
import { erasures } from "../schema/suppressions";
import { isForgotten, knownHashOf } from "../suppressions/suppressions";
import { changePeople } from "./change-people";
import { type DetailName, type Details, eachDetail } from "./details";
import type { FieldChange } from "./fields";
import { isDoubleOptIn } from "./pending";
import { enterSequences } from "./sequence-entry";
import {
  type Consent,
  guarded,
  lockWithKey,
  type NewSubscriber,
  subscribeIn,
  type Subscriber,
  unsubscribeIn,
} from "./subscribers";
import { ensureTags, type Tag, type TagNames, tagsNamed } from "./tags";
import { type Topic, topicsNamed } from "./topics";

/* What a site's program says of people with an API key. They come back by their own action alone. */

/** Someone whom a program names. Topics by their slugs; without any, a new person gets the default ones. */
export type NamedPerson = NewSubscriber & {
  tags: string[];
  fields: FieldChange["values"];
  consent: Consent;
};

/**
 * What became of them. `left`, `suppressed` and `blocked` get no email; of whom was erased, nothing is stored.
 * `ignored`: what they left themselves, or the site has no place for, as paths such as `topics.recipes`.
 */
type Named =
  | { result: "created" | "known" | "left" | "suppressed"; subscriber: Subscriber; ignored: string[] }
  | { result: "blocked" };

/** Someone was erased at the same moment: the transaction is to be run again. */
class ErasedMeanwhile extends Error {}

/** `tags`: those of the site by now. */
type Circumstances = { tags: Tag[]; origin: Origin };

/** Adds someone, or adds what is new about someone who is here: nothing is taken away. */
async function nameIn(orm: Orm, person: NamedPerson, of: Circumstances, now: Date): Promise<Named> {
  const current = await lockWithKey(orm, emailKey(person.email));
  if (!current) return (await isErased(orm, person.email)) ? { result: "blocked" } : addNew(orm, person, of, now);
  if (hasLeft(current)) return askAgain(orm, current, { person, origin: of.origin }, now);
  return addTo(orm, current, { person, ...of }, now);
}

/** Who left is asked to confirm at most: until then, they are as they were. */
const hasLeft = ({ state, pendingAt, unsubscribedAt }: Subscriber) =>
  state === "unsubscribed" || (pendingAt !== null && unsubscribedAt !== null);

/** Whether the person was erased: with or without a suppression, only they bring themselves back. */
async function isErased(orm: Orm, email: string): Promise<boolean> {
  if (await isForgotten(orm, email)) return true;
  const hash = await knownHashOf(orm, email);
  if (hash === undefined) return false;
  const done = await orm.select({ scope: erasures.scope }).from(erasures).where(eq(erasures.hash, hash)).all();
  return done.some(({ scope }) => scope.includes("subscription"));
}

async function addNew(orm: Orm, person: NamedPerson, { tags, origin }: Circumstances, now: Date): Promise<Named> {
  const { tags: names, fields, consent, ...input } = person;
  const added = await subscribeIn(orm, input, origin, now, { consent, onlyNew: true });
  if (!added.changed) return nameIn(orm, person, { tags, origin }, now); // someone else has just added them
  if (await isErased(orm, person.email)) throw new ErasedMeanwhile();
  const { subscriber, isSuppressed } = added;
  const add = tagsOf(tags, names);
  const { causes } = await changePeople(
    orm,
    [{ person: subscriber, tags: { add, remove: [] }, fields }],
    undefined,
    now,
  );
  await enterSequences(orm, [{ trigger: "subscribed", rows: [subscriber.row] }, ...causes], now); // by what is known now
  const result = isSuppressed ? "suppressed" : "created";
  return { result, subscriber, ignored: withoutPlace(names, add) };
}

/**
 * With double opt-in, who has agreed since they left gets the link to confirm, which alone brings them back. That is
 * once for each time that they agreed: a program may send the same people every night.
 */
async function askAgain(
  orm: Orm,
  current: Subscriber,
  { person, origin }: { person: NamedPerson; origin: Origin },
  now: Date,
): Promise<Named> {
  const { consent, email } = person;
  const earlier = Math.max(current.unsubscribedAt?.getTime() ?? now.getTime(), current.consentAt?.getTime() ?? 0);
  const isNews = current.state === "unsubscribed" && !current.suppressedAt && consent.at.getTime() > earlier;
  if (isNews && (await isDoubleOptIn(orm))) await subscribeIn(orm, { email, topics: [] }, origin, now, { consent });
  const subscriber = (await lockWithKey(orm, current.emailKey)) ?? current;
  return { result: "left", subscriber, ignored: [] };
}

async function addTo(
  orm: Orm,
  current: Subscriber,
  { person, tags, origin }: Circumstances & { person: NamedPerson },
  now: Date,
): Promise<Named> {
  const add = tagsOf(tags, person.tags);
  const topics = { add: await topicsNamed(orm, person.topics ?? []), remove: [] };
  const isNews = (name: DetailName) => !current[name] && name !== "source"; // how they came is known
  const details = eachDetail((name) => (isNews(name) && person[name]) || undefined);
  const change = { person: current, tags: { add, remove: [] }, topics, fields: person.fields, details };
  const { ignored, causes } = await changePeople(orm, [change], origin, now);
  await enterSequences(orm, causes, now);
  const subscriber = (await lockWithKey(orm, current.emailKey)) ?? current;
  return {
    result: current.suppressedAt ? "suppressed" : "known",
    subscriber,
    ignored: [...(ignored.get(current.row) ?? []).map(topicPath), ...withoutPlace(person.tags, add)],
  };
}

/** What a program changes about someone. What is undefined stays; null is none. */
export type Patch = {
  details: Details;
  tags: TagNames;
  topics: { add: Topic[]; remove: Topic[] };
  fields: FieldChange["values"];
  /** Whether they leave. Programs bring no one back. */
  leaves: boolean;
};

/** Changes someone. Returns what was ignored, as above; undefined if there is no such subscriber. */
export async function changeOne(
  db: Db,
  { id, patch }: { id: string; patch: Patch },
  { origin, by }: { origin: Origin; by: audit.Actor },
  now: Date,
): Promise<string[] | undefined> {
  const tags = await ensureTags(db, patch.tags.add, now);
  return db.write(async (orm) => {
    const isOne = forUpdate(eq(subscribers.id, id));
    const person = await orm.select().from(subscribers).where(isOne).get();
    if (!person) return;
    const { topics, fields, details } = patch;
    const change = { tags: { add: tags, remove: await tagsNamed(orm, patch.tags.remove) }, topics, fields, details };
    const { ignored, causes } = await changePeople(orm, [{ person, ...change }], origin, now);
    if (patch.leaves && (await unsubscribeIn(orm, person.emailKey, origin, now)))
      await audit.record(orm, { ...by, action: "subscriber.unsubscribe", targetId: id, target: person.email }, now);
    await enterSequences(orm, causes, now); // who leaves begins nothing
    return [...(ignored.get(person.row) ?? []).map(topicPath), ...withoutPlace(patch.tags.add, tags)];
  }, guarded);
}

const topicPath = ({ slug }: Topic) => `topics.${slug}`;

/** Those of the site's tags that have one of these names. */
function tagsOf(tags: Tag[], names: string[]): Tag[] {
  const keys = new Set(names.map(fold));
  return tags.filter(({ folded }) => keys.has(folded));
}

const withoutPlace = (names: string[], tags: Tag[]) =>
  names.filter((name) => !tags.some(({ folded }) => folded === fold(name))).map((name) => `tags.${name}`);

/* Many people whom a program names, a hundred in a commit. */

/** Someone to be stored, with what is ignored already, or why they cannot be. */
export type Entry = { person: NamedPerson; ignored: string[]; faults?: undefined } | Invalid;
type Invalid = { faults: { field: string; message: string }[] };

/** What identifies a repeated request, as hashes. */
type RepeatableBatch = { key: string; fingerprint: string };

type Terms = {
  origin: Origin;
  /** Who is named in the audit log, where it has an entry. */
  by?: audit.Actor | undefined;
  repeatable?: RepeatableBatch | undefined;
};

const peoplePerCommit = 100;
const retentionMs = dayMs;

/**
 * Stores these people, and returns what became of each, in their order. With a key, the results are kept in the commit
 * that stores the people: a repetition within 24 hours, also after a crash or beside the first request, goes on from
 * there and returns the same. "conflict" if the key was used for others.
 */
export async function nameAll(db: Db, people: Entry[], terms: Terms, now: Date): Promise<NamedResult[] | "conflict"> {
  let results: NamedResult[] | "conflict" = [];
  do {
    const from: number = results.length;
    const slice = people.slice(from, from + peoplePerCommit);
    const names = slice.flatMap((entry) => (entry.faults ? [] : entry.person.tags));
    const tags = await ensureTags(db, names, now);
    const before: NamedResult[] = results;
    const work = async (orm: Orm) => {
      const kept = terms.repeatable ? await lockResults(orm, terms.repeatable, now) : before;
      if (kept === "conflict" || kept.length !== from) return kept; // another process was here meanwhile
      const all = [...kept, ...(await nameSlice(orm, slice, { tags, ...terms }, now))];
      if (terms.repeatable) await keep(orm, terms.repeatable, all);
      return all;
    };
    results = await db.write(work, guarded).catch((error: unknown) => {
      if (error instanceof ErasedMeanwhile) return before;
      throw error;
    });
    if (results === "conflict") return results;
    await giveWay(db);
  } while (results.length < people.length);
  return results;
}

async function nameSlice(orm: Orm, slice: Entry[], { tags, origin, by }: Terms & { tags: Tag[] }, now: Date) {
  const results = await nameInOrder(orm, slice, { tags, origin }, now);
  const created = results.filter(({ result }) => result === "created").length;
  const others = results.filter(({ result }) => result === "known" || result === "suppressed").length;
  const details = { ...(created && { new: String(created) }), ...(others && { known: String(others) }) };
  if (by && created + others) await audit.record(orm, { ...by, action: "subscriber.import", details }, now);
  return results;
}

/** Locks people in the order of their addresses, so that no two batches wait for each other. */
async function nameInOrder(orm: Orm, slice: Entry[], of: { tags: Tag[]; origin: Origin }, now: Date) {
  const keyOf = (entry: Entry) => (entry.faults ? "" : emailKey(entry.person.email));
  const entries = slice.map((entry, at) => ({ entry, at, key: keyOf(entry) }));
  const sorted = entries.toSorted((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  // Those with one mailbox share the cap on its emails
  const named = await together(
    sorted,
    ({ key }) => mailboxKey(key),
    ({ entry }) => nameEntry(orm, entry, of, now),
  );
  const results: NamedResult[] = [];
  for (const [n, { at }] of sorted.entries()) results[at] = named[n] ?? { result: "invalid" };
  return results;
}

async function nameEntry(orm: Orm, entry: Entry, of: { tags: Tag[]; origin: Origin }, now: Date): Promise<NamedResult> {
  if (entry.faults) return { result: "invalid", details: entry.faults };
  const named = await nameIn(orm, entry.person, of, now);
  if (named.result === "blocked") return { result: "blocked" };
  const ignored = [...entry.ignored, ...named.ignored];
  return { result: named.result, id: named.subscriber.id, ...(ignored.length && { ignored }) };
}

/** Returns what is kept, and keeps others out until the transaction ends. What is too old begins anew. */
async function lockResults(orm: Orm, { key, fingerprint }: RepeatableBatch, now: Date) {
  const fresh = { key, fingerprint, results: [], createdAt: now };
  const locked = await orm
    .insert(apiBatches)
    .values(fresh)
    .onConflictDoUpdate({ target: apiBatches.key, set: { key } })
    .returning()
    .get();
  if (Math.abs(now.getTime() - locked.createdAt.getTime()) < retentionMs)
    return locked.fingerprint === fingerprint ? locked.results : "conflict";
  await orm.update(apiBatches).set(fresh).where(eq(apiBatches.key, key)).run();
  return [];
}

const keep = (orm: Orm, { key }: RepeatableBatch, results: NamedResult[]) =>
  orm.update(apiBatches).set({ results }).where(eq(apiBatches.key, key)).run();

/** Deletes what no repetition can ask for any longer. */
export const deleteOldBatches = (db: Db, now: Date): Promise<number> => {
  const where = lt(apiBatches.createdAt, new Date(now.getTime() - retentionMs));
  return deleteInCommits(db, { table: apiBatches, key: [apiBatches.key], where });
};
