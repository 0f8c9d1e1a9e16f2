import type { Child } from "../../jsx/jsx-runtime";
import type { ListState } from "../list";
import { ActionsHeader, PickAll, SortHeader, Table } from "./table";

export type Column<Row> = {
  /** Its name among the columns that managers choose from (choose-columns.tsx). */
  key?: string;
  title: string;
  /** The key in the URL, if the rows can be sorted by this column. */
  sort?: string;
  /** The cells' classes: `main` names the row, `extra` is left out on narrow screens. */
  kind?: string;
  /** The header's class. */
  headKind?: string;
  cell: (row: Row) => Child;
};

type ColumnTableProps<Row> = {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  rowId?: ((row: Row) => string) | undefined;
  rowKind?: string;
  /** The cell that selects a row. */
  pick?: ((row: Row) => Child) | undefined;
  /** The buttons in a row. */
  actions?: ((row: Row) => Child) | undefined;
  /** What the rows are sorted by, if that can be chosen. */
  state?: ListState;
  /** False inside a card, which has its own frame. */
  isFramed?: boolean;
};

/** A table, declared as its columns. */
export const ColumnTable = <Row,>({ caption, isFramed, ...table }: ColumnTableProps<Row>) => (
  <Table caption={caption} head={<Headers {...table} />} {...(isFramed === false && { isFramed })}>
    {table.rows.map((row) => (
      <TableRow row={row} {...table} />
    ))}
  </Table>
);

type RowsProps<Row> = Omit<ColumnTableProps<Row>, "caption" | "isFramed">;

const Headers = <Row,>({ columns, pick, actions, state }: RowsProps<Row>) => (
  <>
    {pick && <PickAll />}
    {columns.map(({ title, sort, headKind }) =>
      sort && state ? (
        <SortHeader state={state} by={sort}>
          {title}
        </SortHeader>
      ) : (
        <th scope="col" class={headKind}>
          {title}
        </th>
      ),
    )}
    {actions && <ActionsHeader />}
  </>
);

const TableRow = <Row,>({ row, columns, rowId, rowKind, pick, actions }: RowsProps<Row> & { row: Row }) => (
  <tr id={rowId?.(row)} class={rowKind} role="row">
    {pick?.(row)}
    {columns.map(({ kind, cell }) => (
      <td class={kind} role="cell">
        {cell(row)}
      </td>
    ))}
    {actions && (
      <td class="acts" role="cell">
        {actions(row)}
      </td>
    )}
  </tr>
);
