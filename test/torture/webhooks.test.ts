import { expect, setDefaultTimeout, test } from "bun:test";
import { tortureWebhooks } from "./webhooks";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

test("3 kills between an event and its report: nothing missing, nothing under two IDs", async () => {
  const figures = await tortureWebhooks(3);
  expect(figures).toMatchObject({ lost: 0, missing: 0, underTwoIds: 0 });
  expect(figures.acknowledged).toBeGreaterThan(3);
});
