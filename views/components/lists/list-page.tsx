import type { LiveTopic } from "../../../db/live";
import type { Child, JSX } from "../../jsx/jsx-runtime";
import { NoMatch } from "../empty";
import type { ListView } from "../list";
import { BulkForm } from "./bulk";
import { type ChoosableList, shownColumns } from "./choose-columns";
import { type HeadProps, ListHead } from "./head";
import { Pager } from "./pager";
import { type Column, ColumnTable, PickCell } from "./table";

/** A list with a URL, as its subject declares it. What depends on the request is a function of the view. */
type List<Row, View extends ListView<Row>> = {
  label: string;
  /** The noun for a row. */
  noun: string;
  /** The rows, in the sentence that none matches, if they are not called as the list. */
  what?: string;
  /** Whether there has never been a row. */
  isEmpty: (view: View) => boolean;
  Empty: (view: View) => JSX.Element;
  /** What is above everything else. */
  Note?: (view: View) => Child;
  /** The list's URL while something in it is about to change: poll.js reloads it. */
  poll?: (view: View) => string | undefined;
  segments?: (view: View) => HeadProps["segments"];
  /** What its changes are a part of, if it polls. */
  topic?: LiveTopic;
  search?: (view: View) => HeadProps["search"];
  /** Beside the number of rows. */
  note?: (view: View) => Child;
  columns: (view: View) => Column<Row>[];
  /** Its name among the lists whose columns can be chosen. */
  choosable?: ChoosableList;
  rowId?: (row: Row) => string;
  /** The buttons in a row. */
  rowActions?: (row: Row, view: View) => Child;
  /** The buttons for the selected rows, and where they are sent. `nameOf` a row is null if it cannot be selected. */
  bulk?: { action: string; nameOf: (row: Row) => string | null; buttons: (view: View) => Child };
};

/** Makes the component that shows the list. */
export const listPage =
  <Row extends { id: string }, View extends ListView<Row>>(list: List<Row, View>) =>
  (view: View): JSX.Element =>
    list.isEmpty(view) ? (
      <list.Empty {...view} />
    ) : (
      <section class="list" id="list" aria-label={list.label} data-poll={list.poll?.(view)} data-topic={list.topic}>
        {list.Note?.(view)}
        <ListHead
          view={view}
          noun={list.noun}
          note={list.note?.(view)}
          segments={list.segments?.(view)}
          search={list.search?.(view)}
          columns={list.choosable}
        />
        {view.rows.length ? (
          <Rows list={list} view={view} />
        ) : (
          <NoMatch what={list.what ?? list.label.toLowerCase()} query={view.state.query.q} clear={view.state.path} />
        )}
      </section>
    );

type RowsProps<Row, View extends ListView<Row>> = { list: List<Row, View>; view: View };

function Rows<Row extends { id: string }, View extends ListView<Row>>({ list, view }: RowsProps<Row, View>) {
  const { label, bulk, rowActions, rowId, choosable } = list;
  const columns = list.columns(view);
  const table = (
    <ColumnTable<Row>
      caption={label}
      columns={choosable ? shownColumns(view.frame, choosable, columns) : columns}
      rows={view.rows}
      rowId={rowId}
      pick={bulk && ((row) => <PickCell id={row.id} name={bulk.nameOf(row)} />)}
      actions={rowActions && ((row) => rowActions(row, view))}
      state={view.state}
    />
  );
  if (bulk)
    return (
      <BulkForm view={view} action={bulk.action} label={label} buttons={bulk.buttons(view)}>
        {table}
      </BulkForm>
    );
  return (
    <>
      {table}
      {view.total > view.per && <Pager {...view} />}
    </>
  );
}
