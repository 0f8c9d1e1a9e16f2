import { Database } from "bun:sqlite";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openSqlite } from "../../db/engine/sqlite/open";
import { postgresSide } from "../../db/ops/copy/postgres";
import { sqliteSide } from "../../db/ops/copy/sqlite";
import { type CopiedTable, copiedTables } from "../../db/ops/copy/copy";
import { migrate } from "../../db/ops/migrate";
import { administer, open, urlOf } from "../support/postgres/databases";
import { postroom, postroomUntil, startService, temporaryFolder } from "../support/processes";

const server = process.env.TEST_DATABASE_URL ?? "";
const name = `copy_${process.pid}`;
const url = urlOf(server, name);
const APP_SECRET = "a-secret-of-at-least-32-characters";

const recreate = () => administer(server, `drop database if exists ${name} with (force)`, `create database ${name}`);
beforeAll(recreate);
afterAll(() => administer(server, `drop database ${name} with (force)`));

/**
 * What sites and people get from a database: subscribers as CSV, posts as files, and what was verified of each table.
 */
async function everythingIn(dataDir: string, env: Record<string, string>) {
  using folder = temporaryFolder();
  const subscribers = await postroom(dataDir, ["subscribers", "export", join(folder.path, "people.csv")], env);
  const posts = await postroom(dataDir, ["export", "posts", join(folder.path, "posts")], env);
  expect([subscribers.code, posts.code]).toEqual([0, 0]);
  const names = readdirSync(join(folder.path, "posts")).sort();
  const read = (path: string) => Bun.file(join(folder.path, path)).text();
  return [
    await read("people.csv"),
    ...(await Promise.all(names.map(async (each) => each + (await read(`posts/${each}`))))),
  ];
}

test("everything is copied to PostgreSQL and back, verified table by table, and searches find it there", async () => {
  using from = temporaryFolder();
  using back = temporaryFolder();
  expect((await postroom(from.path, ["demo"])).code).toBe(0);
  await administer(server, `alter database ${name} set statement_timeout = '1ms'`); // as a provider might set it, and too short
  const there = await postroom("unused", ["db", "copy", from.path, url]);
  const home = await postroom("unused", ["db", "copy", "DATABASE_URL", back.path], { DATABASE_URL: url });
  await administer(server, `alter database ${name} reset statement_timeout`);
  expect([there.code, there.out, home.code]).toEqual([0, home.out, 0]);
  expect(there.out).toMatch(/^subscribers\t402\t[0-9a-f]{64}$/m);

  const before = await everythingIn(from.path, {});
  expect(await everythingIn("unused", { DATABASE_URL: url, APP_SECRET })).toEqual(before);
  expect(await everythingIn(back.path, {})).toEqual(before);

  await using sql = new Bun.SQL(url, { max: 1 });
  const [found]: [bigint][] = await sql
    .unsafe("select count(*) from posts_short where terms @> array['73']", [])
    .values();
  expect(Number(found?.[0])).toBeGreaterThan(5); // posts with an "s"
  await sql.unsafe("insert into tags (slug, name) values ('new', 'New')");
  using copy = new Database(join(back.path, "postroom.sqlite"), { readonly: true });
  const rows = (text: string) => copy.query<{ n: number }, []>(`select count(*) as n from ${text}`).get()?.n;
  expect(rows("subscribers_search_docsize")).toBe(402);
  expect(rows("posts_search_docsize")).toBe(12);
});

test("a target with rows is refused, and stays as it was", async () => {
  using from = temporaryFolder();
  expect((await postroom(from.path, ["demo"])).code).toBe(0);
  const again = await postroom("unused", ["db", "copy", from.path, url]);
  expect(again).toMatchObject({ code: 1, out: "" });
  expect(again.err).toContain("The target is not empty");
  expect(await postroom("unused", ["db", "copy", url, from.path])).toMatchObject({ code: 1, out: "" });
});

test("a database is copied by exactly the version that it has, on both engines, and left as it is otherwise", async () => {
  using folder = temporaryFolder();
  const source = join(folder.path, "postroom.sqlite");
  await (await openSqlite(source, (database) => migrate(database))).close();
  const target = join(folder.path, "target");
  const refused = async (from: string, to = target) => {
    const copied = await postroom("unused", ["db", "copy", from, to]);
    expect([copied.code, copied.out, existsSync(join(target, "postroom.sqlite"))]).toEqual([1, "", false]);
    return copied.err;
  };
  const inSource = (statement: string) => {
    using sqlite = new Database(source);
    sqlite.run(statement);
  };
  const last = "(select max(id) from __drizzle_migrations)";
  inSource(`update __drizzle_migrations set hash = 'of tomorrow' where id = ${last}`);
  expect(await refused(folder.path)).toContain("newer version of Postroom. Use that version to copy it.");
  inSource(`delete from __drizzle_migrations where id = ${last}`);
  expect(await refused(folder.path)).toContain("older version of Postroom. Start this version on it once");
  inSource("drop table __drizzle_migrations");
  expect(await refused(folder.path)).toContain("not a Postroom database");

  const done = async () => (await sql.unsafe("select name from migrations order by name", []).values()).flat();
  await using sql = new Bun.SQL(url, { max: 1 });
  const names = await done();
  await sql.unsafe("insert into migrations (name) values ('9999_tomorrow.sql')");
  expect(await refused(url)).toContain("newer version of Postroom. Use that version to copy it.");
  const older = names.slice(0, -1);
  await sql.unsafe("delete from migrations where name >= $1", [names.at(-1)]);
  expect(await refused(url)).toContain("older version of Postroom. Start this version on it once");
  using sound = temporaryFolder();
  await (await openSqlite(join(sound.path, "postroom.sqlite"), (database) => migrate(database))).close();
  expect(await refused(sound.path, url)).toContain("tables of another version of Postroom");
  expect(await done()).toEqual(older);
  await recreate();
  expect(await refused(url)).toContain("not a Postroom database");
});

test("nothing is copied from or to a database that a service uses, until it has stopped", async () => {
  await recreate();
  using folder = temporaryFolder();
  using home = temporaryFolder();
  const service = await startService("/nonexistent", { DATABASE_URL: url, APP_SECRET });
  await using sql = new Bun.SQL(url, { max: 2 });
  const wasSeen = async () => (await sql.unsafe("select 1 from jobs", []).values()).length > 0;
  while (!(await wasSeen())) await Bun.sleep(20);
  const copy = (from: string, to: string) => postroom("unused", ["db", "copy", from, to]);
  const running = await copy(url, folder.path);
  expect(running).toMatchObject({ code: 1, out: "" });
  expect(running.err).toContain("A server is using the source. Stop it first. If it was killed, wait 75 seconds.");
  await service.end();
  expect((await copy(url, home.path)).code).toBe(0);

  const letGo = await lock(sql, "subscribers");
  const other = await postroomUntil("access_rules\t", "unused", ["db", "copy", url, folder.path]);
  await sql.unsafe("insert into jobs values ('storage', 'another', $1)", [Date.now() + 15_000]);
  await letGo();
  expect(await other.ended()).toMatchObject({ code: 1, err: expect.stringContaining("A server is using the source") });
  expect(existsSync(join(folder.path, "postroom.sqlite"))).toBe(false);
  expect((await copy(home.path, url)).err).toContain("A server is using the target.");
});

/** Makes everyone else wait for this table. Returns a function that ends that. */
async function lock(sql: Bun.SQL, table: string): Promise<() => Promise<void>> {
  const connection = await sql.reserve();
  await connection.unsafe("begin");
  await connection.unsafe(`lock table ${table} in access exclusive mode`);
  return async () => {
    await connection.unsafe("rollback");
    connection.release();
  };
}

test("a copy that is killed leaves nothing behind that prevents the next one", async () => {
  await recreate();
  using from = temporaryFolder();
  using back = temporaryFolder();
  expect((await postroom(from.path, ["demo"])).code).toBe(0);
  await (await open(url)).close();
  await using sql = new Bun.SQL(url, { max: 2 });
  const isEmpty = async (table: string) => !(await sql.unsafe(`select 1 from ${table} limit 1`, []).values()).length;
  /** Kills a copy that has copied subscribers, while this later table keeps it from ending. */
  const killAt = async (table: string, paths: string[]) => {
    const letGo = await lock(sql, table);
    const copy = await postroomUntil("\nsubscribers\t", "unused", ["db", "copy", ...paths]);
    await copy.kill();
    await letGo();
  };
  await killAt("posts_short", [from.path, url]);
  expect([await isEmpty("managers"), await isEmpty("subscribers")]).toEqual([true, true]);
  const there = await postroom("unused", ["db", "copy", from.path, url]);

  await killAt("posts", [url, back.path]);
  expect(readdirSync(back.path)).toContain("postroom.sqlite.copy");
  expect(existsSync(join(back.path, "postroom.sqlite"))).toBe(false);
  const home = await postroom("unused", ["db", "copy", url, back.path]);
  expect([there.code, there.out, home.code]).toEqual([0, home.out, 0]);
  expect(readdirSync(back.path).filter((file) => file.includes(".copy"))).toEqual([]);
});

test("rows with long texts are copied a few at a time, because a batch is one parameter", async () => {
  await recreate();
  await (await open(url)).close();
  await using sql = new Bun.SQL(url, { max: 1 });
  await sql.unsafe(
    "insert into settings (key, value, updated_at) select 'k' || n, repeat('x', 3000000), 0 from generate_series(1, 5) n",
  );
  using folder = temporaryFolder();
  expect((await postroom("unused", ["db", "copy", url, folder.path])).code).toBe(0);
  const settings = (await copiedTables()).find(({ name: table }) => table === "settings") as CopiedTable;
  for (const side of [await postgresSide(url), sqliteSide(join(folder.path, "postroom.sqlite"))]) {
    await side.begin();
    const batches = await Array.fromAsync(side.rows(settings));
    expect(batches.map(({ length }) => length)).toEqual([3, 2]);
    await side.close();
  }
});

test("a copy that fails leaves nothing behind", async () => {
  await recreate();
  using from = temporaryFolder();
  expect((await postroom(from.path, ["demo"])).code).toBe(0);
  using source = new Database(join(from.path, "postroom.sqlite"));
  source.run("pragma foreign_keys = off");
  source.run("insert into post_slugs (slug, post_id, created_at) values ('dangling', 'nobody', 1)");
  source.close();
  const failed = await postroom("unused", ["db", "copy", from.path, url]);
  expect(failed.code).toBe(1);
  await using sql = new Bun.SQL(url, { max: 1 });
  const [people]: [bigint][] = await sql.unsafe("select count(*) from subscribers", []).values();
  expect(Number(people?.[0])).toBe(0);
  using target = temporaryFolder();
  const elsewhere = await postroom("unused", ["db", "copy", from.path, target.path]);
  expect([elsewhere.code, existsSync(join(target.path, "postroom.sqlite"))]).toEqual([1, false]);
});
