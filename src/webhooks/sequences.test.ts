import { afterEach, expect, test } from "bun:test";
import * as subscribers from "../../db/newsletter/subscribers";
import { end } from "../../db/sequences/states";
import * as endpoints from "../../db/webhooks/endpoints";
import { by } from "../../test/support/broadcasts/broadcasts";
import { sequenceStage } from "../../test/support/broadcasts/sequence-stage";
import { hours, sequenceOf, startedSequence } from "../../test/support/broadcasts/sequences";
import { look } from "../../test/support/look";

const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

test("a webhook is told once who begins a sequence, has had its last email or is stopped, and nothing when a manager ends it", async () => {
  const { db, now, later, sender, subscribe } = await sequenceStage(afterwards);
  const fields = { name: "Shop", url: "https://shop.example/hook", withPeople: true };
  const events = ["sequence.entered" as const, "sequence.finished" as const, "sequence.stopped" as const];
  await endpoints.add(db, { fields: { ...fields, events }, secret: "sealed" }, by, now());
  const course = await startedSequence(db, now(), { waits: [hours(0)], name: "Course" });
  const long = await startedSequence(db, now(), { waits: [hours(1)], name: "Long" });
  for (const name of ["ada", "bob"]) await subscribe(`${name}@x.example`);
  await subscribers.unsubscribe(db, "bob@x.example", { via: "link" }, now());
  await later(0);
  await end(db, await sequenceOf(db, long.id), by, now());
  await Promise.all([sender.drain(), sender.drain()]);
  const rows = await look<{ body: string }>(db, "select body from webhook_deliveries order by id");
  const told = rows.map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> });
  expect(told.slice(0, 4).map(({ type, data }) => [type, data.title, data.reason, data.email])).toEqual([
    ["sequence.entered", "Course", null, "ada@x.example"],
    ["sequence.entered", "Long", null, "ada@x.example"],
    ["sequence.entered", "Course", null, "bob@x.example"],
    ["sequence.entered", "Long", null, "bob@x.example"],
  ]);
  const ended = told.slice(4).map(({ type, data }) => `${type} ${data.title} ${data.reason} ${data.email}`);
  expect(ended.sort()).toEqual([
    "sequence.finished Course null ada@x.example",
    "sequence.stopped Course left bob@x.example",
    "sequence.stopped Long left bob@x.example",
  ]);
  const ada = await subscribers.byEmail(db, "ada@x.example");
  expect(told[0]?.data).toMatchObject({ id: course.id, subscriberId: ada?.id, name: null });
});
