import { expect, setDefaultTimeout, test } from "bun:test";
import { tortureBroadcast } from "./broadcast";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

test("N1: 2,000 people, a provider with 23 % errors, a sender killed again and again: no one missing, no one twice", async () => {
  const figures = await tortureBroadcast({ people: 2_000, killEveryMs: 350, leaving: 40, deleted: 10 });
  expect(figures).toMatchObject({
    doubled: 0,
    missing: 0,
    uncertain: 0,
    afterLeaving: 0,
    wrongCounters: 0,
    wrongLedgers: 0,
  });
  expect(figures.distinct).toBe(figures.accepted);
  expect(figures.kills).toBeGreaterThanOrEqual(3);
});

test("N3: by SMTP no one gets it twice, and a kill leaves at most as many uncertain as there are connections", async () => {
  const figures = await tortureBroadcast({ people: 150, killEveryMs: 700, smtp: true });
  expect(figures).toMatchObject({ doubled: 0, missing: 0, afterLeaving: 0, wrongCounters: 0, wrongLedgers: 0 });
  expect(figures.uncertain).toBeLessThanOrEqual(figures.kills * 5);
  expect(figures.accepted).toBeLessThanOrEqual(figures.distinct);
});
