import { and, asc, eq, gt, gte, inArray, type SQL } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { emailKey } from "../lib/email-key";
import { subscribers } from "../schema/newsletter";
import { suppressions } from "../schema/suppressions";
import { knownHashOf } from "../suppressions/suppressions";
import { countWith } from "./counts";
import { type Field, type FieldValue, valueOf } from "./field-values";
import { allFields, valuesOf } from "./fields";
import { condition } from "./search";
import type { FrozenSegment } from "./segments/definition";
import { countPeople, lastRow, rowsIn, windowsOf } from "./segments/people";
import type { Subscriber } from "./subscribers";
import { tagsOf } from "./tags";
import { topicsOf } from "./topics";

/** What is known of a subscriber beyond the columns of the row. */
export type KnownOfPerson = {
  tags: string[];
  /** In their order; those that the person left have `chosen` false. */
  topics: { slug: string; name: string; chosen: boolean }[];
  fields: { field: Field; value: FieldValue }[];
};

/** Returns what is known of these subscribers, by their rows. */
export async function knownOf(orm: Orm, rows: number[]): Promise<Map<number, KnownOfPerson>> {
  const [tags, topics, values] = [await tagsOf(orm, rows), await topicsOf(orm, rows), await valuesOf(orm, rows)];
  const fields = values.size ? await allFields(orm) : [];
  return new Map(
    rows.map((row) => [
      row,
      {
        tags: (tags.get(row) ?? []).map(({ name }) => name),
        topics: (topics.get(row) ?? []).map(({ topic: { slug, name }, chosen }) => ({ slug, name, chosen })),
        fields: fields.flatMap((field) => {
          const stored = values.get(row)?.get(field.row);
          const value = stored && valueOf(field, stored);
          return value === undefined ? [] : [{ field, value }];
        }),
      },
    ]),
  );
}

export const nothingKnown: KnownOfPerson = { tags: [], topics: [], fields: [] };

/* Subscribers as programs read them: in the order of their rows, which never change. */

export type KeyedFilter = {
  email?: string | undefined;
  q?: string | undefined;
  updatedSince?: Date | undefined;
  segment?: FrozenSegment | undefined;
};

/** A subscriber with what is known beyond the row. */
export type Profile = { subscriber: Subscriber; about: KnownOfPerson; suppression: ProfileSuppression | null };
type ProfileSuppression = { reason: (typeof suppressions.$inferSelect)["reason"] | null; at: Date };

type Span = { limit: number; after?: number | undefined };

/** How long a page looks for its people. After that it ends, and the next one goes on from there. */
const maxPageMs = 200;

/**
 * Returns a page; `next` is the row after which the next one begins, if there is one. With conditions, a page may be
 * short, or empty, and yet have a next one: it looks for its people only so long.
 *
 * @param clock in milliseconds
 */
export async function listByRow(db: Db, filter: KeyedFilter, span: Span, clock = () => performance.now()) {
  const { rows, next } = await pageOf(db, filter, span, clock);
  const people = await db.read(async (orm) => {
    const isTheirs = inArray(subscribers.row, rows);
    return profilesOf(orm, await orm.select().from(subscribers).where(isTheirs).orderBy(asc(subscribers.row)).all());
  });
  return { people, next };
}

type Page = { rows: number[]; next: number | undefined };

async function pageOf(db: Db, filter: KeyedFilter, span: Span, clock: () => number): Promise<Page> {
  const { limit, after = 0 } = span;
  const { q, segment, updatedSince } = filter;
  if (filter.email !== undefined || (!q && !segment && !updatedSince)) {
    const rows = await db.read((orm) => rowsAfter(orm, after, isAddress(filter), limit + 1));
    return cut(rows, limit);
  }
  const wanted = { segment: segment ?? {}, where: await whereOf(db, filter) };
  const [upTo, endsAt] = [await db.read(lastRow), clock() + maxPageMs];
  const rows: number[] = [];
  for await (const window of windowsOf(db, wanted.segment, { after, upTo })) {
    rows.push(...(await db.read((orm) => rowsIn(orm, window, wanted, limit + 1 - rows.length))));
    if (rows.length > limit) return cut(rows, limit);
    if (clock() >= endsAt && window.upTo < upTo) return { rows, next: window.upTo };
  }
  return { rows, next: undefined };
}

const cut = (rows: number[], limit: number): Page => {
  const page = rows.slice(0, limit);
  return { rows: page, next: rows.length > limit ? page.at(-1) : undefined };
};

const isAddress = ({ email }: KeyedFilter): SQL | undefined =>
  email === undefined ? undefined : eq(subscribers.emailKey, emailKey(email));

/** All but the segment. */
const whereOf = (db: Db, filter: KeyedFilter): Promise<SQL | undefined> =>
  db.read(async (orm) => {
    const { q, updatedSince } = filter;
    return and(
      isAddress(filter),
      q ? await condition(orm, { q }) : undefined,
      updatedSince && gte(subscribers.updatedAt, updatedSince),
    );
  });

async function rowsAfter(orm: Orm, after: number, where: SQL | undefined, limit: number): Promise<number[]> {
  const { row } = subscribers;
  const rows = orm
    .select({ row })
    .from(subscribers)
    .where(and(where, gt(row, after)));
  return (await rows.orderBy(asc(row)).limit(limit).all()).map((each) => each.row);
}

/** Counts all of them exactly. */
export async function countByFilter(db: Db, filter: KeyedFilter): Promise<number> {
  const { email, q, segment, updatedSince } = filter;
  if (email === undefined && !q && !segment && !updatedSince) return db.read((orm) => countWith(orm));
  return countPeople(db, { segment: segment ?? {}, where: await whereOf(db, filter) });
}

/** Returns one subscriber. */
export const profileById = (db: Db, id: string): Promise<Profile | undefined> =>
  db.read(async (orm) => {
    const subscriber = await orm.select().from(subscribers).where(eq(subscribers.id, id)).get();
    return subscriber && (await profilesOf(orm, [subscriber]))[0];
  });

/** Returns these subscribers with what is known of each, in the same order. */
async function profilesOf(orm: Orm, people: Subscriber[]): Promise<Profile[]> {
  const facts = await knownOf(
    orm,
    people.map(({ row }) => row),
  );
  const reasons = await reasonsOf(
    orm,
    people.filter(({ suppressedAt }) => suppressedAt),
  );
  return people.map((subscriber) => {
    const { row, suppressedAt: at } = subscriber;
    const suppression = at && { reason: reasons.get(row) ?? null, at };
    return { subscriber, about: facts.get(row) ?? nothingKnown, suppression };
  });
}

/** Why these are suppressed, by their rows. */
async function reasonsOf(orm: Orm, people: Subscriber[]) {
  const rowByHash = new Map<string, number>();
  for (const { row, email } of people) {
    const hash = await knownHashOf(orm, email);
    if (hash !== undefined) rowByHash.set(hash, row);
  }
  const { hash, reason } = suppressions;
  const isTheirs = inArray(hash, [...rowByHash.keys()]);
  const rows = rowByHash.size ? await orm.select({ hash, reason }).from(suppressions).where(isTheirs).all() : [];
  return new Map(rows.map((each) => [rowByHash.get(each.hash), each.reason]));
}
