import { SQLiteError } from "bun:sqlite";

/** The database itself failed: busy for too long, full, broken. Drizzle wraps some of its errors. */
export const isDatabaseFault = (error: unknown): boolean =>
  error instanceof SQLiteError || (error instanceof Error && error.cause !== undefined && isDatabaseFault(error.cause));

/** SQLite came upon a page that cannot be what it is, or a file that is no database. */
export const isDamage = (error: unknown): boolean =>
  error instanceof Error &&
  (("code" in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code))) || isDamage(error.cause));
