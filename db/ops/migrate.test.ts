import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../open";
import { migrate } from "./migrate";
import { migratedInTurn, snapshotOf } from "./snapshot";

const folder = mkdtempSync(join(tmpdir(), "postroom-migrate-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, `${name}.sqlite`);

const schemaOf = (path: string) => {
  const sqlite = new Database(path, { readonly: true });
  const rows = sqlite.query("select type, name, sql from sqlite_schema order by name").all();
  sqlite.close();
  return rows;
};

async function fresh(name: string) {
  await (await openDb(file(name))).close();
  return new Database(file(name), { strict: true });
}

/** The existing migrations and one more, as a later version of the program would have them. */
function laterVersion(name: string, sql: string): string {
  const later = join(folder, name);
  cpSync(join(import.meta.dir, "../migrations"), later, { recursive: true });
  const journal = join(later, "meta/_journal.json");
  const { entries, ...rest } = JSON.parse(readFileSync(journal, "utf8"));
  const entry = { idx: entries.length, version: "6", when: 9_999_999_999_999, tag: "9999_later", breakpoints: true };
  writeFileSync(journal, JSON.stringify({ ...rest, entries: [...entries, entry] }));
  writeFileSync(join(later, "9999_later.sql"), sql);
  return later;
}

const rows = (sqlite: Database, sql: string) => sqlite.query(sql).all();

test("a fresh database gets the whole schema; a second start changes nothing", async () => {
  (await fresh("twice")).close();
  const before = schemaOf(file("twice"));
  expect(before.length).toBeGreaterThan(30);
  await (await openDb(file("twice"), { copyBeforeMigration: `${file("twice")}.copy` })).close();
  expect(schemaOf(file("twice"))).toEqual(before);
  expect(existsSync(`${file("twice")}.copy`)).toBe(false);
});

test("a new database gets the migrations that the snapshot does not contain yet, too", async () => {
  const sqlite = new Database(":memory:", { strict: true });
  const before = await migrate(new Database(":memory:"));
  expect(await migrate(sqlite, { folder: laterVersion("beyond", "CREATE TABLE beyond (id);") })).toBe(before + 1);
  expect(rows(sqlite, "select name from sqlite_schema where name in ('posts', 'beyond')")).toHaveLength(2);
  expect(rows(sqlite, "select hash from __drizzle_migrations")).toHaveLength(before + 1);
});

test("snapshot.sql is what the migrations of SQLite make; npm run db:snapshot writes it", async () => {
  expect(readFileSync(join(import.meta.dir, "../migrations/snapshot.sql"), "utf8")).toBe(
    snapshotOf(await migratedInTurn()),
  );
});

test("a new database is the same from the snapshot as by each migration in turn", async () => {
  const fromSnapshot = new Database(":memory:", { strict: true });
  await migrate(fromSnapshot);
  const contents = contentsOf(fromSnapshot);
  expect(Object.keys(contents).length).toBeGreaterThan(80);
  expect(contents).toEqual(contentsOf(await migratedInTurn()));
});

/** The schema, and the rows of every table, those of the search indexes and the record of migrations among them. */
function contentsOf(sqlite: Database): Record<string, unknown[]> {
  const schema = sqlite.query("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").all();
  const tables = sqlite.query<{ name: string }, []>("SELECT name FROM pragma_table_list WHERE schema = 'main'").all();
  const rows = tables
    .filter(({ name }) => name !== "sqlite_schema")
    .map(({ name }) => {
      const all = sqlite.query<Record<string, unknown>, []>(`SELECT * FROM "${name}"`).all();
      return [name, all.map(({ changed_at, ...row }) => ({ ...row, ...(changed_at ? { changed: true } : {}) }))];
    });
  return { ...Object.fromEntries(rows), schema };
}

test("two processes that start simultaneously both finish migrating", async () => {
  const start = `const { openDb } = await import(${JSON.stringify(join(import.meta.dir, "../open.ts"))});
    await (await openDb(process.argv[1])).close();`;
  const both = [1, 2, 3].map(() => Bun.spawn([process.execPath, "-e", start, file("race")], { stderr: "pipe" }));
  expect(await Promise.all(both.map(({ exited }) => exited))).toEqual([0, 0, 0]);
  const sqlite = new Database(file("race"));
  expect(rows(sqlite, "select hash, count(*) n from __drizzle_migrations group by hash having n > 1")).toEqual([]);
  sqlite.close();
});

test("a database of a newer version is refused and left alone", async () => {
  const sqlite = await fresh("newer");
  sqlite.run("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('of-tomorrow', 9999999999999)");
  sqlite.close();
  const before = schemaOf(file("newer"));
  await expect(openDb(file("newer"))).rejects.toThrow("newer version of Postroom");
  expect(schemaOf(file("newer"))).toEqual(before);
});

test("a dangling reference stops the migration", async () => {
  const sqlite = await fresh("dangling");
  sqlite.run("PRAGMA foreign_keys = OFF");
  sqlite.run("INSERT INTO post_tags (post_id, tag_slug, position) VALUES ('nobody', 'nothing', 0)");
  const later = laterVersion("dangling", "CREATE TABLE another (id);");
  await expect(migrate(sqlite, { folder: later })).rejects.toThrow("2 dangling references");
  expect(rows(sqlite, "select name from sqlite_schema where name = 'another'")).toEqual([]);
  expect(sqlite.query("PRAGMA foreign_keys").get()).toEqual({ foreign_keys: 1 });
  sqlite.close();
});

// What drizzle-kit generates for a changed column: with foreign keys on, the DROP would empty sessions.
const rebuild = `CREATE TABLE new_managers AS SELECT * FROM managers;--> statement-breakpoint
DROP TABLE managers;--> statement-breakpoint
ALTER TABLE new_managers RENAME TO managers;--> statement-breakpoint
CREATE UNIQUE INDEX managers_id ON managers (id);`;

test("a migration that rebuilds a table keeps the rows that refer to it, and a copy from before", async () => {
  const sqlite = await fresh("rebuild");
  sqlite.run(
    "INSERT INTO managers (id, email, email_key, role, password_hash, created_at) VALUES ('m', 'a@b.c', 'a@b.c', 'owner', '', 0)",
  );
  sqlite.run("INSERT INTO recovery_codes (manager_id, hash) VALUES ('m', 'h')");
  const copy = `${file("rebuild")}.copy`;
  await migrate(sqlite, { copyTo: copy, folder: laterVersion("rebuild", rebuild) });

  expect(rows(sqlite, "select manager_id, hash from recovery_codes")).toEqual([{ manager_id: "m", hash: "h" }]);
  expect(rows(sqlite, "select name from sqlite_schema where name = 'managers_id'")).toHaveLength(1);
  expect(schemaOf(copy).some((row) => JSON.stringify(row).includes("managers_id"))).toBe(false);
  const before = new Database(copy, { readonly: true });
  expect(rows(before, "select hash from recovery_codes")).toEqual([{ hash: "h" }]);
  expect(existsSync(`${copy}.part`)).toBe(false);
  before.close();
  sqlite.close();
});

test("a migration that fails halfway leaves everything as it was", async () => {
  const sqlite = await fresh("failing");
  const before = schemaOf(file("failing"));
  const later = laterVersion("failing", "CREATE TABLE half (id);--> statement-breakpoint\nCREATE TABLE settings (id);");
  await expect(migrate(sqlite, { copyTo: `${file("failing")}.copy`, folder: later })).rejects.toThrow("already exists");
  expect(schemaOf(file("failing"))).toEqual(before);
  expect(rows(sqlite, "PRAGMA foreign_keys")).toEqual([{ foreign_keys: 1 }]);
  expect(sqlite.inTransaction).toBe(false);
  sqlite.close();
});

// Writes 40 MB, far more than SQLite's cache, and then goes on for hours.
const endless = `CREATE TABLE half AS
  WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 20000) SELECT hex(randomblob(1000)) AS x FROM n;
--> statement-breakpoint
CREATE TABLE never AS WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1e12) SELECT count(*) FROM n;`;

test("a migration that is killed in the middle leaves everything as it was, and is done at the next start (R13)", async () => {
  const path = file("killed");
  const sqlite = await fresh("killed");
  const before = schemaOf(path);
  sqlite.close();
  const work = `const { Database } = await import("bun:sqlite");
    const { migrate } = await import(${JSON.stringify(join(import.meta.dir, "migrate.ts"))});
    await migrate(new Database(process.argv[1]), { folder: process.argv[2] });`;
  const child = Bun.spawn([process.execPath, "-e", work, path, laterVersion("endless", endless)]);
  const log = `${path}-wal`;
  while (!existsSync(log) || statSync(log).size < 20_000_000) await Bun.sleep(5);
  child.kill("SIGKILL");
  await child.exited;

  const after = new Database(path, { strict: true });
  expect(rows(after, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
  expect(schemaOf(path)).toEqual(before);
  await migrate(after, { folder: laterVersion("whole", "CREATE TABLE half (x);") });
  expect(rows(after, "select name from sqlite_schema where name in ('half', 'never')")).toEqual([{ name: "half" }]);
  after.close();
});
