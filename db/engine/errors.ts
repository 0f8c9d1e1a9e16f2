import { SQLiteError } from "bun:sqlite";

/** The database itself failed: busy for too long, full, broken. Drizzle wraps some of its errors. */
export const isDatabaseFault = (error: unknown): boolean =>
  error instanceof SQLiteError || (error instanceof Error && error.cause !== undefined && isDatabaseFault(error.cause));
