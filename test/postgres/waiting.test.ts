import { afterEach, expect, jest, test } from "bun:test";
import { sql } from "drizzle-orm";
import type { Db, Orm } from "../../db/engine/open";
import { isDatabaseFault } from "../../db/engine/errors";
import { connectTo } from "../../db/engine/postgres/connections";
import { migrate } from "../../db/engine/postgres/migrate";
import { openDb } from "../../db/open";
import { look } from "../support/look";
import { urlOf } from "../support/postgres/databases";
import { mayIdle, mayWait } from "../support/postgres/locks";

afterEach(() => void jest.useRealTimers());

/** The same database opened twice, as by two processes. Each may have three connections. */
const pair = async (name: string) => [await openDb(name), await openDb(name)] as const;

const guarded = { guarded: true } as const;
const lock = (orm: Orm, table: string) => orm.all(sql.raw(`lock table ${table} in exclusive mode`));
const one = (db: Db) => db.read((orm) => orm.values<[number]>(sql`select 1`));

const waiting = `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
const waitFor = async (db: Db, count: number) => {
  while ((await look(db, waiting)).length < count);
};

/** Locks a table until it is called. */
async function hold(db: Db, table: string): Promise<() => Promise<void>> {
  const [locked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const work = async (orm: Orm) => {
    await mayIdle(orm);
    await lock(orm, table);
    locked.resolve();
    await ended.promise;
  };
  const holding = db.write(work, guarded);
  await locked.promise;
  return () => (ended.resolve(), holding);
}

test("while transactions wait for a lock, requests still read and learn of changes", async () => {
  const [db, other] = await pair("reads");
  const release = await hold(other, "settings");
  const patiently = (orm: Orm) => mayWait(orm).then(() => lock(orm, "settings"));
  const works = [1, 2, 3, 4].map((n) => db.write((orm) => patiently(orm).then(() => n), guarded));
  await waitFor(other, 2);
  for (let i = 0; i < 3; i++) {
    await db.fresh();
    expect(await one(db)).toEqual([[1]]);
  }
  expect(await look(other, waiting)).toHaveLength(2);
  await release();
  expect(await Promise.all(works)).toEqual([1, 2, 3, 4]);
});

test("what a stopped process had locked is free before others give up, and its transaction runs again", async () => {
  const [db, other] = await pair("stopped");
  let [runs, others] = [0, 0];
  await db.write(async (orm) => {
    await orm.all(sql`lock table settings in exclusive mode`);
    if (++runs === 1) await other.write((orm) => lock(orm, "settings"), guarded).then(() => others++);
    await orm.all(sql`select 1`);
  });
  expect([runs, others]).toEqual([2, 1]);
});

/** Nothing of this process runs meanwhile. */
const stopFor = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test("a transaction that a slow process left idle runs again, however long that took", async () => {
  const db = await openDb("slow");
  let runs = 0;
  await db.write(async (orm) => {
    await orm.all(sql`lock table settings in exclusive mode`);
    if (++runs < 3) stopFor(3_500);
    await orm.all(sql`select 1`);
  });
  expect(runs).toBe(3);
});

test("a slow transaction that others interfere with runs again, however long that took", async () => {
  const db = await openDb("interfered");
  let runs = 0;
  await db.write(async (orm) => {
    await mayIdle(orm);
    if (++runs === 3) return;
    stopFor(3_500);
    await orm.all(sql`do $$ begin raise exception 'interfered' using errcode = 'serialization_failure'; end $$`);
  });
  expect(runs).toBe(3);
});

test("a migration that a slow process left idle goes on", async () => {
  const db = await openDb("migration");
  const [[name] = [""]] = await db.read((orm) => orm.values<[string]>(sql`select current_database()`));
  const connections = connectTo(urlOf(process.env.TEST_DATABASE_URL ?? "", name), 1);
  const connection = await connections.pool().reserve();
  const slow = {
    unsafe(text: string, values?: unknown[]) {
      if (text === "select name from migrations") stopFor(3_500);
      return connection.unsafe(text, values);
    },
    release: () => connection.release(),
  };
  expect(await migrate({ reserve: async () => slow } as never, `${import.meta.dir}/../../db/migrations/postgres`)).toBe(
    0,
  );
  await connections.close(0);
});

const connections = "select pid from pg_stat_activity where datname = current_database() order by pid";

test("a statement that waits for too long fails alone: answered connections are not replaced", async () => {
  const [db, other] = await pair("alone");
  const release = await hold(other, "settings");
  const before = await look(other, connections);
  jest.useFakeTimers();
  const asked = db.read((orm) => orm.run(sql`update settings set version = 0`));
  let isOver = false; // a slow machine may see it wait no longer
  const failed = asked.then(() => false, isDatabaseFault).finally(() => (isOver = true));
  while (!isOver && !(await look(other, waiting)).length);
  for (let i = 0; i < 4; i++) {
    jest.advanceTimersByTime(2_000);
    expect(await one(db)).toEqual([[1]]);
  }
  expect(await failed).toBe(true);
  await release();
  expect(await look(other, connections)).toEqual(expect.arrayContaining(before)); // others may only be open by now
});

test("statements of a transaction that are sent together are each given their time", async () => {
  const [db, other] = await pair("together");
  const releases = [await hold(other, "settings"), await hold(other, "posts")];
  jest.useFakeTimers();
  let runs = 0;
  const work = async (orm: Orm) => {
    runs++;
    await mayWait(orm);
    await Promise.all([lock(orm, "settings"), lock(orm, "posts")]);
  };
  const working = db.write(work, guarded);
  for (const [n, table] of ["settings", "posts"].entries()) {
    while (!(await look<{ query: string }>(db, waiting)).some(({ query }) => query.includes(table)));
    jest.advanceTimersByTime(4_000);
    await releases[n]?.();
  }
  await working;
  expect(runs).toBe(1);
});
