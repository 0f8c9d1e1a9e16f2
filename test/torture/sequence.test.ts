import { expect, setDefaultTimeout, test } from "bun:test";
import { tortureSequence } from "./sequence";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

test("SEQ1: 300 people, three emails, a third of the answers wrong, a sender killed again and again: no one twice, no one missing", async () => {
  const figures = await tortureSequence({ people: 300, killEveryMs: 350 });
  expect(figures).toMatchObject({ doubled: 0, missing: 0, afterLeaving: 0, uncertain: 0, notAtTheEnd: 0 });
  expect(figures.kills).toBeGreaterThanOrEqual(3);
  expect(figures.left).toBeGreaterThan(20);
});
