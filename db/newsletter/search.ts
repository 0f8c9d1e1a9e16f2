import { and, eq, type SQL, sql } from "drizzle-orm";
import { byEngine } from "../engine/dialects";
import type { Orm } from "../engine/open";
import { countUpTo, firstRows, isOneOf, isWithin, type Period } from "../lib/rows";
import { contains, fold } from "../lib/fold";
import { subscribers } from "../schema/newsletter";
import { countWith } from "./counts";
import type { Status } from "./rules";
import { statusConditions } from "./segments/condition";
import type { FrozenSegment } from "./segments/definition";
import { tagsNamed } from "./tags";

/** A manager's filter, with the period in which they joined. An absent field does not filter. */
export type SubscriberFilter = Period & {
  q?: string | undefined;
  status?: Status | undefined;
  source?: string | undefined;
  language?: string | undefined;
  tag?: string | undefined;
  segment?: FrozenSegment | undefined;
};

export const maxCounted = 10_000; // matches that are counted; beyond that, "more than 10,000" costs the same for a million rows

/** Whether the counters can answer this filter. */
export const isCounted = ({ q, source, language, tag, from, until }: SubscriberFilter) =>
  !q && !source && !language && !tag && !from && !until;

/**
 * Counts the matches: exactly if the counters know the number, otherwise up to one more than `maxCounted`. @param where
 * the filter's condition
 */
export async function countMatches(orm: Orm, filter: SubscriberFilter, where: SQL | undefined): Promise<number> {
  if (isCounted(filter)) {
    return countWith(orm, filter.status && [filter.status]);
  }
  return countUpTo(orm, maxCounted, subscribers, where);
}

/** Condition: matches all of the filter but its segment, whose people db/newsletter/segments finds. */
export async function condition(
  orm: Orm,
  { q, status, source, language, tag, segment: _, ...period }: SubscriberFilter,
): Promise<SQL | undefined> {
  const facts = and(
    status && statusConditions[status],
    source ? eq(subscribers.source, source) : undefined,
    language ? eq(subscribers.language, language) : undefined,
    isWithin(subscribers.createdAt, period),
    q ? await matches(orm, q) : undefined,
  );
  return tag ? hasTag(orm, tag, facts) : facts;
}

/**
 * Condition: has the tag of this name, and `facts`. A few people are looked up by their rows: `is true` keeps SQLite
 * from reading everyone who is active instead. If many have the tag, reading in order fills a page sooner.
 */
async function hasTag(orm: Orm, name: string, facts: SQL | undefined): Promise<SQL | undefined> {
  const [tag] = await tagsNamed(orm, [name]);
  if (!tag) return sql`1 = 0`;
  const pairs = sql`from subscriber_tags where tag_row = ${tag.row}`;
  const first = await firstRows(orm, sql`select subscriber_row ${pairs}`, maxCounted);
  if (first.count > maxCounted)
    return and(facts, sql`exists (select 1 ${pairs} and subscriber_row = ${subscribers.row})`);
  return and(isOneOf(subscribers.row, first), facts && sql`(${facts}) is true`);
}

/**
 * Condition: the words are in email or name, literally (as D20). From three characters on, the trigram index finds
 * them; one or two characters match the start of the address. If matches are common, reading in order fills a page
 * sooner than the index, so the condition is written to prevent SQLite from using one.
 */
async function matches(orm: Orm, q: string): Promise<SQL> {
  const words = fold(q);
  return [...words].length < 3 ? await beginsWith(orm, words) : await containsText(orm)(orm, q, maxCounted);
}

async function beginsWith(orm: Orm, words: string): Promise<SQL> {
  const end = `${words}\u{10ffff}`;
  const range = sql`${subscribers.emailKey} >= ${words} and ${subscribers.emailKey} < ${end}`;
  const inOrder = sql`+${subscribers.emailKey} >= ${words} and +${subscribers.emailKey} < ${end}`;
  return (await countUpTo(orm, maxCounted, subscribers, range)) > maxCounted ? inOrder : range;
}

const literally = (q: string) => sql`${subscribers.folded} like ${contains(q)} escape '\\'`;

/**
 * Condition: the words are in email or name. If more than `max` rows match, they are common, and reading in order fills
 * a page sooner than the trigram index; PostgreSQL's planner decides that itself.
 */
const containsText = byEngine<(orm: Orm, q: string, max: number) => Promise<SQL>>({
  async sqlite(orm, q, max) {
    const characters = [...fold(q)];
    const trigrams = characters.slice(2).map((_, at) => quoted(characters.slice(at, at + 3).join("")));
    const indexed = sql`select rowid from subscribers_search where subscribers_search match ${trigrams.join(" AND ")}`;
    const matching = await firstRows(orm, sql`${indexed} union all ${newest}`, max);
    return matching.count > max ? literally(q) : sql`${isOneOf(subscribers.row, matching)} and ${literally(q)}`;
  },
  postgres: async (_, q) => literally(q),
});

/** The newest subscribers, fewer than a thousand, that SQLite's index does not have yet. */
const newest = sql`select row from subscribers where row > (select coalesce(max(id), 0) from subscribers_search_docsize)`;

const quoted = (words: string) => `"${words.replaceAll('"', '""')}"`;
