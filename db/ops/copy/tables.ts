import { is, SQL } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { getTableConfig, SQLiteSyncDialect, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { allTables } from "../../migrations/postgres/tables";
import type { Compatibility } from "../migrate";

/** A column, how its values are to be read, and its value in rows that come without one. */
export type CopiedColumn = {
  name: string;
  kind: "time" | "flag" | "json" | "bytes" | "plain";
  /** Undefined: there is no such row. */
  initial: Value | undefined;
};

/** A table as both engines have it. */
export type CopiedTable = {
  name: string;
  columns: CopiedColumn[];
  /** The columns that order its rows in the same way in both engines. */
  key: string[];
  /** Has rows numbered by the database, in a column called "row". */
  hasRow: boolean;
};

export type Value = string | number | null | Uint8Array;
export type Row = Value[];

/** Not copied: which process does which task is meaningless elsewhere. */
const left = new Set(["jobs"]);
/** Tables that have rows in a new database too, made by migrations. */
export const derived = new Set(["versions", "subscriber_counts", "post_counts"]);

/** Every table, each after those it refers to. */
export async function copiedTables(): Promise<CopiedTable[]> {
  const tables = (await allTables()).filter((table) => !left.has(getTableConfig(table).name));
  const sorted: SQLiteTable[] = [];
  const add = (table: SQLiteTable) => {
    if (sorted.includes(table)) return;
    const others = getTableConfig(table).foreignKeys.map((key) => key.reference().foreignTable as SQLiteTable);
    for (const other of others) if (other !== table) add(other);
    sorted.push(table);
  };
  for (const table of tables) add(table);
  return sorted.map(shapeOf);
}

function shapeOf(table: SQLiteTable): CopiedTable {
  const { name, columns, primaryKeys } = getTableConfig(table);
  const own = columns.filter(({ primary }) => primary);
  const key = (own.length ? own : (primaryKeys[0]?.columns ?? columns)).map(nameOf);
  return {
    name,
    key,
    hasRow: key.length === 1 && key[0] === "row",
    columns: columns.map((column) => ({ name: nameOf(column), kind: kindOf(column), initial: initialOf(column) })),
  };
}

const kinds: Record<string, CopiedColumn["kind"]> = {
  SQLiteTimestamp: "time",
  SQLiteBoolean: "flag",
  SQLiteTextJson: "json",
  SQLiteBlobBuffer: "bytes",
};
const kindOf = ({ columnType }: SQLiteColumn) => kinds[columnType] ?? "plain";

/** What a row gets that comes from a schema without the column. A default in SQL is a number. */
function initialOf(column: SQLiteColumn): Value | undefined {
  if (is(column.default, SQL)) return Number(new SQLiteSyncDialect().sqlToQuery(column.default).sql);
  const initial: unknown = column.default !== undefined && column.mapToDriverValue(column.default);
  if (typeof initial === "string" || typeof initial === "number") return initial;
  return column.notNull ? undefined : null;
}

const nameOf = ({ name }: SQLiteColumn) => toSnakeCase(name);

export const namesOf = ({ columns }: CopiedTable): string => columns.map(({ name }) => `"${name}"`).join(", ");
export const orderOf = ({ key }: CopiedTable): string => key.map((name) => `"${name}"`).join(", ");

/** A database of either engine. */
export type Side = {
  compatibility(): Promise<Compatibility>;
  /** Whether a service appears to be running on it. */
  isInUse(): Promise<boolean>;
  /** Rows in the order of their key, in batches of up to a thousand rows and about 8 MB. */
  rows(table: CopiedTable): AsyncIterable<Row[]>;
  close(): Promise<void>;
};
/** Where rows come from. */
export type Source = Side & {
  /** Everything read from now on is from the same moment. */
  begin(): Promise<void>;
};
/** The target of the rows: what is inserted exists after `finish`, and nothing does if that is not reached. */
export type Target = Side & {
  /** Returns the name of a table that already has rows. */
  filledTable(tables: CopiedTable[]): Promise<string | undefined>;
  prepare(tables: CopiedTable[]): Promise<void>;
  insert(table: CopiedTable, rows: Row[]): Promise<void>;
  finish(): Promise<void>;
};

const maxRows = 1_000;
const maxBytes = 8_000_000; // a batch is one parameter, which PostgreSQL limits to 1 GB

/** Returns a function that takes the size of the next row, and says whether the batch ends with that row. */
export function batches(): (bytes: number) => boolean {
  let [rows, total] = [0, 0];
  return (bytes) => {
    [rows, total] = [rows + 1, total + bytes];
    const isFull = rows >= maxRows || total >= maxBytes;
    if (isFull) [rows, total] = [0, 0];
    return isFull;
  };
}
