import type { Changed } from "../../db/lib/bulk";
import type { Notice } from "../../views/components/frame";
import { plural } from "../../views/components/list";
import type { Deps } from "./deps";
import { askFirst, isSure, type Question } from "./bulk-question";
import type { BulkRequest } from "./bulk-request";
import type { BulkAction, Subject } from "./bulk-subject";
import { frameOf } from "./pages";

/* Bulk actions, for every list: a subject declares its table of actions, and this file does the rest. */

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
