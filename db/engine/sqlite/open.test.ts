import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { count, eq } from "drizzle-orm";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Db, Orm } from "../open";
import { openDb } from "../../open";
import * as versions from "../versions";
import { settings } from "../../schema/settings";
import { sqliteOf } from "../../../test/support/look";
import { testTimeoutMs } from "../../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const folder = mkdtempSync(join(tmpdir(), "postroom-db-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, `${name}.sqlite`);

const put =
  (key: string, value = "x", isPublic = false) =>
  async (orm: Orm) =>
    void (await orm.insert(settings).values({ key, value, isPublic }).run());
const total = (db: Db) => db.read(async (orm) => (await orm.select({ n: count() }).from(settings).get())?.n);

test("a write resolves with its result once it is committed", async () => {
  const db = await openDb(file("commit"));
  expect(
    await db.write((orm) => orm.insert(settings).values({ key: "a", value: "1" }).returning().get()),
  ).toMatchObject({
    key: "a",
  });
  const other = new Database(file("commit"), { readonly: true });
  expect(other.query("select value from settings").all()).toEqual([{ value: "1" }]);
  other.close();
  await db.close();
});

test("durability is set to survive a power cut, and references are checked", async () => {
  const db = await openDb(file("pragmas"));
  const pragma = (name: string) => Object.values(sqliteOf(db).query(`PRAGMA ${name}`).get() as object)[0];
  expect([pragma("journal_mode"), pragma("synchronous"), pragma("foreign_keys")]).toEqual(["wal", 2, 1]);
  const loose = sqliteOf(db)
    .query(
      "select name from pragma_table_list where schema = 'main' and type = 'table' and strict = 0 and name not like 'sqlite_%'",
    )
    .all();
  expect(loose).toEqual([]);
  await db.close();
});

test.if(process.platform === "linux")("a commit writes its pages into the log, and nothing anywhere else", async () => {
  const db = await openDb(file("once"));
  const pages = Array.from({ length: 100 }, (_, n) => `page ${n}`);
  await db.write(async (orm) => {
    for (const key of pages) await put(key, "x".repeat(4_000))(orm);
  });
  sqliteOf(db).run("PRAGMA wal_checkpoint(TRUNCATE)");
  const written = () => Number(/wchar: (\d+)/.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
  const before = written();
  await Promise.all(
    pages.map((key) => db.write((orm) => orm.update(settings).set({ version: 2 }).where(eq(settings.key, key)).run())),
  );
  expect(written() - before).toBeLessThan(1.1 * statSync(`${file("once")}-wal`).size);
  await db.close();
});

test("a write that throws is undone alone; the others in the same commit stay", async () => {
  const db = await openDb(":memory:");
  const outcomes = await Promise.allSettled([
    db.write(put("a")),
    db.write(async (orm) => {
      await put("half")(orm);
      throw new Error("no");
    }),
    db.write(put("b")),
    db.write(put("a")), // not unique
    db.write(put("c")),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "rejected", "fulfilled"]);
  expect(await db.read((orm) => orm.select({ key: settings.key }).from(settings).all())).toEqual([
    { key: "a" },
    { key: "b" },
    { key: "c" },
  ]);
});

test("a reader between two statements sees no change by a batch, and the batch waits for it", async () => {
  const db = await openDb(":memory:");
  const totals = (orm: Orm) => orm.select({ n: count() }).from(settings).get();
  const order: string[] = [];
  const write = db.write(put("a")).then(() => order.push("written"));
  const reads = Array.from({ length: 20 }, (_, i) =>
    new Promise((turn) => (i % 2 ? setImmediate(turn) : queueMicrotask(() => turn(undefined)))).then(() =>
      db.read(async (orm) => {
        const before = await totals(orm);
        for (let n = 0; n < 50; n++) await totals(orm);
        expect(await totals(orm)).toEqual(before);
      }),
    ),
  );
  await Promise.all([write, ...reads]);
  expect(order).toEqual(["written"]);
});

test("other connections see neither the rows nor the versions of an open batch", async () => {
  const db = await openDb(":memory:");
  const before = versions.current(db, "settings").version;
  const seen: unknown[] = [];
  let read: Promise<unknown> | undefined;
  await db.write(async (orm) => {
    await put("a", "x", true)(orm);
    seen.push(versions.current(db, "settings").version);
    read = db.read(async (other) => (await other.select().from(settings).all()).length);
    await put("b", "x", true)(orm);
  });
  expect(seen).toEqual([before]);
  expect(await read).toBe(2);
  expect(versions.current(db, "settings").version).toBe(before + 2);
});

test("writes run in the order they arrived, and each sees the earlier ones", async () => {
  const db = await openDb(":memory:");
  await db.write(put("n", "0"));
  const increment = async (orm: Orm) => {
    const now = Number((await orm.select().from(settings).where(eq(settings.key, "n")).get())?.value) + 1;
    await orm
      .update(settings)
      .set({ value: String(now) })
      .where(eq(settings.key, "n"))
      .run();
    return now;
  };
  const seen = await Promise.all(Array.from({ length: 100 }, () => db.write(increment)));
  expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
});

test("with a full disk writes fail and reads work, until there is space again", async () => {
  const db = await openDb(file("full"));
  await db.write(put("before"));
  const { page_count: pages } = sqliteOf(db).query<{ page_count: number }, []>("PRAGMA page_count").get() ?? {
    page_count: 0,
  };
  sqliteOf(db).run(`PRAGMA max_page_count = ${pages + 2}`);

  const big = "x".repeat(4096 * 20);
  const [refused, small] = await Promise.allSettled([db.write(put("big", big)), db.write(put("small"))]);
  expect(refused).toMatchObject({ status: "rejected", reason: { code: "SQLITE_FULL" } });
  expect(await total(db)).toBe(small?.status === "fulfilled" ? 2 : 1);
  expect(sqliteOf(db).inTransaction).toBe(false);

  sqliteOf(db).run("PRAGMA max_page_count = 1073741823");
  await db.write(put("big", big));
  expect(
    await db.read(async (orm) => (await orm.select().from(settings).where(eq(settings.key, "big")).get())?.value),
  ).toBe(big);
  expect(sqliteOf(db).query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  await db.close();
});

/** Stops the clock that limits how long a write waits, in milliseconds: only the test advances it. */
function stoppedClock() {
  const clock = { time: 0 };
  const spy = spyOn(performance, "now").mockImplementation(() => clock.time);
  return Object.assign(clock, { [Symbol.dispose]: () => spy.mockRestore() });
}

test("while another process holds the lock, reads work and the event loop runs; then the write succeeds", async () => {
  using _ = stoppedClock();
  const db = await openDb(file("lock"));
  const holder = `const { Database } = require("bun:sqlite");
    const db = new Database(process.argv[1]);
    db.run("BEGIN IMMEDIATE");
    console.log("locked");
    for await (const line of console) break;
    db.run("COMMIT");
    db.close();`;
  const other = Bun.spawn([process.execPath, "-e", holder, file("lock")], { stdin: "pipe", stdout: "pipe" });
  await other.stdout.getReader().read();

  let isWritten = false;
  const waiting = db.write(put("late")).then(() => (isWritten = true));
  for (let turns = 0; turns < 200; turns++) {
    expect(await total(db)).toBe(0);
    await new Promise((turn) => setImmediate(turn));
  }
  expect(isWritten).toBe(false);
  expect(sqliteOf(db).query("PRAGMA busy_timeout").get()).toEqual({ timeout: 5 }); // the longest that each attempt blocks the event loop (R7)
  other.stdin.write("let go\n");
  await other.stdin.end();
  expect([await waiting, await other.exited, await total(db)]).toEqual([true, 0, 1]);
  await db.close();
});

test("a write waits longer for what another process does for this one", async () => {
  using clock = stoppedClock();
  const db = await openDb(file("own"));
  const other = new Database(file("own"));
  other.run("BEGIN IMMEDIATE");
  const { promise: done, resolve: end } = Promise.withResolvers<void>();
  const work = db.lockedFor(() => done);
  using run = spyOn(sqliteOf(db), "run");
  const write = db.write(put("a"));
  clock.time = 59_000;
  while (run.mock.calls.length < 3) await Bun.sleep(1); // attempts, the last of them late
  other.run("ROLLBACK");
  await write;
  other.run("BEGIN IMMEDIATE");
  end();
  await work;
  const late = db.write(put("b")).catch(({ code }: { code: string }) => code);
  clock.time += 3_001;
  expect(await late).toStartWith("SQLITE_BUSY");
  other.run("ROLLBACK");
  other.close();
  await db.close();
});

test("a lock that is never released is an error after each write's own timeout, and the next write works", async () => {
  using clock = stoppedClock();
  const db = await openDb(file("stuck"));
  const other = new Database(file("stuck"));
  other.run("BEGIN IMMEDIATE");
  const outcome = (key: string) =>
    db.write(put(key)).then(
      () => "written",
      (error: { code: string }) => error.code,
    );
  const first = outcome("a");
  clock.time = 1_500; // the second comes while the first one waits
  const second = outcome("b");
  clock.time = 3_001;
  expect(await first).toStartWith("SQLITE_BUSY");
  const turns = Array.fromAsync({ length: 50 }, () => new Promise((turn) => setImmediate(turn)));
  expect(await Promise.race([second, turns.then(() => "waits")])).toBe("waits");
  clock.time = 4_501; // and does not wait for as long again
  expect(await second).toStartWith("SQLITE_BUSY");
  other.run("ROLLBACK");
  await db.write(put("c"));
  expect(await total(db)).toBe(1);
  other.close();
  await db.close();
});

test("closing waits for what is queued", async () => {
  const db = await openDb(file("close"));
  const writes = Array.from({ length: 50 }, (_, i) => db.write(put(`k${i}`)));
  await db.close();
  await Promise.all(writes);
  const again = await openDb(file("close"));
  expect(await total(again)).toBe(50);
  await again.close();
});

test("two connections increment the same counter and lose nothing", async () => {
  const [one, two] = [await openDb(file("pair")), await openDb(file("pair"))];
  await Promise.all(Array.from({ length: 200 }, (_, i) => (i % 2 ? one : two).write(put(`k${i}`))));
  expect([await total(one), await total(two)]).toEqual([200, 200]);
  await Promise.all([one.close(), two.close()]);
});
