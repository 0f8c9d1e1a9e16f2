import { expect, test } from "bun:test";
import { openDb } from "../../db/open";
import { lease } from "../../db/ops/leases";
import { look } from "../support/look";

test("a process that is older than the schema is not ready, and runs no tasks", async () => {
  let time = Date.now();
  const db = await openDb("newer");
  const mayClean = lease(db, "cleanup", () => new Date(time));
  await db.probe();
  expect(await mayClean()).toBe(true);
  await look(db, "insert into migrations (name) values ('9999_future.sql')");
  await expect(db.probe()).rejects.toThrow("newer Postroom");
  time += 5_000;
  await expect(mayClean()).rejects.toThrow("newer Postroom");
  expect(await mayClean()).toBe(false);
  await look(db, "delete from migrations where name = '9999_future.sql'");
  time += 5_000;
  expect(await mayClean()).toBe(true);
});
