import { expect, test } from "bun:test";
import { openDb } from "../open";
import { claim, isDue } from "./claim";
import * as outbox from "./outbox";
import { stats } from "./stats";
import * as outboxList from "./list";

const start = Date.parse("2026-11-21T12:00:00Z");
const at = (seconds: number) => new Date(start + seconds * 1000);
const day = 24 * 3600;

/** A database with `n` queued emails, a second apart. */
async function queued(n: number) {
  const db = await openDb(":memory:");
  await db.write(async (orm) => {
    for (let i = 0; i < n; i++)
      await outbox.enqueue(orm, { kind: "test", recipient: `r${i}@example.com`, payload: {} }, at(i - n));
  });
  const { rows } = await outboxList.list(db, {}, { page: 1, per: 1000 });
  return { db, ids: rows.map(({ id }) => id).reverse() };
}

const only = async ({ db }: Awaited<ReturnType<typeof queued>>, seconds: number) => {
  const [mail] = await claim(db, 1, at(seconds));
  if (!mail) throw new Error("nothing is due");
  return mail;
};

test("each email is claimed by one worker, the oldest first", async () => {
  const { db, ids } = await queued(25);
  const first = (await claim(db, 10, at(0))).map(({ id }) => id);
  expect(first.sort()).toEqual(ids.slice(0, 10).sort());
  const claims = await Promise.all(Array.from({ length: 4 }, () => claim(db, 10, at(0))));
  expect(claims.every(({ length }) => length <= 10)).toBe(true);
  expect(claims.flatMap((mails) => mails.map(({ id }) => id)).sort()).toEqual(ids.slice(10).sort());
  expect(await isDue(db, at(59))).toBe(false);
});

test("an email claimed by a dead worker is due again after a minute, under the same ID", async () => {
  const setup = await queued(1);
  const first = await only(setup, 0);
  expect(await claim(setup.db, 1, at(59))).toEqual([]);
  const second = await only(setup, 60);
  expect([second.id, second.attempts]).toEqual([first.id, 2]);

  await outbox.failed(setup.db, first, { error: "too late to say" }, at(61));
  expect(await outboxList.byId(setup.db, first.id)).toMatchObject({ lastError: null, nextAttemptAt: at(120) });
});

test("failures wait 5 s, 30 s, 2 m, 10 m, 30 m, 1 h, 2 h, 4 h, 8 h; the tenth is the last, inside 24 hours", async () => {
  const desk = await queued(1);
  const waits: number[] = [];
  let clock = 0;
  for (;;) {
    const mail = await only(desk, clock);
    if ((await outbox.failed(desk.db, mail, { error: "503" }, at(clock))) === "dead") break;
    const next = (await outboxList.byId(desk.db, mail.id))?.nextAttemptAt.getTime() ?? 0;
    waits.push((next - at(clock).getTime()) / 1000);
    clock = (next - start) / 1000;
  }
  expect(waits).toEqual([5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800]);
  expect(clock).toBeLessThan(day);
  expect(await isDue(desk.db, at(day * 9))).toBe(false);
});

test("Retry-After lengthens a wait, never shortens it, and not beyond eight hours", async () => {
  const desk = await queued(1);
  let clock = 0;
  for (const [asked, waited] of [
    [1, 5],
    [90, 90],
    [86_400, 28_800],
  ] as const) {
    const mail = await only(desk, clock);
    await outbox.failed(desk.db, mail, { error: "429", retryAfterSeconds: asked }, at(clock));
    expect(await outboxList.byId(desk.db, mail.id)).toMatchObject({ nextAttemptAt: at(clock + waited) });
    clock += waited;
  }
});

test("an email whose attempts all end in a crash is given a final state after ten", async () => {
  const desk = await queued(1);
  for (let attempt = 0; attempt < 10; attempt++) await only(desk, attempt * 60);
  expect(await claim(desk.db, 1, at(600))).toEqual([]);
  expect(await outboxList.list(desk.db, { state: "dead" }, { page: 1, per: 9 })).toMatchObject({ total: 1 });
});

test("a simulated email is logged exactly once", async () => {
  const { db, ids } = await queued(1);
  const [id = ""] = ids;
  const announced = await Promise.all(Array.from({ length: 5 }, () => outbox.simulated(db, id, at(0))));
  expect(announced.filter(Boolean)).toHaveLength(1);
});

test("an email that was cancelled while being sent counts as sent, because it was", async () => {
  const desk = await queued(1);
  const mail = await only(desk, 0);
  await outboxList.cancel(desk.db, { ids: [mail.id] }, { actor: "owner@example.com" }, at(1));
  await outbox.sent(desk.db, mail.id, "re_1", at(2));
  await outbox.cancel(desk.db, mail.id, "too late");
  expect(await outboxList.byId(desk.db, mail.id)).toMatchObject({ state: "sent", providerId: "re_1", sentAt: at(2) });
});

test("the figures show what is queued, since when, and what failed in the last seven days", async () => {
  const { db, ids } = await queued(3);
  await outbox.cancel(db, ids[0] ?? "", "no");
  const [mail] = await claim(db, 1, at(0));
  if (mail) await outbox.failed(db, mail, { error: "422", isPermanent: true }, at(0));
  expect(await stats(db, at(10))).toEqual({ queued: 1, awaitingTurn: 0, oldestQueuedSeconds: 11, failedLately: 1 });
  expect(await stats(db, at(8 * day))).toMatchObject({ failedLately: 0 });
});
