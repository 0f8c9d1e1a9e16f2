import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as submissions from "../contact/submissions";
import * as messageList from "../contact/list";
import { openDb } from "../open";
import { allowance, parseHourlyLimit } from "./hourly-limits";
import { claim } from "../mail/claim";
import { broadcastBatches, broadcasts } from "../schema/broadcasts";
import * as subscribers from "../newsletter/subscribers";
import * as settings from "../../test/support/settings";

const now = new Date("2026-11-22T12:00:00Z");
const later = (milliseconds: number) => new Date(now.getTime() + milliseconds);
const hour = 3_600_000;

test("a restart forgets nothing of what was counted", async () => {
  const folder = mkdtempSync(join(tmpdir(), "postroom-limits-"));
  const open = () => openDb(join(folder, "postroom.sqlite"));
  const limits = {
    emailsToStrangersPerHour: "2",
    messagesPerHourBeforeQuarantine: "2",
    newSubscribersPerHour: "4",
    storedMessagesPerHour: "4",
  };
  let db = await open();
  for (const [key, value] of Object.entries(limits)) await settings.set(db, key, value, { by: "test" }, now);
  const write = async (n: number) => {
    const message = { name: `Visitor ${n}`, email: `v${n}@example.com`, message: `Letter ${n}`, source: "landing" };
    return (await submissions.submit(db, message, { recipient: "owner@example.com" }, later(n))).outcome;
  };
  const subscribe = async (n: number) =>
    (await subscribers.subscribe(db, { email: `v${n}@example.com` }, { via: "form" }, later(n))).changed;
  const sent = async (at: Date) => (await claim(db, 100, at)).filter(({ kind }) => kind === "welcome").length;

  expect([await subscribe(1), await subscribe(2), await subscribe(3), await sent(later(3))]).toEqual([
    true,
    true,
    true,
    2,
  ]);
  expect([await write(1), await write(2), await write(3)]).toEqual(["stored", "stored", "stored"]);
  await db.close();
  db = await open();
  expect([await subscribe(4), await subscribe(5)]).toEqual([true, false]);
  expect([await write(4), await write(5)]).toEqual(["stored", "refused"]);
  expect(await messageList.counts(db)).toMatchObject({ inbox: 2, quarantine: 2 });
  await db.close();
  db = await open();
  expect(await sent(later(50_000))).toBe(0);
  expect(await sent(later(hour + 3))).toBe(2); // those that a dead worker had claimed count again
  await db.close();
  rmSync(folder, { recursive: true });
});

test("the emails of all broadcasts count by batch, the halves of a split one instead of the whole", async () => {
  const db = await openDb(":memory:");
  const allowed = (at: Date) => db.read((orm) => allowance(orm, "broadcastEmailsPerHour", at));
  expect((await allowed(now)).left).toBe(Infinity);
  await settings.set(db, "broadcastEmailsPerHour", "250", { by: "test" }, now);
  await db.write(async (orm) => {
    const kept = { subject: "News", kind: "own", archive: "none", createdBy: "test", updatedAt: now } as const;
    await orm
      .insert(broadcasts)
      .values([1, 2].map((row) => ({ row, slug: `s${row}`, ...kept })))
      .run();
    const batch = (broadcastRow: number, count: number, at: number, state: "accepted" | "split" | "open") => ({
      ...{ broadcastRow, count, state, firstRecipient: 1, lastRecipient: count },
      ...{ createdAt: now, admittedAt: later(at), nextAttemptAt: now },
    });
    const halves = [batch(2, 50, 60_000, "open"), batch(2, 50, 60_000, "open")];
    await orm
      .insert(broadcastBatches)
      .values([batch(1, 100, 0, "accepted"), batch(2, 100, 60_000, "split"), ...halves])
      .run();
  });
  expect(await allowed(later(60_000))).toEqual({ left: 50, opensAt: later(hour) });
  expect(await allowed(later(hour))).toEqual({ left: 150, opensAt: later(hour + 60_000) });
  expect((await allowed(later(hour + 60_000))).left).toBe(250);
});

test("hits written while the clock was ahead count once their time has come, and delay no one", async () => {
  const db = await openDb(":memory:");
  const limits = ["newSubscribersPerHour", "storedMessagesPerHour", "emailsToStrangersPerHour"] as const;
  for (const key of limits) await settings.set(db, key, "1", { by: "test" }, now);
  const ahead = later(48 * hour);
  await subscribers.subscribe(db, { email: "early@example.com" }, { via: "form" }, ahead);
  const message = { name: "Early", email: "early@example.com", message: "Hello from tomorrow", source: "landing" };
  await submissions.submit(db, message, { recipient: "owner@example.com" }, ahead);
  await claim(db, 10, ahead);
  const left = (at: Date) => Promise.all(limits.map((limit) => db.read((orm) => allowance(orm, limit, at))));
  expect((await left(now)).map(({ left }) => left)).toEqual([1, 1, 1]);
  expect((await left(ahead)).map(({ left }) => left)).toEqual([0, 0, 0]);
});

test("a limit is a whole number up to 10,000", () => {
  expect(["0", "1", "10000", "00007"].map(parseHourlyLimit)).toEqual([0, 1, 10_000, 7]);
  for (const text of ["", " 1", "-1", "+1", "1.0", "1e3", "0x1", "10001", "99999", "100000", "٣"])
    expect(parseHourlyLimit(text)).toBeUndefined();
});
