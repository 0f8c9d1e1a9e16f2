import { expect, setDefaultTimeout, test } from "bun:test";
import { tortureDigest } from "./digest";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

test("a weekly digest goes out once a week, to everyone once, however often its process is killed", async () => {
  const { kills, ...figures } = await tortureDigest({ weeks: 2, people: 20, killEveryMs: 300 });
  expect(figures).toEqual({ digests: 2, weeks: 2, gathered: 4, drafts: 0, doubled: 0, missing: 0, others: 0 });
  expect(kills).toBeGreaterThanOrEqual(4);
});
