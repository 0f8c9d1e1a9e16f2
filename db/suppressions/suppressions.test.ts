import { expect, test } from "bun:test";
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
