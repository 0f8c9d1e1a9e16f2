import { type SQL, sql } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { contains, fold } from "../lib/fold";
import { firstRows, isOneOf } from "../lib/row-ids";
import { subscribers } from "../schema/newsletter";

/** The newest subscribers, fewer than a thousand, that are not in the index yet. */
const newest = sql`select row from subscribers where row > (select coalesce(max(id), 0) from subscribers_search_docsize)`;

/**
 * Condition: the words are in email or name. The trigram index finds them; if they are common, reading in order fills a
 * page sooner.
 *
 * @param max more matches than this are common
 */
export async function containsText(orm: Orm, q: string, max: number): Promise<SQL> {
  const characters = [...fold(q)];
  const literally = sql`${subscribers.folded} like ${contains(q)} escape '\\'`;
  const trigrams = characters.slice(2).map((_, at) => quoted(characters.slice(at, at + 3).join("")));
  const indexed = sql`select rowid from subscribers_search where subscribers_search match ${trigrams.join(" AND ")}`;
  const found = await firstRows(orm, sql`${indexed} union all ${newest}`, max);
  return found.count > max ? literally : sql`${isOneOf(subscribers.row, found)} and ${literally}`;
}

const quoted = (words: string) => `"${words.replaceAll('"', '""')}"`;
