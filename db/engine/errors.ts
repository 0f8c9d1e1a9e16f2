import { SQLiteError } from "bun:sqlite";
import { DrizzleQueryError } from "drizzle-orm/errors";

/** `isCommitting`: the commit has been sent. */
export type Attempt = { tries: number; isCommitting: boolean };

/** Returns the code of an error of PostgreSQL (SQLSTATE) or of its connection. Drizzle wraps both. */
export function codeOf(error: unknown): string {
  const { errno, code, cause } = (error ?? {}) as { errno?: unknown; code?: unknown; cause?: unknown };
  return String(errno || code || (cause ? codeOf(cause) : ""));
}

/**
 * Other transactions were faster (40001, 40P01), the server is starting or has become a replica (57P03, 25006), or it
 * ended the connection because the transaction was idle (25P03): nothing of it was stored.
 */
const rolledBack = new Set(["40001", "40P01", "25006", "25P03", "57P03"]);
/** Another transaction's row may have appeared between a query and the write based on it. */
const violated = new Set(["23503", "23505", "23514"]);
const triesOfViolations = 3; // after that it is not another transaction's row

/** Whether retrying a transaction may help, and cannot make anything happen twice (docs/decisions/postgres.md). */
export function mayRunAgain(error: unknown, { tries, isCommitting }: Attempt): boolean {
  const code = codeOf(error);
  if (violated.has(code)) return tries < triesOfViolations;
  return rolledBack.has(code) || (isConnectionLost(error) && !isCommitting);
}

/** Whether the server ended a transaction because this process, busy or stopped, left it idle. */
export const isOurDelay = (error: unknown): boolean => codeOf(error) === "25P03";

/** Whether the server itself rejected a statement: then it did not reach a commit that was sent after it. */
export const isRefused = (error: unknown): boolean => /^(?!EPIPE)[0-9A-Z]{5}$/.test(codeOf(error));

/**
 * The connection was lost or could not be opened, or the server ended it, to shut down (57P01, 57P02) or as idle
 * (25P03).
 */
const isConnectionLost = (error: unknown): boolean =>
  /^(57P0[12]|25P03|08\w{3}|ECONN\w+|EPIPE|ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME)_\w+)$/.test(codeOf(error));

/** The error of a statement that was abandoned. */
export const noAnswer = () => new Bun.SQL.PostgresError("The database did not answer in time.", { code: "ETIMEDOUT" });

/** Whether the database cannot be reached, or is not ready yet. */
export const isAway = (error: unknown): boolean => isConnectionLost(error) || codeOf(error) === "57P03";

/** Queries once more if the connection was cut, although the first query may have run. */
export const againIfCut = <T>(query: () => Promise<T>): Promise<T> =>
  query().catch((error) => (isConnectionLost(error) ? query() : Promise.reject(error)));

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

/** The code of SQLite's error, such as SQLITE_FULL; undefined for other errors. */
export const sqliteCode = (error: unknown): string | undefined =>
  error instanceof SQLiteError
    ? error.code
    : error instanceof Error && error.cause
      ? sqliteCode(error.cause)
      : undefined;

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
