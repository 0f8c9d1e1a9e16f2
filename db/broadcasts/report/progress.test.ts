import { expect, test } from "bun:test";
import { addRecipients, setState } from "../../../test/support/broadcasts/sent";
import { testService } from "../../../test/support/service";
import { byId } from "../broadcasts";
import { create } from "../edit";
import { recentPerSecond } from "./progress";

test("the pace counts from the last resume: a pause does not slow it down, and without an email there is none", async () => {
  const { db } = await testService();
  const now = new Date();
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
  const fields = { subject: "Rain", preheader: "", fromName: "", archive: "listed" as const, segment: {}, content: "" };
  const { id } = await create(db, { source: { kind: "own" }, fields }, { actor: "ada@example.com" }, now);
  const paceAfter = async (seconds: number) => {
    await setState(db, id, { state: "sending", startedAt: ago(600), updatedAt: ago(seconds) });
    const broadcast = await byId(db, id);
    return broadcast && recentPerSecond(db, broadcast, now);
  };
  expect(await paceAfter(40)).toBeUndefined();
  await addRecipients(
    db,
    id,
    Array.from({ length: 20 }, () => ({})),
  );
  expect(await paceAfter(10)).toBeUndefined();
  expect(await paceAfter(40)).toBe(0.5);
  expect(await paceAfter(600)).toBe(20 / 60);
});
