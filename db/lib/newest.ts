/**
 * If no index finds a text, the search over everything reads this many of the newest rows. The subject's own list reads
 * all of them.
 */
export const newestSearched = 2_000;

/** The result of a search: the first rows, and their number; `isMore` if there may be others that were not read. */
export type FoundRows<Row> = { rows: Row[]; total: number; isMore: boolean };
