import type { FoundRows } from "../../../db/lib/bounded-reads";
import type { Frame } from "../../../views/components/frame";
import type { Result } from "../../../views/dashboard/search/result";
import type { Deps } from "../deps";

/** How one kind of thing is found. */
export type Subject = {
  id: string;
  name: string;
  /** The path of each page is this, a slash, and the ID. */
  path: string;
  /** The list of all that match. */
  listOf: (q: string) => string;
  find: (deps: Deps, frame: Frame, q: string, limit: number) => Promise<FoundRows<Result>>;
  /** The one with this ID, unless it is deleted or in the trash. */
  one: (deps: Deps, frame: Frame, id: string) => Promise<Result | undefined>;
};

/** The URL of a list with these words in its search field. */
export const listWith = (path: string) => (q: string) => `${path}?${new URLSearchParams({ q })}`;

/** Turns rows into results. */
export const asResults = <Row>(
  { rows, total, isMore = false }: { rows: Row[]; total: number; isMore?: boolean },
  resultOf: (row: Row) => Result,
): FoundRows<Result> => ({ rows: rows.map(resultOf), total, isMore });
