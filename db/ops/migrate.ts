import type { Database } from "bun:sqlite";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { rename, rm } from "node:fs/promises";
import { retryWhileBusy } from "../engine/sqlite/retry";
import { indexAll } from "../posts/search/search.sqlite";
import { type Compatibility, compare } from "./compatibility";
import { recomposeSlugs, refoldFileNames, rekeySenders } from "./refold";

const migrationsFolder = `${import.meta.dir}/../migrations`;

/**
 * Migrates the database to the schema of this program: all pending migrations in one exclusive transaction, or none.
 *
 * Drizzle's own migrator is not used: inside its transaction `PRAGMA foreign_keys = OFF` has no effect, so a table
 * rebuild cascades and empties its child tables, and two processes that start simultaneously both migrate. Its file
 * format and its bookkeeping table are kept. Without pending migrations, nothing is written and no references are
 * checked.
 *
 * @param copyTo where to copy a database before it changes; undefined for no copy
 * @param folder the folder of the migrations; tests use their own
 * @throws if the database is newer than the program, or a migration leaves a dangling reference
 */
export async function migrate(sqlite: Database, copyTo?: string, folder = migrationsFolder): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder: folder });
  if (!(await retryWhileBusy(() => pending(sqlite, migrations), 30_000)).length) return;
  sqlite.run("PRAGMA foreign_keys = OFF");
  try {
    if (copyTo && applied(sqlite).length) await copy(sqlite, copyTo);
    await retryWhileBusy(() => sqlite.run("BEGIN EXCLUSIVE"), 30_000);
    try {
      sqlite.run(
        "CREATE TABLE IF NOT EXISTS __drizzle_migrations (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT",
      );
      const wanted = pending(sqlite, migrations);
      for (const { sql, hash, folderMillis } of wanted) {
        for (const statement of sql) sqlite.run(statement);
        sqlite.run("INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)", [hash, folderMillis]);
      }
      if (wanted.length) {
        // otherwise another process was faster
        refoldFileNames(sqlite);
        rekeySenders(sqlite);
        recomposeSlugs(sqlite);
        indexAll(sqlite);
      }
      const dangling = sqlite.query("PRAGMA foreign_key_check").all();
      if (dangling.length)
        throw new Error(`A migration would leave ${dangling.length} dangling references; nothing was changed`);
      sqlite.run("COMMIT");
    } catch (error) {
      if (sqlite.inTransaction) sqlite.run("ROLLBACK");
      throw error;
    }
  } finally {
    sqlite.run("PRAGMA foreign_keys = ON");
  }
}

/** Returns how the database relates to this program. */
export const compatibility = (sqlite: Database): Compatibility =>
  compare(
    applied(sqlite),
    readMigrationFiles({ migrationsFolder }).map(({ hash }) => hash),
  );

type Migrations = ReturnType<typeof readMigrationFiles>;

function pending(sqlite: Database, migrations: Migrations): Migrations {
  const done = applied(sqlite);
  const known = new Set(migrations.map(({ hash }) => hash));
  if (done.some((hash) => !known.has(hash)))
    throw new Error(
      "The database was written by a newer version of Postroom. Start that version, or restore an older backup.",
    );
  return migrations.filter(({ hash }) => !done.includes(hash));
}

function applied(sqlite: Database): string[] {
  const exists = sqlite.query("SELECT 1 FROM sqlite_schema WHERE name = '__drizzle_migrations'").get();
  if (!exists) return [];
  return sqlite
    .query<{ hash: string }, []>("SELECT hash FROM __drizzle_migrations")
    .all()
    .map(({ hash }) => hash);
}

/** The final name appears only once the copy is complete. */
async function copy(sqlite: Database, to: string): Promise<void> {
  await rm(`${to}.part`, { force: true });
  sqlite.run("VACUUM INTO ?", [`${to}.part`]);
  await rename(`${to}.part`, to);
}
