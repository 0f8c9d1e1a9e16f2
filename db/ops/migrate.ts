import type { Database } from "bun:sqlite";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { readFileSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { NewerSchema } from "../engine/errors";
import { retryWhileBusy } from "../engine/sqlite/lock";
import { emailKey } from "../lib/email-key";
import { fold } from "../lib/fold";
import { composed } from "../lib/text";
import { indexAll } from "../posts/search/search.sqlite";

/** How a database relates to this program: not ours, of an older or newer version, or of exactly this one. */
export type Compatibility = "none" | "older" | "newer" | "same";

/** Compares the migrations that a database has with those of this program. */
export function compare(done: string[], available: string[]): Compatibility {
  if (!done.length) return "none";
  if (!new Set(done).isSubsetOf(new Set(available))) return "newer";
  return new Set(available).isSubsetOf(new Set(done)) ? "same" : "older";
}

type Named = { id: string; filename: string; folded: string };

/**
 * Folds file names for searching again. A migration cannot do this, because SQLite's own lower() knows only the letters
 * a to z.
 */
function refoldFileNames(sqlite: Database): void {
  const set = sqlite.query("UPDATE uploads SET folded = ? WHERE id = ?");
  const all = sqlite.query<Named, []>("SELECT id, filename, folded FROM uploads").all();
  for (const { id, filename, folded } of all) if (folded !== fold(filename)) set.run(fold(filename), id);
}

/** Computes the keys of senders' addresses that are not ASCII, which a migration leaves as they were typed. */
function rekeySenders(sqlite: Database): void {
  const set = sqlite.query("UPDATE messages SET email_key = ? WHERE id = ?");
  const beyondAscii = "SELECT id, email FROM messages WHERE email GLOB '*[^ -~]*'";
  for (const { id, email } of sqlite.query<{ id: string; email: string }, []>(beyondAscii).all())
    set.run(emailKey(email), id);
}

/** Columns of slugs. The second of a pair refers to the first; foreign keys are off. */
const slugColumns = [
  ["posts", "slug"],
  ["post_slugs", "slug"],
  ["tags", "slug"],
  ["post_tags", "tag_slug"],
  ["projects", "slug"],
  ["broadcasts", "slug"],
] as const;

/** Brings slugs into NFC, which earlier releases stored as NFD: in Korean, one character as two or three. */
export function recomposeSlugs(sqlite: Database): void {
  for (const [table, column] of slugColumns) {
    const set = sqlite.query(`UPDATE OR IGNORE ${table} SET ${column} = ? WHERE ${column} = ?`);
    const decomposed = `SELECT DISTINCT ${column} AS slug FROM ${table} WHERE ${column} GLOB '*[\u1100-\u11ff]*'`;
    for (const { slug } of sqlite.query<{ slug: string }, []>(decomposed).all()) set.run(composed(slug), slug);
  }
}

const migrationsFolder = join(import.meta.dir, "../migrations");

type MigrateOptions = {
  /** where to copy a database before it changes; undefined for no copy */
  copyTo?: string | undefined;
  /** the folder of the migrations; tests use their own */
  folder?: string;
  /** false for a new database made by each migration in turn */
  isFromSnapshot?: boolean;
};

/**
 * Migrates a database of SQLite (PostgreSQL: `db/engine/postgres/migrate.ts`) to the schema of this program: all pending
 * migrations in one exclusive transaction, or none, after a copy. Why one failed is recorded, so that the earlier version
 * can tell the owner (`migration-failure.ts`).
 *
 * Drizzle's own migrator is not used: inside its transaction `PRAGMA foreign_keys = OFF` has no effect, so a table
 * rebuild cascades and empties its child tables, and two processes that start simultaneously both migrate. Its file
 * format and its bookkeeping table are kept. Without pending migrations, nothing is written and no references are
 * checked.
 *
 * A database without tables is made from `snapshot.sql`, an eighth of the work, with the same record of every
 * migration. Those that the snapshot does not contain yet follow one by one.
 *
 * @returns how many it has applied
 * @throws if the database is newer than the program, or a migration leaves a dangling reference
 */
export async function migrate(
  sqlite: Database,
  { copyTo, folder = migrationsFolder, isFromSnapshot = true }: MigrateOptions = {},
): Promise<number> {
  const migrations = readMigrationFiles({ migrationsFolder: folder });
  if (!(await retryWhileBusy(() => pending(sqlite, migrations), 30_000)).length) return 0;
  sqlite.run("PRAGMA foreign_keys = OFF");
  try {
    if (copyTo && applied(sqlite).length) await copy(sqlite, copyTo);
    await retryWhileBusy(() => sqlite.run("BEGIN EXCLUSIVE"), 30_000);
    try {
      const isNew = !sqlite.query("SELECT 1 FROM sqlite_schema").get();
      sqlite.run(
        "CREATE TABLE IF NOT EXISTS __drizzle_migrations (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT",
      );
      const wanted = pending(sqlite, migrations);
      const contained = isNew && isFromSnapshot ? runSnapshot(sqlite, folder, wanted) : 0;
      for (const [n, { sql, hash, folderMillis }] of wanted.entries()) {
        if (n >= contained) for (const statement of sql) sqlite.run(statement);
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
      return wanted.length;
    } catch (error) {
      if (sqlite.inTransaction) sqlite.run("ROLLBACK");
      throw error;
    }
  } finally {
    sqlite.run("PRAGMA foreign_keys = ON");
  }
}

/**
 * Makes the tables of a new database as the migrations would.
 *
 * @returns how many of the migrations that makes unnecessary
 */
function runSnapshot(sqlite: Database, folder: string, migrations: Migrations): number {
  const text = readFileSync(join(folder, "snapshot.sql"), "utf8");
  const contained = migrations.findIndex(({ hash }) => text.includes(hash)) + 1;
  if (contained) sqlite.run(text);
  return contained;
}

/** Returns how the database relates to this program. */
export const compatibility = (sqlite: Database): Compatibility =>
  compare(
    applied(sqlite),
    readMigrationFiles({ migrationsFolder }).map(({ hash }) => hash),
  );

/** The name of the newest migration of SQLite, such as "0023_tags". */
export function latestMigration(): string {
  const journal: { entries: { tag: string }[] } = JSON.parse(
    readFileSync(`${migrationsFolder}/meta/_journal.json`, "utf8"),
  );
  return journal.entries.at(-1)?.tag ?? "";
}

type Migrations = ReturnType<typeof readMigrationFiles>;

function pending(sqlite: Database, migrations: Migrations): Migrations {
  const done = applied(sqlite);
  const hashes = new Set(migrations.map(({ hash }) => hash));
  if (done.some((hash) => !hashes.has(hash)))
    throw new NewerSchema(
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
