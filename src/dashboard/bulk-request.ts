import { z } from "zod";
import type { Selection, UndoableSelection } from "../../db/lib/bulk";
import { queryBefore } from "./responses";

/* What a list sends about the rows that were selected in it. */

/** What the form of a list sends: the rows by their boxes, all that match its filter, or those changed at a moment. */
export type BulkRequest<Name extends string = string> = {
  do: Name;
  ids: string[];
  all?: "matching" | undefined;
  filter?: string | undefined;
  changedAt?: number | undefined;
  confirmed?: string | undefined;
  asked?: number | undefined;
  typed?: string | undefined;
};

const maxSelected = 1_000; // rows by their boxes; more are selected by their filter

/** The ids of a form, at most a thousand. */
export const selectedIds = z
  .union([z.string(), z.array(z.string())])
  .default([])
  .transform((ids) => [ids].flat().slice(0, maxSelected));

const latestTime = 8.64e15; // the last moment that a Date can be

/**
 * What every list sends besides `do`. `asked`: the number of rows in the question; `typed`: the same, in writing, for
 * more than a hundred.
 */
export const selectionBody = z.object({
  ids: selectedIds,
  all: z.literal("matching").optional().catch(undefined),
  filter: z.string().optional(),
  changedAt: z.coerce.number().int().min(1).max(latestTime).optional(),
  confirmed: z.string().optional(),
  asked: z.coerce.number().optional().catch(undefined),
  typed: z.string().optional(),
});

/** The body of a request for one of these actions. */
export const bulkBody = <const Names extends readonly [string, ...string[]]>(names: Names) =>
  selectionBody.extend({ do: z.enum(names) });

const fromFilter = (filter: string): Record<string, string> => Object.fromEntries(new URLSearchParams(filter));

type FilterOf<Filter> = (query: Record<string, string>) => Filter;
type Selected = Omit<BulkRequest, "do">;

/** The rows that were selected. @param filterOf reads the filter of the subject from the query of its list */
export const selectionOf = <Filter>(
  { ids, all, filter = "" }: Selected,
  filterOf: FilterOf<Filter>,
): Selection<Filter> => (all ? { matching: filterOf(fromFilter(filter)) } : { ids });

/** The same where an action can be taken back by its moment. */
export const undoableSelectionOf = <Filter>(bulk: Selected, filterOf: FilterOf<Filter>): UndoableSelection<Filter> =>
  bulk.changedAt ? { changedAt: new Date(bulk.changedAt) } : selectionOf(bulk, filterOf);

/** The list that the rows were selected on: as the form says, or as the page that sent it. */
export const listBefore = (request: Request, path: string, filter: string | undefined) =>
  filter === undefined ? queryBefore(request, path) : fromFilter(filter);
