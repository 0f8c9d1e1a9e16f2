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
  const { lastError, nextAttemptAt } = (await outboxList.byId(setup.db, first.id)) ?? {};
  expect([lastError, nextAttemptAt]).toEqual([null, at(120)]);
});

test("failures wait 5 s, 30 s, 2 m, 10 m, 30 m, 1 h, 2 h, 4 h, 8 h; the tenth is the last, inside 24 hours", async () => {
  const desk = await queued(1);
  const waits: number[] = [];
  let clock = 0;
  for (;;) {
    const mail = await only(desk, clock);
    if ((await outbox.failed(desk.db, mail, { error: "503" }, at(clock))) === "uncertain") break;
    const next = (await outboxList.byId(desk.db, mail.id))?.nextAttemptAt.getTime() ?? 0;
    waits.push((next - at(clock).getTime()) / 1000);
    clock = (next - start) / 1000;
  }
  expect(waits).toEqual([5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800]);
  expect(clock).toBeLessThan(day);
  expect(await isDue(desk.db, at(day * 9))).toBe(false);
});

test("an email in doubt is not tried again once the provider may have forgotten its key", async () => {
  const desk = await queued(1);
  let clock = 0;
  const fail = async (failure: Parameters<typeof outbox.failed>[2]) => {
    const mail = await only(desk, clock);
    const outcome = await outbox.failed(desk.db, mail, failure, at(clock));
    clock = ((await outboxList.byId(desk.db, mail.id))?.nextAttemptAt.getTime() ?? 0) / 1000 - start / 1000;
    return outcome;
  };
  const eightHours = { error: "429", isRefused: true, retryAfterSeconds: 28_800 };
  expect(await fail({ error: "reset" })).toBe("queued");
  expect([await fail(eightHours), await fail(eightHours), await fail(eightHours)]).toEqual([
    "queued",
    "queued",
    "uncertain", // the fourth would be at hour 24
  ]);
  expect(await claim(desk.db, 1, at(day * 9))).toEqual([]);
  expect(await outboxList.counts(desk.db)).toMatchObject({ uncertain: 1, dead: 0, queued: 0 });
  expect(await stats(desk.db, at(day))).toMatchObject({ uncertainLately: 1, failedLately: 0 });
});

test("what the provider certainly refused is tried again however late, and then failed", async () => {
  const desk = await queued(1);
  let clock = 0;
  const outcomes: string[] = [];
  for (let attempt = 0; attempt < 10; attempt++, clock += 28_800) {
    const failure = { error: "429", isRefused: true, retryAfterSeconds: 28_800 };
    outcomes.push(await outbox.failed(desk.db, await only(desk, clock), failure, at(clock)));
  }
  expect(outcomes).toEqual([...Array<string>(9).fill("queued"), "dead"]);
});

test("a claim of a worker that died is repeated for 23 hours, not longer; its content refused, it certainly failed", async () => {
  const [late, early] = [await queued(1), await queued(1)];
  for (const desk of [late, early]) await only(desk, 0);
  expect(await claim(late.db, 1, at(23 * 3600))).toEqual([]);
  expect(await outboxList.counts(late.db)).toMatchObject({ uncertain: 1 });
  const mail = await only(early, 23 * 3600 - 1);
  const refusal = { error: "422", isRefused: true, isPermanent: true };
  expect(await outbox.failed(early.db, mail, refusal, at(23 * 3600))).toBe("dead");
});

test("a manager's retry keeps the key within its day, and leaves alone what could then be sent twice", async () => {
  const desk = await queued(1);
  for (let n = 0; n < 10; n++) await only(desk, n * 60);
  expect(await claim(desk.db, 1, at(600))).toEqual([]);
  const retryAt = async (seconds: number) => {
    const uncertain = { matching: { state: "uncertain" as const } };
    const { count } = await outboxList.retry(
      desk.db,
      { selection: uncertain },
      { actor: "owner@example.com" },
      at(seconds),
    );
    const mail = await outboxList.byId(desk.db, desk.ids[0] ?? "");
    return [count, mail?.state, mail?.inDoubtSince];
  };
  expect(await retryAt(23 * 3600)).toEqual([0, "dead", at(0)]);
  expect(await retryAt(23 * 3600 - 1)).toEqual([1, "queued", at(0)]);
  expect(await claim(desk.db, 1, at(23 * 3600))).toEqual([]);
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
    await outbox.failed(desk.db, mail, { error: "429", isRefused: true, retryAfterSeconds: asked }, at(clock));
    expect((await outboxList.byId(desk.db, mail.id))?.nextAttemptAt).toEqual(at(clock + waited)); // toMatchObject would take any date
    clock += waited;
  }
});

test("an email whose attempts all end in a crash is given a final state after ten", async () => {
  const desk = await queued(1);
  for (let attempt = 0; attempt < 10; attempt++) await only(desk, attempt * 60);
  expect(await claim(desk.db, 1, at(600))).toEqual([]);
  expect(await outboxList.list(desk.db, { state: "uncertain" }, { page: 1, per: 9 })).toMatchObject({ total: 1 });
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
  await outboxList.cancel(desk.db, { selection: { ids: [mail.id] } }, { actor: "owner@example.com" }, at(1));
  await outbox.sent(desk.db, mail.id, "re_1", at(2));
  await outbox.cancel(desk.db, mail.id, "too late");
  const { state, providerId, sentAt } = (await outboxList.byId(desk.db, mail.id)) ?? {};
  expect([state, providerId, sentAt]).toEqual(["sent", "re_1", at(2)]);
});

test("the figures show what is queued, since when, and what failed in the last seven days", async () => {
  const { db, ids } = await queued(3);
  await outbox.cancel(db, ids[0] ?? "", "no");
  const [mail] = await claim(db, 1, at(0));
  if (mail) await outbox.failed(db, mail, { error: "422", isPermanent: true }, at(0));
  expect(await stats(db, at(10))).toEqual({
    queued: 1,
    awaitingTurn: 0,
    oldestQueuedSeconds: 11,
    failedLately: 1,
    uncertainLately: 0,
  });
  expect(await stats(db, at(8 * day))).toMatchObject({ failedLately: 0 });
});
