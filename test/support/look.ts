import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { SQL } from "bun";
import { test } from "bun:test";
import type { Db } from "../../db/engine/open";

/** The engine's own handle, which only tests use. */
type Handles = { sqlite?: Database; pool?: () => SQL };
const handlesOf = (db: Db): Handles => db as Db & Handles;

/** Databases that no other test may reuse. */
export const altered = new WeakSet<Db>();

/** The location of a database that the preload of test:postgres substituted for a file. */
export const locations = new WeakMap<Db, string>();
/** What another process opens to use the same database. */
export const locationOf = (db: Db, file: string): string => locations.get(db) ?? file;

/** The embedded database, for what only SQLite has. */
export function sqliteOf(db: Db): Database {
  const { sqlite } = handlesOf(db);
  if (!sqlite) throw new Error("This test looks into SQLite; add its file to test/support/postgres/sqlite-only.ts");
  return sqlite;
}

export const isOnPostgres = process.env.TEST_DATABASE_URL !== undefined;

/** A test that applies only to SQLite. @param why PostgreSQL does not run it */
export const onSqlite = (why: string) => (isOnPostgres && why ? test.skip : test);

/** Runs one statement beside the service, on either engine, and returns its rows. @param values for each `?` in the text */
export async function look<Row = Record<string, unknown>>(
  db: Db,
  text: string,
  values: SQLQueryBindings[] = [],
): Promise<Row[]> {
  const { pool } = handlesOf(db);
  if (/^\s*(alter|create|drop) /i.test(text)) altered.add(db);
  if (!pool)
    return sqliteOf(db)
      .query<Row, SQLQueryBindings[]>(text)
      .all(...values);
  let position = 0;
  const rows: Record<string, unknown>[] = await pool().unsafe(
    text.replace(/\?(\d*)/g, (_, number: string) => `$${number || ++position}`),
    values,
  );
  return rows.map(
    (row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, decoded(value)])) as Row,
  );
}

const decoded = (value: unknown): unknown =>
  typeof value === "bigint" ? Number(value) : Array.isArray(value) ? value.map(decoded) : value;

/** The same, as arrays of the values. */
export async function lookAt<Row = unknown[]>(db: Db, text: string, values: SQLQueryBindings[] = []): Promise<Row[]> {
  return (await look(db, text, values)).map((row) => Object.values(row) as Row);
}

/**
 * Every row of every table as one text, to see what was stored, or whether anything changed. Rate limits are left out,
 * because every request counts towards them.
 */
export async function everything(db: Db): Promise<string> {
  const tables = isOnPostgres
    ? "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'rate_limit_windows' order by 1"
    : "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%' order by 1";
  const contents: unknown[] = [];
  for (const { name } of await look<{ name: string }>(db, tables))
    contents.push(name, (await look(db, `select * from "${name}"`)).map((row) => JSON.stringify(row)).sort());
  return JSON.stringify(contents);
}

/** Makes every insert into a table, or update of it, fail. Returns a function that undoes this. */
export async function refuse(db: Db, change: "insert" | "update", table: string): Promise<() => Promise<unknown>> {
  if (!isOnPostgres) {
    await look(db, `create trigger refused before ${change} on ${table} begin select raise(abort, 'refused'); end`);
    return () => look(db, "drop trigger refused");
  }
  await look(db, "create function refused() returns trigger language plpgsql as $$ begin raise 'refused'; end $$");
  await look(db, `create trigger refused before ${change} on ${table} for each row execute function refused()`);
  return () => look(db, "drop function refused() cascade");
}

/** Disconnects the database permanently. */
export async function unplug(db: Db): Promise<void> {
  const { sqlite, pool } = handlesOf(db);
  sqlite?.close();
  await pool?.().close({ timeout: 0 });
}
