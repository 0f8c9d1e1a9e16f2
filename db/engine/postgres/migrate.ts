import type { SQL } from "bun";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

type Migration = { name: string; text: string; hash: string };

/**
 * Migrates the database to the schema of this program: all pending migrations in one transaction under one lock, or
 * none. There is no way back.
 *
 * @param folder the SQL files, applied in the order of their names
 * @throws if the database is newer than the program
 */
export async function migrate(pool: SQL, folder: string): Promise<void> {
  const connection = await pool.reserve();
  try {
    await connection.unsafe("begin; set local lock_timeout = '30s'; set local statement_timeout = 0");
    await connection.unsafe("select pg_advisory_xact_lock(hashtext('postroom migrations'))"); // other processes start too
    await connection.unsafe(
      "create table if not exists migrations (name text primary key, hash text not null, applied_at timestamptz not null default now())",
    );
    for (const { name, text, hash } of await pending(connection, await readMigrations(folder))) {
      await connection.unsafe(text);
      await connection.unsafe("insert into migrations (name, hash) values ($1, $2)", [name, hash]);
    }
    await connection.unsafe("commit");
  } catch (error) {
    await connection.unsafe("rollback").catch(() => undefined);
    throw error;
  } finally {
    connection.release();
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return texts.map((text, at) => ({
    ...{ name: names[at] ?? "", text },
    hash: createHash("sha256").update(text).digest("hex"),
  }));
}

/** @throws if the database has migrations that this program does not know */
async function pending(connection: SQL, migrations: Migration[]): Promise<Migration[]> {
  const rows: [string][] = await connection.unsafe("select hash from migrations", []).values();
  const done = new Set(rows.flat());
  const found = migrations.filter(({ hash }) => !done.has(hash));
  if (migrations.length - found.length === done.size) return found;
  throw new Error(
    "The database was written by a newer version of Postroom. Start that version, or restore an older backup.",
  );
}
