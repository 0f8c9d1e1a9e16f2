/**
 * Where no index finds a text, the search over all subjects reads this many of the newest rows (P200). The list of the
 * subject reads them all.
 */
export const newestSearched = 2_000;

/** What a search found: the first rows, and how many there are; `isMore` if there may be others that nobody read. */
export type FoundRows<Row> = { rows: Row[]; total: number; isMore: boolean };
