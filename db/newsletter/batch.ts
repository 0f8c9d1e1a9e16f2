import { eq, lt } from "drizzle-orm";
import * as audit from "../audit";
import { together } from "../async/turns";
import type { Db, Orm } from "../engine/open";
import type { Origin } from "../events/subscriber-events";
import { deleteInCommits, giveWay } from "../lib/bulk";
import { emailKey, mailboxKey } from "../lib/email-key";
import { dayMs } from "../lib/time";
import { apiBatches, type NamedResult } from "../schema/shared";
import { ErasedMeanwhile, type NamedPerson, nameIn } from "./by-key";
import { guarded } from "./subscribers";
import { ensureTags, type Tag } from "./tags";

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
