import { expect, test } from "bun:test";
import { importAll } from "../newsletter/import";
import { byEmail, subscribe } from "../newsletter/subscribers";
import { openDb } from "../open";
import { lift, ofAddress, suppress, type SuppressionReason } from "./suppressions";

const email = "ada@example.com";
const now = new Date("2026-11-22T12:00:00Z");
const later = new Date(now.getTime() + 60_000);
const by = { via: "provider" } as const;

test("a suppression in force stays as it is, unless the new reason outranks it", async () => {
  const db = await openDb(":memory:");
  const say = (reason: SuppressionReason, detail: string, at: Date) =>
    db.write((orm) => suppress(orm, { email, reason, detail }, by, at));
  const stored = async () => {
    const { reason, detail, createdAt } = (await ofAddress(db, email)) ?? {};
    return [reason, detail, createdAt?.getTime()];
  };
  expect(await say("import", "From the old list", now)).toBe(true);
  expect(await say("import", "Another list", later)).toBe(false); // the same
  expect(await say("manual", "By hand", later)).toBe(false); // as strong
  expect(await stored()).toEqual(["import", "From the old list", now.getTime()]);
  expect(await say("complaint", "Spam", later)).toBe(true);
  expect(await say("manual", "By hand", later)).toBe(false); // weaker
  expect(await stored()).toEqual(["complaint", "Spam", later.getTime()]);
  await db.write((orm) => lift(orm, { email, why: "They asked for it" }, { via: "manager" }, later));
  expect(await stored()).toEqual([undefined, undefined, undefined]);
  expect(await say("manual", "By hand", later)).toBe(true); // none was in force
  await db.close();
});

test("an address that bounced long ago is tried again if its own person subscribes, and by nobody else", async () => {
  const db = await openDb(":memory:");
  const [imported, own] = ["imported@example.com", "own@example.com"];
  const longAgo = new Date(now.getTime() - 181 * 86_400_000);
  for (const each of [imported, own])
    await db.write((orm) => suppress(orm, { email: each, reason: "bounce" }, by, longAgo));
  const terms = { revive: false, origin: { via: "import" as const } };
  await importAll(db, [{ email: imported, state: "active", createdAt: now }], terms, now);
  await subscribe(db, { email: own }, { via: "form" }, now);
  expect((await byEmail(db, imported))?.suppressedAt).toBeDate();
  expect((await byEmail(db, own))?.suppressedAt).toBeNull();
  await db.close();
});
