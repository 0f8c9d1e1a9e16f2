import type { SQL } from "bun";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { NewerSchema } from "../errors";

/** It is idle while it reads files, on a slow machine for seconds. One that has stopped ends before others give up. */
const begin = `begin; set local statement_timeout = 0; set local lock_timeout = '30s';
  set local idle_in_transaction_session_timeout = '20s'`;

/**
 * Migrates the database to the schema of this program: all pending migrations in one transaction under one lock, or
 * none. There is no way back.
 *
 * @param folder the SQL files, applied in the order of their names
 * @returns how many it has applied
 * @throws if the database is newer than the program
 */
export async function migrate(pool: SQL, folder: string): Promise<number> {
  const connection = await pool.reserve();
  try {
    await connection.unsafe(begin);
    await connection.unsafe("select pg_advisory_xact_lock(hashtext('postroom migrations'))"); // other processes may be starting too
    await connection.unsafe(
      "create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())",
    );
    const names = await pending(connection, folder);
    for (const name of names) {
      await connection.unsafe(await readFile(join(folder, name), "utf8"));
      await connection.unsafe("insert into migrations (name) values ($1)", [name]);
    }
    await connection.unsafe("commit");
    return names.length;
  } catch (error) {
    await connection.unsafe("rollback").catch(() => undefined);
    throw error;
  } finally {
    connection.release();
  }
}

/** @throws if the database has migrations that this program does not know */
async function pending(connection: SQL, folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const rows: [string][] = await connection.unsafe("select name from migrations", []).values();
  const done = new Set(rows.flat());
  const missing = names.filter((name) => !done.has(name));
  if (names.length - missing.length === done.size) return missing;
  throw new NewerSchema(
    "The database was written by a newer version of Postroom. Start that version, or restore an older backup.",
  );
}
