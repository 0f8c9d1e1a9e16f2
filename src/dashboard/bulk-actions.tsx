import type { Changed } from "../../db/lib/bulk";
import { Confirm } from "../../views/components/confirm";
import type { Frame, Notice } from "../../views/components/frame";
import { number, plural } from "../../views/components/list";
import type { Child } from "../../views/jsx/jsx-runtime";
import type { BulkRequest } from "./bulk-request";
import type { Deps } from "./deps";
import { maxUntyped, numberIn } from "./form-input";
import { frameOf } from "./pages";
import { showDialog } from "./responses";

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
  /** The result, after the rows' name or number: "moved to the trash". */
  past: string;
  /** Replaces the subject's `tooLate` if nothing was left to change. */
  tooLate?: string;
  /**
   * The action that undoes it, offered with the result. `ofMany`: it can also undo a change of several rows, by its moment.
   */
  undo?: { do: string; ofMany: boolean };
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
    const text = resultMessage(subject, bulk, changed);
    return finish({ kind: "good", text, ...undoOf(subject.actions[bulk.do], changed, at, action) }, changed);
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
  const which = count === 1 ? { ids: first.id } : undo.ofMany && { changedAt: String(at.getTime()) };
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
  { verb, consequence }: BulkAction,
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
        typed={needsTyping ? count : undefined}
        error={isMistyped ? `Enter ${number(count)}, the number of ${rows[1]}, to confirm.` : undefined}
      >
        {consequence && <p>{consequence(count)}</p>}
        {children}
      </Confirm>
    ),
  });
}
