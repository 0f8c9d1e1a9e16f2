import { expect, test } from "bun:test";
import type { Db } from "../../db/engine/open";
import { openDb } from "../../db/open";
import { lease } from "../../db/ops/leases";
import * as subscribers from "../../db/newsletter/subscribers";
import * as endpoints from "../../db/webhooks/endpoints";
import { startWork } from "../../src/boot/work";
import { broadcastStage } from "../support/broadcasts/broadcasts";
import { look } from "../support/look";
import { testService } from "../support/service";

const migrateFurther = (db: Db) => look(db, "insert into migrations (name) values ('9999_future.sql')");
const undo = (db: Db) => look(db, "delete from migrations where name = '9999_future.sql'");

test("a process that is older than the schema is not ready, and has no leases", async () => {
  let time = Date.now();
  const db = await openDb("newer");
  const mayClean = lease(db, "cleanup", () => new Date(time));
  await db.probe();
  expect(await mayClean()).toBe(true);
  await migrateFurther(db);
  await expect(db.probe()).rejects.toThrow("newer Postroom");
  time += 5_000;
  await expect(mayClean()).rejects.toThrow("newer Postroom");
  expect(await mayClean()).toBe(false);
  await undo(db);
  time += 5_000;
  expect(await mayClean()).toBe(true);
});

test("nor does it take emails, batches or calls of webhooks", async () => {
  const service = await testService({ WEBHOOK_PRIVATE_HOSTS: "127.0.0.1" });
  const { clock, db, logged, now } = service;
  const hook = { name: "Blog", url: "http://127.0.0.1:9/", events: [], withPeople: false };
  await endpoints.add(db, { fields: hook, secret: "secret" }, { actor: "test" }, now());
  await subscribers.subscribe(db, { email: "ada@example.com" }, { via: "form" }, now());
  await (await broadcastStage({ db })).confirmed();
  const taken = () =>
    look<Record<string, number>>(
      db,
      `select (select sum(attempts)::int from outbox) emails, (select sum(attempts)::int from webhook_deliveries) calls,
        (select count(*)::int from broadcast_recipients) recipients`,
    );
  await migrateFurther(db);
  const stop = startWork(service);
  const loops = ["broadcasts failed", "outbox failed", "webhooks failed"];
  const refused = () =>
    logged.filter(({ event, error }) => loops.includes(`${event}`) && `${error}`.includes("newer Postroom"));
  while (refused().length < loops.length) expect(await taken()).toEqual([{ emails: 0, calls: 0, recipients: 0 }]);
  await undo(db);
  clock.time += 5_000;
  const isAllTaken = async () => Object.values((await taken())[0] ?? {}).every((count) => count > 0);
  while (!(await isAllTaken()));
  expect(
    refused()
      .map(({ event }) => event)
      .sort(),
  ).toEqual(loops); // asked once in five seconds
  await stop();
});

test("a process that is older than the schema says so when it is asked whether it is ready", async () => {
  const { db, get } = await testService();
  await migrateFurther(db);
  const answer = await get("/readyz");
  const detail = "migrated by a newer version; stop this process";
  expect([answer.status, await answer.json()]).toMatchObject([503, { checks: { database: { ok: false, detail } } }]);
  await undo(db);
});
