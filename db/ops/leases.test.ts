import { expect, test } from "bun:test";
import type { Db } from "../engine/open";
import { openDb } from "../open";
import { jobs } from "../schema/shared";
import { cleanUp } from "./cleanup";
import { isAnyRunning, lease, leaseMs, mayTakeTasks, release } from "./leases";

test("a single process has every lease; of several, one has it until it stops renewing", async () => {
  let time = 1_700_000_000_000;
  const now = () => new Date(time);
  const db = await openDb(":memory:");
  const [alone, shared] = [false, true].map((isShared) => ({ ...db, isShared })) as [Db, Db];
  expect(await lease(alone, "storage", now, "a")()).toBe(true);
  expect(await lease(alone, "storage", now, "b")()).toBe(true);
  const [a, b] = [lease(shared, "storage", now, "a"), lease(shared, "storage", now, "b")];
  expect([await a(), await b(), await lease(shared, "cleanup", now, "b")()]).toEqual([true, false, true]);
  time += leaseMs;
  expect([await b(), await a()]).toEqual([false, true]); // renewed in time
  time += leaseMs + 1;
  expect([await b(), await a()]).toEqual([true, false]);
});

test("tasks that ask while their lease is being renewed get the same answer, and no error twice", async () => {
  const db = { ...(await openDb(":memory:")), isShared: true } as Db;
  const mayWork = lease(db, "storage", () => new Date(), "a");
  expect(await Promise.all([mayWork(), mayWork()])).toEqual([true, true]);
  const away = lease({ ...db, probe: () => Promise.reject(new Error("away")) }, "storage", () => new Date(), "a");
  const first = away().catch(({ message }: Error) => message);
  expect(await Promise.all([first, away(), first.then(away)])).toEqual(["away", false, false]);
});

test("a lease from a clock that was ahead is over", async () => {
  let time = 1_700_000_000_000;
  const now = () => new Date(time);
  const shared: Db = { ...(await openDb(":memory:")), isShared: true };
  time += 86_400_000;
  expect(await lease(shared, "storage", now, "a")()).toBe(true);
  time -= 86_400_000;
  expect(await lease(shared, "storage", now, "b")()).toBe(true);
});

test("each process is known to be running until it stops, or a little more than a minute after it was killed", async () => {
  let time = 1_700_000_000_000;
  const now = () => new Date(time);
  const db: Db = { ...(await openDb(":memory:")), isShared: true };
  const isRunning = (ahead = 0) => db.read((orm) => isAnyRunning(orm, new Date(time + ahead)));
  expect(await isRunning()).toBe(false);
  const [a, b] = [mayTakeTasks(db, now, "1.0", "a"), mayTakeTasks(db, now, "1.0", "b")];
  expect([await lease(db, "storage", now, "a")(), await a(), await b()]).toEqual([true, true, true]);
  expect([await isRunning(-60_000), await isRunning(60_000)]).toEqual([true, true]); // whatever the clocks say
  await release(db, "a");
  expect(await isRunning()).toBe(true);
  time += leaseMs + 60_001;
  expect(await isRunning()).toBe(false);
  await cleanUp({ ...db, isShared: false }, now());
  expect(await db.read((orm) => orm.select().from(jobs).all())).toEqual([]);
  expect([await a(), await isRunning()]).toEqual([false, false]); // on its way out, it takes nothing
});

test("a process that is older than the schema takes no tasks, but is seen to be running", async () => {
  const now = () => new Date(1_700_000_000_000);
  const db: Db = { ...(await openDb(":memory:")), isShared: true, probe: () => Promise.reject(new Error("newer")) };
  await expect(mayTakeTasks(db, now, "1.0", "old")()).rejects.toThrow("newer");
  await expect(lease(db, "storage", now, "old")()).rejects.toThrow("newer");
  expect(await db.read((orm) => orm.select({ name: jobs.name }).from(jobs).all())).toEqual([{ name: "old 1.0" }]);
  expect(await db.read((orm) => isAnyRunning(orm, now()))).toBe(true);
});
