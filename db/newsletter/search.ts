import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { countUpTo } from "../lib/count-up-to";
import { contains, fold } from "../lib/fold";
import { firstRows, isOneOf } from "../lib/row-ids";
import { subscriberCounts, subscribers } from "../schema/newsletter";
import type { Subscriber } from "./subscribers";

/** What managers look for. An absent field filters nothing. */
export type SubscriberFilter = {
  q?: string | undefined;
  state?: Subscriber["state"] | undefined;
  source?: string | undefined;
};

export const maxCounted = 10_000; // matches that are counted; beyond, "more than 10,000" costs the same at a million rows

/** Answered from the counters. */
export const isCounted = ({ q, source }: SubscriberFilter) => !q && !source;

/**
 * How many match: exactly where counters tell it, otherwise one more than `most` at the most.
 * @param where the filter's condition
 */
export function countMatches(orm: Orm, filter: SubscriberFilter, where: SQL | undefined): number {
  if (isCounted(filter)) {
    const states = orm.select().from(subscriberCounts).all();
    return states
      .filter(({ state }) => !filter.state || state === filter.state)
      .reduce((sum, { count }) => sum + count, 0);
  }
  return countUpTo(orm, maxCounted, subscribers, where);
}

export const condition = (orm: Orm, { q, state, source }: SubscriberFilter): SQL | undefined =>
  and(
    state && eq(subscribers.state, state),
    source ? eq(subscribers.source, source) : undefined,
    q ? matches(orm, q) : undefined,
  );

/**
 * The words in e-mail or name, literally (as D20). From three characters on the index of trigrams finds them; one or
 * two characters look at the beginning of the address. When matches are common, reading in order fills a page sooner
 * than the index: the question is then put so that no index answers it.
 */
function matches(orm: Orm, q: string): SQL {
  const words = fold(q);
  const characters = [...words];
  return characters.length < 3 ? beginsWith(orm, words) : containsText(orm, q, characters);
}

function beginsWith(orm: Orm, words: string): SQL {
  const end = `${words}\u{10ffff}`;
  const range = sql`${subscribers.emailKey} >= ${words} and ${subscribers.emailKey} < ${end}`;
  const inOrder = sql`+${subscribers.emailKey} >= ${words} and +${subscribers.emailKey} < ${end}`;
  return countUpTo(orm, maxCounted, subscribers, range) > maxCounted ? inOrder : range;
}

/** The newest, fewer than a thousand, whom the index does not hold yet (migration 0002). */
const newest = sql`select row from subscribers where row > (select coalesce(max(id), 0) from subscribers_search_docsize)`;

function containsText(orm: Orm, q: string, characters: string[]): SQL {
  const literally = sql`${subscribers.folded} like ${contains(q)} escape '\\'`;
  const trigrams = characters.slice(2).map((_, at) => quoted(characters.slice(at, at + 3).join("")));
  const indexed = sql`select rowid from subscribers_search where subscribers_search match ${trigrams.join(" AND ")}`;
  const found = firstRows(orm, sql`${indexed} union all ${newest}`, maxCounted);
  return found.count > maxCounted ? literally : sql`${isOneOf(subscribers.row, found)} and ${literally}`;
}

const quoted = (words: string) => `"${words.replaceAll('"', '""')}"`;
