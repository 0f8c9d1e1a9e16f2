import { fold } from "../../../db/lib/fold";
import type { Result, ResultGroup } from "../../../views/dashboard/search/result";

/**
 * The rows that contain the words, or all rows if there are none; `also` are words that find a row without being in it.
 */
export function groupOf(
  { id, name }: Pick<ResultGroup, "id" | "name">,
  rows: (Result & { also?: string })[],
  q: string,
  limit = rows.length,
): ResultGroup {
  const wanted = fold(q);
  const begins = ({ title }: Result) => Number(fold(title).startsWith(wanted));
  const matching = rows
    .filter(({ title, also = "" }) => fold(`${title} ${also}`).includes(wanted))
    .sort((a, b) => begins(b) - begins(a));
  return { id, name, rows: matching.slice(0, limit), total: matching.length, isMore: false };
}
