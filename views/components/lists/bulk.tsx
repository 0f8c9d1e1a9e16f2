import type { Child } from "../../jsx/jsx-runtime";
import { Form } from "../forms/form";
import { type ListState, type ListView, number } from "../list";
import { Pager } from "./pager";

type FormProps = {
  view: ListView<unknown>;
  action: string;
  /** The form's label. */
  label: string;
  /** The buttons for the selected rows. */
  buttons: Child;
  children?: Child;
};

/** One page of a list with selectable rows, the actions on them, and the pagination. */
export const BulkForm = ({ view, action, label, buttons, children }: FormProps) => (
  <>
    <Form action={action} token={view.frame.token} label={label}>
      {children}
      <BulkBar
        total={view.isMore ? Number.POSITIVE_INFINITY : view.total}
        visible={view.rows.length}
        state={view.state}
      >
        {buttons}
      </BulkBar>
    </Form>
    {(view.isMore || view.total > view.per) && <Pager {...view} />}
  </>
);

const deletes = ["trash", "delete"];

type ButtonProps = {
  of: readonly (readonly [action: string, label: string])[];
  /** The URL of another form's action. */
  to?: string;
};

/** Buttons that send their action as `do`. */
export const BulkButtons = ({ of, to }: ButtonProps) => (
  <>
    {of.map(([action, label]) => (
      <button
        type="submit"
        class="btn sm"
        name="do"
        value={action}
        formaction={to}
        data-hotkey={deletes.includes(action) ? "#" : undefined}
      >
        {label}
      </button>
    ))}
  </>
);

type BarProps = { total: number; visible: number; state: ListState; children?: Child };

/**
 * The actions on the selected rows. The bar appears by CSS alone, as soon as a row is selected. "All matching" sends
 * the filter instead of the rows, and the server counts again before it does anything.
 */
export const BulkBar = ({ total, visible, state, children }: BarProps) => (
  <div class="bulk" role="group" aria-label="Actions for the selected rows">
    <p>
      <span data-picked>Selected</span>
    </p>
    {total > visible && (
      <label class="check">
        <input type="checkbox" name="all" value="matching" id="all-matching" />
        <span>Select all {Number.isFinite(total) ? `${number(total)} ` : ""}matching</span>
      </label>
    )}
    <input type="hidden" name="filter" value={new URLSearchParams(state.query).toString()} />
    <div class="acts">{children}</div>
  </div>
);
