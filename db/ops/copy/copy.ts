import { is, SQL } from "drizzle-orm";
import { toSnakeCase } from "drizzle-orm/casing";
import { getTableConfig, type SQLiteColumn, SQLiteSyncDialect, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { createHash } from "node:crypto";
import { allTables } from "../../migrations/postgres/tables";
import { maxSilenceMs } from "../leases";
import type { Compatibility } from "../migrate";

const remedies: Record<Compatibility, string | undefined> = {
  none: "is not a Postroom database.",
  older: "is of an older version of Postroom. Start this version on it once, and copy it then.",
  newer: "was written by a newer version of Postroom. Use that version to copy it.",
  same: undefined,
};

/** @throws unless the database has exactly the tables and columns of this program: others would be lost silently */
export async function checkSource(source: Side): Promise<void> {
  const remedy = remedies[await source.compatibility()];
  if (remedy) throw new Error(`The source ${remedy}`);
  await checkUnused(source, "source");
}

/** @throws if the database has tables of another version, even empty ones: this one would migrate them */
export async function checkTarget(target: Side): Promise<void> {
  const compatibility = await target.compatibility();
  if (compatibility === "none") return;
  if (compatibility !== "same")
    throw new Error("The target is not empty: it has the tables of another version of Postroom.");
  await checkUnused(target, "target");
}

/** @throws while a service uses the database: what it writes after the copy has begun would be lost */
async function checkUnused(database: Side, name: "source" | "target"): Promise<void> {
  if (await database.isInUse())
    throw new Error(
      `A server is using the ${name}. Stop it first. If it was killed, wait ${maxSilenceMs / 1_000} seconds.`,
    );
}

type Copied = { table: string; rows: number; sha256: string };

/**
 * Copies every table into an empty database and verifies the result: the number of rows of each table, and a hash over
 * all columns in the order of the key.
 *
 * @param copied is called after each table
 * @throws if the target has rows, or the result differs: then the target is empty
 */
export async function copyDatabase(source: Source, target: Target, copied: (table: Copied) => void): Promise<void> {
  const tables = await copiedTables();
  const filled = await target.filledTable(tables);
  if (filled) throw new Error(`The target is not empty: it has rows in the table ${filled}.`);
  await source.begin();
  await target.prepare(tables);
  for (const table of tables) {
    const sent = fingerprint();
    for await (const batch of source.rows(table)) {
      const rows = batch.map(sayable);
      sent.add(rows);
      await target.insert(table, rows);
    }
    const arrived = fingerprint();
    for await (const rows of target.rows(table)) arrived.add(rows);
    const [before, after] = [sent.result(), arrived.result()];
    if (before.rows !== after.rows || before.sha256 !== after.sha256)
      throw new Error(`The table ${table.name} has arrived differently. The target is left empty.`);
    copied({ table: table.name, ...after });
  }
  await checkUnused(source, "source"); // it may have been started during the copy
  await target.finish();
}

/** PostgreSQL has no NUL in texts: replaces it as the engine would. */
const sayable = (row: Row): Row =>
  row.map((value) => (typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value));

function fingerprint() {
  const hash = createHash("sha256");
  let count = 0;
  return {
    add(rows: Row[]): void {
      count += rows.length;
      for (const row of rows) hash.update(`${JSON.stringify(row.map(comparable))}\n`);
    },
    result: () => ({ rows: count, sha256: hash.digest("hex") }),
  };
}

const comparable = (value: Row[number]) =>
  value instanceof Uint8Array ? { bytes: Buffer.from(value).toString("base64") } : value;

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
type Side = {
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
  /** @param last a statement of the same transaction, after all rows */
  finish(last?: string): Promise<void>;
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
