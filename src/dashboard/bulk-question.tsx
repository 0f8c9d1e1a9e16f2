import { Confirm } from "../../views/components/confirm";
import type { Frame } from "../../views/components/frame";
import { number, plural } from "../../views/components/list";
import type { Child } from "../../views/jsx/jsx-runtime";
import type { BulkRequest } from "./bulk-request";
import type { BulkAction, Rows } from "./bulk-subject";
import { ask } from "./responses";

const maxUntyped = 100; // rows; above this the number is typed

/** Whether the action can be carried out now, without a question. */
export function isSure({ asks }: BulkAction, bulk: BulkRequest, count: number): boolean {
  if (count === 0 || asks === "never" || (asks === "several" && count === 1)) return true;
  if (asks === "many" && count <= maxUntyped) return true;
  return isConfirmed(bulk, count);
}

/** More rows than the question named were not agreed to, and a filter may match more by now. */
const isConfirmed = ({ confirmed, asked, typed = "" }: BulkRequest, count: number) =>
  confirmed === "yes" &&
  (count <= maxUntyped ? count <= (asked ?? count) : Number(typed.replace(/\D/g, "") || "0") === count);

export type Question = {
  /** Where the answer is sent, and where Cancel leads. */
  action: string;
  cancel: string;
  /** Further fields of the request, and what else the title names. */
  more?: Record<string, string>;
  about?: string;
  children?: Child;
};

/** Shows the question; above a hundred rows their number is typed. */
export function askFirst(
  request: Request,
  { verb, consequence }: BulkAction,
  rows: Rows,
  { do: name, ids, all, filter = "", typed }: BulkRequest,
  { frame, count, action, cancel, more, about, children }: Question & { frame: Frame; count: number },
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
