import type { Child } from "../../jsx/jsx-runtime";
import { Icon } from "../icon";
import { ListLink, type ListState, listUrl } from "../list";

type TableProps = {
  caption: string;
  /** The header cells. */
  head: Child;
  /** False inside a card, which has its own frame. */
  isFramed?: boolean;
  children?: Child;
};

/**
 * Rows below their headers. On a narrow screen each row becomes a card; the roles keep it a table for screen readers.
 */
export const Table = ({ caption, head, isFramed = true, children }: TableProps) => (
  <div class={isFramed ? "table-frame" : undefined}>
    <table class="table" role="table">
      <caption class="sr">{caption}</caption>
      <thead>
        <tr role="row">{head}</tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);

/** The header of the column with the rows' buttons. */
export const ActionsHeader = () => (
  <th scope="col">
    <span class="sr">Actions</span>
  </th>
);

type SortHeaderProps = { state: ListState; by: string; children?: Child };

/** A sortable column. `sort` in the URL is the key, with a minus for descending. */
export function SortHeader({ state, by, children }: SortHeaderProps) {
  const { initialSort: initial = "" } = state;
  const current = state.query.sort || initial;
  const sorted = current === by ? "ascending" : current === `-${by}` ? "descending" : undefined;
  const next = sorted === "descending" ? by : sorted === "ascending" ? `-${by}` : initial.endsWith(by) ? initial : by;
  return (
    <th scope="col" aria-sort={sorted}>
      <ListLink href={listUrl(state, { sort: next === initial ? "" : next })} id={`sort-${by}`}>
        {children}
        <Icon name={sorted === "ascending" ? "chevron-up" : "chevron-down"} />
      </ListLink>
    </th>
  );
}

/** The checkbox that selects a row. The whole cell is its target. */
export const Pick = ({ id, label }: { id: string; label: string }) => (
  <td class="pick" role="cell">
    <label>
      <input type="checkbox" name="ids" value={id} id={`pick-${id}`} aria-label={`Select ${label}`} />
    </label>
  </td>
);

/** The same; empty for a row without a name, which cannot be selected. */
export const PickCell = ({ id, name }: { id: string; name: string | null }) =>
  name ? <Pick id={id} label={name} /> : <td class="pick" role="cell" />;

/** The header above the checkboxes of a second table: the first one's checkbox selects all rows. */
export const NoPickAll = () => (
  <th scope="col" class="pick">
    <span class="sr">Select</span>
  </th>
);

/** Selects all rows of the page. */
export const PickAll = () => (
  <th scope="col" class="pick">
    <label class="with-script">
      <input type="checkbox" data-pick-all id="pick-all" />
      <span class="sr">Select all on this page</span>
    </label>
    <span class="sr without-script">Select</span>
  </th>
);

export type Column<Row> = {
  /** Its name among the columns that managers choose from (choose-columns.tsx). */
  key?: string;
  title: string;
  /** The key in the URL, if the rows can be sorted by this column. */
  sort?: string;
  /** The cells' classes: `main` names the row; on narrow screens `extra` is left out, `line` is a line with its title. */
  kind?: string;
  /** The header's class. */
  headKind?: string;
  /** What a time in it is of, if the title does not say it as it stands. */
  of?: string;
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

/** Said beside a time on a phone, which has no headings. These titles say no more than the time itself. */
const timeOf = ({ kind, title, of = title }: Pick<Column<never>, "kind" | "title" | "of">) =>
  kind === "when" && title !== "When" && title !== "Time" ? of : undefined;

/** Said on a phone before a line of its own, or before a figure. */
const lineOf = ({ kind = "", title }: Pick<Column<never>, "kind" | "title">) =>
  /^line\b/.test(kind) ? title : undefined;

const TableRow = <Row,>({ row, columns, rowId, rowKind, pick, actions }: RowsProps<Row> & { row: Row }) => (
  <tr id={rowId?.(row)} class={rowKind} role="row">
    {pick?.(row)}
    {columns.map((column) => (
      <td class={column.kind} role="cell" data-time-of={timeOf(column)} data-line-of={lineOf(column)}>
        {column.cell(row)}
      </td>
    ))}
    {actions && (
      <td class="acts" role="cell">
        {actions(row)}
      </td>
    )}
  </tr>
);

/** The URLs of two sizes of a picture. */
type Cover = { src: string; large: string };
/** By ID of the row. None for a cover that is no picture of ours: nothing is asked of other servers. */
export type Covers = ReadonlyMap<string, Cover>;

/** What names a row, beside its cover, or the space of one where others have one. */
export const Covered = ({ id, covers, children }: { id: string; covers: Covers; children?: Child }) =>
  covers.size > 0 ? (
    <div class="covered">
      <CoverOf cover={covers.get(id)} />
      <div>{children}</div>
    </div>
  ) : (
    <>{children}</>
  );

const CoverOf = ({ cover }: { cover: Cover | undefined }) =>
  cover ? (
    <img
      class="cover"
      src={cover.src}
      srcset={`${cover.large} 2x`}
      width="48"
      height="36"
      alt=""
      loading="lazy"
      decoding="async"
    />
  ) : (
    <span class="cover" />
  );
