import { expect, test } from "bun:test";
import { look } from "../../test/support/look";
import { countQuestions } from "../../test/support/questions";
import { openDb } from "../open";
import * as endpoints from "../webhooks/endpoints";
import * as audit from "../audit";
import * as messageBulk from "./list";
import * as messages from "./messages";
import { submit } from "./submissions";
import * as settings from "../../test/support/settings";

const now = new Date("2026-11-21T12:00:00Z");
const later = (milliseconds: number) => new Date(now.getTime() + milliseconds);
const by = { actor: "owner@example.com", address: "192.0.2.7" };

async function deskWith(howMany: number) {
  const db = await openDb(":memory:");
  await settings.set(db, "messagesPerHourBeforeQuarantine", "0", { by: "test" }, now);
  const ids: string[] = [];
  const submissions = Array.from({ length: howMany }, (_, i) =>
    submit(
      db,
      { name: `Visitor ${i}`, email: `v${i}@example.com`, message: `Letter number ${i}`, source: "landing" },
      {},
      later(i),
    ),
  );
  for (const submitted of await Promise.all(submissions)) if (submitted.outcome === "stored") ids.push(submitted.id);
  return { db, ids, events: async () => (await audit.list(db, { group: "message" }, { page: 1, per: 50 })).events };
}

test("a message is in one box at a time, and is restored to where it was", async () => {
  const { db, ids } = await deskWith(3);
  const [ada = "", grace = ""] = ids;
  const boxes = () => messageBulk.counts(db);
  expect(await boxes()).toEqual({ inbox: 3, snoozed: 0, archived: 0, quarantine: 0, spam: 0, trash: 0 });
  expect(
    await messageBulk.applyAction(db, { action: "archive", selection: { ids: [ada, grace, "unknown"] } }, by, now),
  ).toMatchObject({
    count: 2,
  });
  expect(await messageBulk.applyAction(db, { action: "spam", selection: { ids: [grace] } }, by, now)).toMatchObject({
    count: 1,
  });
  expect(await messages.byId(db, grace)).toMatchObject({ spamReason: "Marked as spam by owner@example.com" });
  expect(await boxes()).toEqual({ inbox: 1, snoozed: 0, archived: 1, quarantine: 0, spam: 1, trash: 0 });

  expect(await messageBulk.applyAction(db, { action: "trash", selection: { ids } }, by, now)).toMatchObject({
    count: 3,
  });
  expect(await messageBulk.applyAction(db, { action: "trash", selection: { ids } }, by, later(1))).toEqual({
    count: 0,
    first: undefined,
  });
  expect(await messageBulk.applyAction(db, { action: "archive", selection: { ids } }, by, now)).toEqual({
    count: 0,
    first: undefined,
  });
  expect(await boxes()).toEqual({ inbox: 0, snoozed: 0, archived: 0, quarantine: 0, spam: 0, trash: 3 });
  expect(await messageBulk.applyAction(db, { action: "restore", selection: { ids } }, by, now)).toMatchObject({
    count: 3,
  });
  expect(await boxes()).toEqual({ inbox: 1, snoozed: 0, archived: 1, quarantine: 0, spam: 1, trash: 0 });

  await messageBulk.applyAction(db, { action: "not-spam", selection: { ids: [grace] } }, by, now);
  await messageBulk.applyAction(db, { action: "unarchive", selection: { ids: [ada, grace] } }, by, now);
  expect(await boxes()).toEqual({ inbox: 3, snoozed: 0, archived: 0, quarantine: 0, spam: 0, trash: 0 });
});

test("a message in quarantine that is moved to the trash or to spam is in quarantine no more", async () => {
  const { db } = await deskWith(0);
  await settings.set(db, "messagesPerHourBeforeQuarantine", "1", { by: "test" }, now);
  const ids: string[] = [];
  for (const name of ["Ada", "Grace", "Hedy", "Lise"]) {
    const submitted = await submit(
      db,
      { name, email: `${name}@example.com`, message: "Letter of ten letters", source: "landing" },
      {},
      now,
    );
    if (submitted.outcome === "stored") ids.push(submitted.id);
  }
  const boxes = { inbox: 1, snoozed: 0, archived: 0, quarantine: 3, spam: 0, trash: 0 };
  expect(await messageBulk.counts(db)).toEqual(boxes);
  const [, grace = "", hedy = ""] = ids;
  await messageBulk.applyAction(db, { action: "trash", selection: { ids: [grace] } }, by, now);
  await messageBulk.applyAction(db, { action: "spam", selection: { ids: [hedy] } }, by, now);
  expect(await messageBulk.counts(db)).toEqual({ ...boxes, quarantine: 1, spam: 1, trash: 1 });
  expect(await messages.countQuarantined(db)).toBe(1);
});

test("releasing messages asks the database a few questions, and reports each with who wrote it", async () => {
  const { db, ids } = await deskWith(60);
  await look(db, "update messages set quarantined = 1");
  const endpoint = { name: "Blog", url: "https://example.com/", events: [], withPeople: true };
  await endpoints.add(db, { fields: endpoint, secret: "sealed" }, by, now);
  const release = () => messageBulk.applyAction(db, { action: "release", selection: { ids } }, by, now);
  expect(await countQuestions(release)).toBeLessThan(8);
  const deliveries = await look<{ id: string; body: string }>(
    db,
    "select subject_id as id, body from webhook_deliveries order by subject_id",
  );
  const written = (n: number) => ({ email: `v${n}@example.com`, message: `Letter number ${n}`, source: "landing" });
  const reports = deliveries.map(({ id, body }) => ({ id, ...JSON.parse(body) }));
  expect(reports).toMatchObject(ids.map((id, n) => ({ id, type: "message.received", data: written(n) })));
});

test("only messages in the trash can be deleted permanently", async () => {
  const { db, ids } = await deskWith(2);
  const [first = "", second = ""] = ids;
  await messageBulk.applyAction(db, { action: "trash", selection: { ids: [first] } }, by, now);
  expect(await messageBulk.applyAction(db, { action: "delete", selection: { ids } }, by, now)).toMatchObject({
    count: 1,
    first: { id: first },
  });
  expect([await messages.byId(db, first), await messages.byId(db, second)]).toMatchObject([undefined, { id: second }]);
});

test("undo restores what one action moved, and nothing that was moved before", async () => {
  const { db, ids } = await deskWith(3);
  const [first = "", ...others] = ids;
  await messageBulk.applyAction(db, { action: "trash", selection: { ids: [first] } }, by, later(1));
  await messageBulk.applyAction(db, { action: "trash", selection: { ids: others } }, by, later(2));
  expect(
    await messageBulk.applyAction(db, { action: "restore", selection: { changedAt: later(2) } }, by, later(3)),
  ).toMatchObject({
    count: 2,
  });
  expect(
    await messageBulk.applyAction(db, { action: "restore", selection: { changedAt: later(2) } }, by, later(4)),
  ).toMatchObject({
    count: 0,
  });
  expect(await messageBulk.counts(db)).toMatchObject({ inbox: 2, trash: 1 });
});

test("all matching messages are moved, even thousands, and the audit log counts them", async () => {
  const { db, events } = await deskWith(2_345);
  const chosen = { matching: { box: "inbox" as const } };
  expect(await messageBulk.countAffected(db, "archive", chosen)).toBe(2_345);
  expect(await messageBulk.applyAction(db, { action: "archive", selection: chosen }, by, now)).toMatchObject({
    count: 2_345,
  });
  expect((await events()).map(({ action, details }) => [action, details.count]).sort()).toEqual([
    ["message.archive", "1000"],
    ["message.archive", "1000"],
    ["message.archive", "345"],
  ]);
});

test("the audit log names a single message, who moved it and from where; actions without effect are not recorded", async () => {
  const { db, ids, events } = await deskWith(1);
  await messageBulk.applyAction(db, { action: "trash", selection: { ids } }, by, now);
  await messageBulk.applyAction(db, { action: "trash", selection: { ids } }, by, later(1));
  expect(await events()).toMatchObject([
    { ...by, action: "message.trash", targetId: ids[0], target: "Visitor 0 <v0@example.com>", createdAt: now },
  ]);
});

test("batches contain every match once, newest first", async () => {
  const { db } = await deskWith(25);
  const seen: string[] = [];
  for await (const batch of messageBulk.batches(db, { box: "inbox", q: "letter" }, 10))
    seen.push(...batch.map(({ name }) => name));
  expect(seen).toEqual(Array.from({ length: 25 }, (_, i) => `Visitor ${24 - i}`));
});
