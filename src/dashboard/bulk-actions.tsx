import { z } from "zod";
import type { Changed, Selection, UndoableSelection } from "../../db/lib/bulk";
import { Confirm } from "../../views/components/dialog";
import type { Frame, Notice } from "../../views/components/frame";
import { number, plural } from "../../views/components/list";
import type { Child } from "../../views/jsx/jsx-runtime";
import { ask, queryBefore } from "./responses";

/* What is done to many rows at once, in every list: a subject declares its table of actions, the rest is here. */

/** One thing that can be done to the selected rows, as people meet it. */
type BulkAction = {
  /** The title and button of the question, for "3 posts": "Delete 3 posts for good". */
  verb: (rows: string) => string;
  /** Whether the question comes first: never, for so many rows that their number is typed, for more than one, or always. */
  asks: "never" | "many" | "several" | "always";
  /** What it means, in the question. */
  consequence?: (count: number) => string;
  /** What became of the rows, behind their name or number: "moved to the trash". */
  past: (count: number) => string;
  /** Instead of `tooLate` of the subject: nothing was left to change. */
  tooLate?: string;
  /** The action that takes it back, offered with the result; `ofMany` where it finds many by when they were changed. */
  undo?: { do: string; ofMany: boolean };
};

/** What the rows are: "post", "posts". */
type Rows = readonly [one: string, many: string];

type Subject<Name extends string, Row> = {
  rows: Rows;
  nameOf: (row: Row) => string;
  noneSelected: string;
  /** Nothing was left to change of so many selected rows; 0 when nobody knows how many. */
  tooLate: (count: number) => string;
  /** Behind the result: this many of the selected rows were changed by somebody else before. "" says nothing. */
  others: (count: number) => string;
  actions: Record<Name, BulkAction>;
};

/** What the form of a list sends: the rows by their boxes, all that match its filter, or those changed at a moment. */
type BulkRequest<Name extends string = string> = {
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
export const selectionOf = <Filter,>(
  { ids, all, filter = "" }: Selected,
  filterOf: FilterOf<Filter>,
): Selection<Filter> => (all ? { matching: filterOf(fromFilter(filter)) } : { ids });

/** The same where an action can be taken back by its moment. */
export const undoableSelectionOf = <Filter,>(bulk: Selected, filterOf: FilterOf<Filter>): UndoableSelection<Filter> =>
  bulk.changedAt ? { changedAt: new Date(bulk.changedAt) } : selectionOf(bulk, filterOf);

/** The list that the rows were selected on: as the form says, or as the page that sent it. */
export const listBefore = (request: Request, path: string, filter: string | undefined) =>
  filter === undefined ? queryBefore(request, path) : fromFilter(filter);

const maxUntyped = 100; // rows; for more of them their number is typed

/** More rows than the question named were not agreed to: what matches a filter may have become more. */
const isConfirmed = ({ confirmed, asked, typed = "" }: BulkRequest, count: number) =>
  confirmed === "yes" &&
  (count <= maxUntyped ? count <= (asked ?? count) : Number(typed.replace(/\D/g, "") || "0") === count);

type Question = {
  frame: Frame;
  count: number;
  /** Where the answer goes, and where Cancel leads. */
  action: string;
  cancel: string;
  /** Further fields of the request, and what the title names besides the rows. */
  more?: Record<string, string>;
  about?: string;
  children?: Child;
};

/** The questions, results and ways back of one list's actions. */
export const bulkActions = <Name extends string, Row extends { id: string }>(subject: Subject<Name, Row>) => ({
  /** Whether it can be done now, or is asked about first. */
  isSure: (bulk: BulkRequest<Name>, count: number) => isSure(subject.actions[bulk.do], bulk, count),
  /** The question; for more than a hundred rows their number is typed. */
  askFirst: (request: Request, bulk: BulkRequest<Name>, question: Question) =>
    askFirst(subject.actions[bulk.do], subject.rows, request, bulk, question),
  /** What happened, and to how many; a request that came too late says so. */
  resultMessage: (bulk: BulkRequest<Name>, changed: Changed<Row>) => resultMessage(subject, bulk, changed),
  /** The way back, when there is one. @param at when it was done */
  undoOf: (name: Name, changed: Changed<Row>, at: Date, action: string) =>
    undoOf(subject.actions[name], changed, at, action),
});

function isSure({ asks }: BulkAction, bulk: BulkRequest, count: number): boolean {
  if (count === 0 || asks === "never" || (asks === "several" && count === 1)) return true;
  if (asks === "many" && count <= maxUntyped) return true;
  return isConfirmed(bulk, count);
}

function askFirst(
  { verb, consequence }: BulkAction,
  rows: Rows,
  request: Request,
  { do: name, ids, all, filter = "", typed }: BulkRequest,
  { frame, count, action, cancel, more, about, children }: Question,
) {
  const needsTyping = count > maxUntyped;
  const isMistyped = needsTyping && typed !== undefined;
  const label = verb(plural(count, ...rows));
  return ask(request, {
    frame,
    title: about ? `${label}: ${about}?` : `${label}?`,
    status: isMistyped ? 422 : 200,
    children: (
      <Confirm
        {...{ frame, action, cancel, verb: label }}
        fields={{ do: name, filter, asked: String(count), ...more, ...(all ? { all } : { ids }) }}
        typed={needsTyping ? count : undefined}
        error={isMistyped ? `Type ${number(count)}, the number of ${rows[1]}.` : undefined}
      >
        {consequence && <p>{consequence(count)}</p>}
        {children}
      </Confirm>
    ),
  });
}

function resultMessage<Name extends string, Row>(
  { actions, rows, nameOf, ...subject }: Subject<Name, Row>,
  { do: name, ids, all, changedAt }: BulkRequest<Name>,
  { count, first }: Changed<Row>,
): string {
  const selected = all || changedAt ? 0 : new Set(ids).size;
  if (!first && !selected && !all && !changedAt) return subject.noneSelected;
  if (!first) return actions[name].tooLate ?? subject.tooLate(selected);
  const others = selected > count ? subject.others(selected - count) : "";
  const what = count === 1 ? nameOf(first) : plural(count, ...rows);
  return `${what} ${actions[name].past(count)}.${others && ` ${others}`}`;
}

function undoOf(
  { undo }: BulkAction,
  { count, first }: Changed<{ id: string }>,
  at: Date,
  action: string,
): Pick<Notice, "undo"> {
  if (!undo || !first) return {};
  const which = count === 1 ? { ids: first.id } : undo.ofMany && { changedAt: String(at.getTime()) };
  return which ? { undo: { action, fields: { do: undo.do, ...which } } } : {};
}
