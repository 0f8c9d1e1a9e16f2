import { SQLiteError } from "bun:sqlite";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { codeOf } from "./postgres/errors";

/** Whether the database itself failed: busy for too long, full, broken or away. Drizzle wraps some of its errors. */
export const isDatabaseFault = (error: unknown): boolean =>
  error instanceof SQLiteError ||
  error instanceof Bun.SQL.SQLError ||
  (error instanceof Error && error.cause !== undefined && isDatabaseFault(error.cause));

/** A newer version of the program has migrated the database since it was opened. */
export class NewerSchema extends Error {
  override name = "NewerSchema";
}

/** Whether PostgreSQL refused a write because it is a replica, or its transactions are read-only. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === "25006";

/** Whether SQLite found a corrupt page, or a file that is not a database. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Error &&
  (("code" in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code))) || isDamage(error.cause));

/**
 * Returns the database's own message, without the statement and its values, which Drizzle adds and logs must not
 * contain.
 */
export const withoutStatement = (error: unknown): unknown =>
  error instanceof DrizzleQueryError && error.cause ? withoutStatement(error.cause) : error;
