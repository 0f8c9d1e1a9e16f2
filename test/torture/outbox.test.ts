import { expect, setDefaultTimeout, test } from "bun:test";
import { tortureOutbox } from "./outbox";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

test("300 emails, a provider with 33 % errors, a worker killed again and again: none missing, none doubled", async () => {
  const figures = await tortureOutbox({ mails: 300, seconds: Number.POSITIVE_INFINITY, killEveryMs: 300 });
  expect(figures).toMatchObject({ distinct: 300, doubled: 0, marked: 300 });
  expect(figures.kills).toBeGreaterThanOrEqual(3);
  expect(figures.attempts).toBeGreaterThan(300);
});
