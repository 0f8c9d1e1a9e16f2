import { expect, test } from "bun:test";
import { openDb } from "../open";
import * as audit from "../audit";
import * as outbox from "./outbox";
import * as outboxList from "./list";
import { look } from "../../test/support/look";

const now = new Date("2026-11-21T12:00:00Z");
const by = { actor: "owner@example.com", address: "192.0.2.7" };
const page = { page: 1, per: 50 };

/** One email in each state. */
async function everyState() {
  const db = await openDb(":memory:");
  const states = ["queued", "sent", "simulated", "dead", "cancelled"] as const;
  await db.write(async (orm) => {
    for (const state of states)
      await outbox.enqueue(orm, { kind: "test", recipient: `${state}@Bücher.example`, payload: {} }, now);
  });
  for (const state of states)
    await look(db, "update outbox set state = ? where recipient like ?", [state, `${state}%`]);
  const { rows } = await outboxList.list(db, {}, page);
  const idOf = (state: outbox.Mail["state"]) => rows.find((mail) => mail.state === state)?.id ?? "";
  return { db, idOf, ids: rows.map(({ id }) => id), events: async () => (await audit.list(db, {}, page)).events };
}

test("the list is filtered by kind, state and any part of the recipient, in any spelling", async () => {
  const { db } = await everyState();
  const total = async (filter: outboxList.MailFilter) => (await outboxList.list(db, filter, page)).total;
  expect([
    await total({}),
    await total({ state: "queued" }),
    await total({ kind: "welcome" }),
    await total({ q: "DEAD@" }),
    await total({ q: "bücher" }),
    await total({ q: "xn--bcher" }),
    await total({ q: "%" }),
    await total({ q: "e", state: "dead" }),
  ]).toEqual([5, 1, 0, 1, 5, 5, 0, 1]);
  expect(await outboxList.list(db, {}, { page: 9, per: 2 })).toMatchObject({ total: 5, page: 3 });
  expect(await outboxList.counts(db)).toEqual({
    queued: 1,
    sent: 1,
    simulated: 1,
    dead: 1,
    uncertain: 0,
    cancelled: 1,
  });
});

test("retrying applies to failed emails only, unless more is requested; a sent one is never sent again", async () => {
  const { db, ids, idOf } = await everyState();
  const dead = idOf("dead");
  expect(await outboxList.retry(db, { selection: { ids } }, by, now)).toMatchObject({ count: 1, first: { id: dead } });
  expect(await outboxList.byId(db, dead)).toMatchObject({ state: "queued", attempts: 0, nextAttemptAt: now });
  expect(await outboxList.retry(db, { selection: { ids } }, by, now)).toEqual({ count: 0, first: undefined });
  expect(await outboxList.retry(db, { selection: { ids }, from: ["simulated", "cancelled"] }, by, now)).toMatchObject({
    count: 2,
  });
  expect(await outboxList.counts(db)).toMatchObject({ queued: 4, sent: 1 });
});

test("cancelling applies to queued emails, and records who did it", async () => {
  const { db, ids, idOf } = await everyState();
  expect(await outboxList.cancel(db, { selection: { ids } }, by, now)).toMatchObject({ count: 1 });
  expect(await outboxList.byId(db, idOf("queued"))).toMatchObject({
    state: "cancelled",
    lastError: "Cancelled by owner@example.com",
  });
});

test("the audit log names a single email or counts several; actions without effect are not recorded", async () => {
  const { db, idOf, events } = await everyState();
  await outboxList.retry(db, { selection: { matching: { q: "nobody" } } }, by, now);
  expect(await events()).toEqual([]);
  await outboxList.retry(db, { selection: { matching: { state: "dead" } } }, by, now);
  await outboxList.cancel(db, { selection: { matching: {} } }, by, now);
  expect((await events()).map(({ action, target, details }) => [action, target, details])).toEqual(
    expect.arrayContaining([
      ["mail.retry", "dead@Bücher.example", {}],
      ["mail.cancel", null, { count: "2" }],
    ]),
  );
  expect((await events()).find(({ action }) => action === "mail.retry")).toMatchObject({
    ...by,
    targetId: idOf("dead"),
  });
});
