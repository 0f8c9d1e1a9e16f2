import { z } from "zod";
import type { Changed, Selection, UndoableSelection } from "../../db/lib/bulk";
import { Confirm } from "../../views/components/confirm";
import type { Frame, Notice, PagePath } from "../../views/components/frame";
import { number, plural } from "../../views/components/list";
import type { Child } from "../../views/jsx/jsx-runtime";
import type { Deps } from "./deps";
import { maxUntyped, numberIn } from "./form-input";
import { frameOf } from "./pages";
import { queryBefore, showDialog } from "./responses";

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
export const selectionOf = <Filter,>(
  { ids, all, filter = "" }: Selected,
  filterOf: FilterOf<Filter>,
): Selection<Filter> => (all ? { matching: filterOf(fromFilter(filter)) } : { ids });

/** The same, for actions that can be undone by the moment of the change. */
export const undoableSelectionOf = <Filter,>(bulk: Selected, filterOf: FilterOf<Filter>): UndoableSelection<Filter> =>
  bulk.changedAt ? { changedAt: new Date(bulk.changedAt) } : selectionOf(bulk, filterOf);

/** Returns the URL of the list that the rows were selected in, from the form or the page that sent it. */
export const listBefore = (request: Request, path: string, filter: string | undefined) =>
  filter === undefined ? queryBefore(request, path) : fromFilter(filter);

/*
 * Bulk actions, for every list. A subject declares a table of its actions and what its rows are called; this file asks
 * the questions, makes the changes and says what was done.
 */

/** An action on the selected rows, as people see it. */
type BulkAction = {
  /** The title and button of the question for "3 posts", such as "Delete 3 posts permanently". */
  verb: (rows: string) => string;
  /** When the question is asked: never; above a hundred rows, with their number typed; for more than one; or always. */
  asks: "never" | "many" | "several" | "always";
  /** The consequence, in the question. */
  consequence?: (count: number) => string;
  /** Rows, or what is in them, are gone after it, at the latest when the trash is emptied. */
  destroys?: boolean;
  /** The result, after the rows' name or number: "moved to the trash". */
  past: string;
  /** Replaces the subject's `tooLate` if nothing was left to change. */
  tooLate?: string;
  /**
   * The action that undoes it, offered with the result. `ofMany`: it can also undo a change of several rows, by its moment.
   * `ifUnchanged`: it undoes no later change of the same kind, so one row goes by the moment too.
   */
  undo?: { do: string; ofMany: boolean; ifUnchanged?: boolean };
  /** The page of the row, offered with the result if there is one row. */
  opens?: (id: string) => PagePath;
};

/** The noun for the rows: "post", "posts". */
type Rows = readonly [one: string, many: string];

/** What a subject declares. */
type Subject<Name extends string, Row> = {
  rows: Rows;
  nameOf: (row: Row) => string;
  noneSelected: string;
  /** Said if nothing was left to change of this many selected rows; 0 if the number is unknown. */
  tooLate: (count: number) => string;
  /**
   * Said after the result if this many of the selected rows had already been changed by someone else; "" says nothing.
   */
  others: (count: number) => string;
  actions: Record<Name, BulkAction>;
};

/** The action of moving rows to the trash. @param consequence what else it means */
export const toTrash = (
  consequence = "They will be moved to the trash and can be restored for 30 days.",
): BulkAction => ({
  verb: (rows) => `Delete ${rows}`,
  asks: "several",
  consequence: () => consequence,
  destroys: true,
  past: "moved to the trash",
  undo: { do: "restore", ofMany: true },
});

/** What a request changes, and how to respond then. */
type Change<Row> = {
  /** Makes the change. @param at the moment of the change, by which it can be undone */
  apply: (at: Date) => Promise<Changed<Row>>;
  /** Responds with the current list and a notice of what was done. */
  finish: (notice: Notice, changed: Changed<Row>) => Promise<Response>;
  /** Where Undo is sent. */
  action: string;
};

/** The same, with a question before it. */
type ChangeWithQuestion<Row> = Change<Row> &
  Question & {
    /** Counts the rows that would change now. */
    count: () => number | Promise<number>;
  };

/** Makes the questions, results and undo actions of one list. */
export function bulkActions<Name extends string, Row extends { id: string }>(subject: Subject<Name, Row>) {
  type Bulk = BulkRequest<Name>;

  /** Makes the change, and responds with what was done to how many rows, with Undo if possible. */
  async function change(deps: Deps, bulk: Bulk, { apply, finish, action }: Change<Row>) {
    const at = deps.now();
    const changed = await apply(at);
    const { first, count } = changed;
    const open = first && count === 1 && subject.actions[bulk.do].opens?.(first.id);
    const notice = { kind: "good", text: resultMessage(subject, bulk, changed), ...(open && { open }) } as const;
    return finish({ ...notice, ...undoOf(subject.actions[bulk.do], changed, at, action) }, changed);
  }

  /** The same, after a question if the action needs one. */
  async function askOrChange(deps: Deps, request: Request, bulk: Bulk, work: ChangeWithQuestion<Row>) {
    const action = subject.actions[bulk.do];
    const count = action.asks === "never" ? 0 : await work.count();
    if (isSure(action, bulk, count)) return change(deps, bulk, work);
    const frame = await frameOf(deps, request);
    return askFirst(request, action, subject.rows, bulk, { ...work, frame, count });
  }

  return { change, askOrChange, noneSelected: subject.noneSelected };
}

/** Says what was done to how many rows, or that the request came too late. */
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
  return `${what} ${actions[name].past}.${others && ` ${others}`}`;
}

/** Returns the undo action if there is one. @param at when the change was made */
function undoOf(
  { undo }: BulkAction,
  { count, first }: Changed<{ id: string }>,
  at: Date,
  action: string,
): Pick<Notice, "undo"> {
  if (!undo || !first) return {};
  const isById = count === 1 && !undo.ifUnchanged;
  const which = isById ? { ids: first.id } : undo.ofMany && { changedAt: String(at.getTime()) };
  return which ? { undo: { action, fields: { do: undo.do, ...which } } } : {};
}

/** Whether the action can be carried out now, without a question. */
function isSure({ asks }: BulkAction, bulk: BulkRequest, count: number): boolean {
  if (count === 0 || asks === "never" || (asks === "several" && count === 1)) return true;
  if (asks === "many" && count <= maxUntyped) return true;
  return isConfirmed(bulk, count);
}

/** More rows than the question named were not agreed to, and a filter may match more by now. */
const isConfirmed = ({ confirmed, asked, typed = "" }: BulkRequest, count: number) =>
  confirmed === "yes" && (count <= maxUntyped ? count <= (asked ?? count) : numberIn(typed) === count);

type Question = {
  /** Where the answer is sent, and where Cancel leads. */
  action: string;
  cancel: string;
  /** Further fields of the request, and what else the title names. */
  more?: Record<string, string>;
  about?: string;
  children?: Child;
};

/** Shows the question; above a hundred rows their number is typed. */
function askFirst(
  request: Request,
  { verb, consequence, destroys = false }: BulkAction,
  rows: Rows,
  { do: name, ids, all, filter = "", typed }: BulkRequest,
  { frame, count, action, cancel, more, about, children }: Question & { frame: Frame; count: number },
) {
  const needsTyping = count > maxUntyped;
  const isMistyped = needsTyping && typed !== undefined;
  const label = verb(plural(count, ...rows));
  return showDialog(request, {
    frame,
    title: about ? `${label}: ${about}?` : `${label}?`,
    status: isMistyped ? 422 : 200,
    children: (
      <Confirm
        frame={frame}
        action={action}
        cancel={cancel}
        verb={label}
        fields={{ do: name, filter, asked: String(count), ...more, ...(all ? { all } : { ids }) }}
        isHarmless={!destroys}
        typed={needsTyping ? count : undefined}
        error={isMistyped ? `Enter ${number(count)}, the number of ${rows[1]}, to confirm.` : undefined}
      >
        {consequence && <p>{consequence(count)}</p>}
        {children}
      </Confirm>
    ),
  });
}
