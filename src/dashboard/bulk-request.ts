import { z } from "zod";
import type { Selection, UndoableSelection } from "../../db/lib/bulk";
import { queryBefore } from "./responses";

/* What a list sends about the selected rows. */

/** The rows of a request: selected ones, all that match the filter, or those changed at a moment. */
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

const maxSelected = 1_000; // rows, one by one; more than that are selected by the filter

/** The IDs in a form, at most a thousand. */
export const selectedIds = z
  .union([z.string(), z.array(z.string())])
  .default([])
  .transform((ids) => [ids].flat().slice(0, maxSelected));

const latestTime = 8.64e15; // the largest value of a Date

/**
 * The fields that every list sends besides `do`. `asked`: the number of rows in the question; `typed`: the number that
 * was typed, above a hundred.
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

/** Returns the selected rows. @param filterOf reads the subject's filter from the query of its list */
export const selectionOf = <Filter>(
  { ids, all, filter = "" }: Selected,
  filterOf: FilterOf<Filter>,
): Selection<Filter> => (all ? { matching: filterOf(fromFilter(filter)) } : { ids });

/** The same, for actions that can be undone by the moment of the change. */
export const undoableSelectionOf = <Filter>(bulk: Selected, filterOf: FilterOf<Filter>): UndoableSelection<Filter> =>
  bulk.changedAt ? { changedAt: new Date(bulk.changedAt) } : selectionOf(bulk, filterOf);

/** Returns the URL of the list that the rows were selected in, from the form or the page that sent it. */
export const listBefore = (request: Request, path: string, filter: string | undefined) =>
  filter === undefined ? queryBefore(request, path) : fromFilter(filter);
