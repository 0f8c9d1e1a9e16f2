import { expect, test } from "bun:test";
import type { Broadcast } from "../../db/broadcasts/broadcasts";
import { summaryOf } from "./broadcasts";

test("the summary says that a broadcast is paused only until the pause is over", () => {
  const pausedUntil = new Date("2026-11-22T12:00:00Z");
  const broadcast = { state: "sending", pausedUntil, pausedFor: "quota" } as Broadcast;
  const at = (ms: number) => summaryOf(broadcast, new Date(pausedUntil.getTime() + ms));
  expect(at(-1)).toMatchObject({ pausedUntil: "2026-11-22T12:00:00.000Z", pausedFor: "quota" });
  expect(at(0)).toMatchObject({ pausedUntil: null, pausedFor: null });
  expect(summaryOf({ ...broadcast, pausedUntil: null }, pausedUntil)).toMatchObject({
    pausedUntil: null,
    pausedFor: null,
  });
});
