import type { FoundRows } from "../../../db/lib/newest";
import type { Frame } from "../../../views/components/frame";
import type { Result } from "../../../views/dashboard/search/result";
import type { Deps } from "../../boot/deps";

/** How things of one kind are found. */
export type Subject = {
  id: string;
  name: string;
  /** Where the page of each is: this, a slash, and its id. */
  path: string;
  /** The list of all that match. */
  listOf: (q: string) => string;
  find: (deps: Deps, frame: Frame, q: string, limit: number) => Promise<FoundRows<Result>>;
  /** The one with this id, unless it is gone or in the trash. */
  one: (deps: Deps, frame: Frame, id: string) => Promise<Result | undefined>;
};

/** The list of a subject with these words in its search field. */
export const listWith = (path: string) => (q: string) => `${path}?${new URLSearchParams({ q })}`;

/** What was found, as rows of results. */
export const asResults = <Row>(
  { rows, total, isMore = false }: { rows: Row[]; total: number; isMore?: boolean },
  resultOf: (row: Row) => Result,
): FoundRows<Result> => ({ rows: rows.map(resultOf), total, isMore });
