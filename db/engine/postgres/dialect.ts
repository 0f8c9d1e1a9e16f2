import type { SQL } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { SqliteRemoteDatabase, SQLiteRemoteSession } from "drizzle-orm/sqlite-proxy";

/** Runs one statement on some connection. If no rows are wanted, they need not be awaited. */
type Run = (text: string, params: unknown[], wantsRows: boolean) => Promise<unknown[][]>;

/**
 * PostgreSQL understands what Drizzle writes for SQLite, because the tables keep SQLite's storage types. The exceptions
 * are the placeholders, the target of an upsert, and hints to SQLite's planner. A comment that starts with "pg" is for
 * PostgreSQL alone.
 */
class Dialect extends SQLiteAsyncDialect {
  override escapeParam(index: number): string {
    return `$${index + 1}`;
  }
  override sqlToQuery(query: SQL, source?: "indexes") {
    const built = super.sqlToQuery(query, source);
    return { ...built, sql: translated(built.sql) };
  }
}

const translated = (text: string): string =>
  text
    .replace(/ on conflict \(([^)]*)\)/g, (_, names: string) => ` on conflict (${names.replace(/"\w+"\./g, "")})`)
    .replace(/ indexed by \w+/g, "")
    .replace(/(^|[\s(])\+(?=")/g, "$1")
    .replace(/([\w".]+) collate nocase/g, "lower($1)")
    .replace(/\/\*pg (.*?)\*\//g, "$1");

const dialect = new Dialect({ casing: "snake_case" });

/** Writes an expression of the schema for PostgreSQL, without table names. */
export const textOf = (expression: SQL): string => dialect.sqlToQuery(expression, "indexes").sql;

export class PostgresOrm extends SqliteRemoteDatabase {}

/** An orm whose statements go through `run`. */
export function ormOver(run: Run): PostgresOrm {
  const client = async (text: string, params: unknown[], method: "run" | "all" | "values" | "get") => {
    const nul = /^\s*select/i.test(text) ? "\ufffd" : "";
    const storable = params.map((param) => withoutNul(param, nul));
    const rows = await run(text, storable, method !== "run");
    for (const row of rows) decode(row);
    return { rows: method === "get" ? (rows[0] as unknown[]) : rows };
  };
  return new PostgresOrm("async", dialect, new SQLiteRemoteSession(client, dialect, undefined), undefined);
}

/** PostgreSQL's texts cannot contain NUL. It is removed from what is stored (D8), and matches nothing in a query. */
const withoutNul = (value: unknown, replacement: string) =>
  typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", replacement) : value;

/** Counts, sizes and times are int8 in PostgreSQL. Ours are below 2^53, so a number holds them. */
function decode(row: unknown[]): void {
  for (const [at, value] of row.entries()) if (typeof value === "bigint") row[at] = Number(value);
}
