import { expect, test } from "bun:test";
import type { Broadcast } from "../../db/broadcasts/broadcasts";
import { summaryOf } from "./broadcasts";

test("the summary says that a broadcast is paused only until the pause is over", () => {
  const restUntil = new Date("2026-11-22T12:00:00Z");
  const broadcast = { state: "sending", restUntil, restReason: "quota" } as Broadcast;
  const at = (ms: number) => summaryOf(broadcast, new Date(restUntil.getTime() + ms));
  expect(at(-1)).toMatchObject({ restUntil: "2026-11-22T12:00:00.000Z", restReason: "quota" });
  expect(at(0)).toMatchObject({ restUntil: null, restReason: null });
  expect(summaryOf({ ...broadcast, restUntil: null }, restUntil)).toMatchObject({ restUntil: null, restReason: null });
});
