import { expect, test } from "bun:test";
import type { Db } from "../engine/open";
import { openDb } from "../open";
import { lease, leaseMs } from "./leases";

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

test("a lease from a clock that was ahead is over", async () => {
  let time = 1_700_000_000_000;
  const now = () => new Date(time);
  const shared: Db = { ...(await openDb(":memory:")), isShared: true };
  time += 86_400_000;
  expect(await lease(shared, "storage", now, "a")()).toBe(true);
  time -= 86_400_000;
  expect(await lease(shared, "storage", now, "b")()).toBe(true);
});
