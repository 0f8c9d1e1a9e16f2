import { expect, test } from "bun:test";
import { fuzz } from "./fuzz/run";

test("2,000 requests made from the document: no 5xx, nothing outside the document, nothing told", async () => {
  const seed = Date.now() % 2 ** 31;
  console.log(`fuzz seed ${seed}`);
  const { problems, statuses } = await fuzz(2_000, seed);
  expect(problems).toEqual([]);
  expect([...statuses.values()].reduce((sum, times) => sum + times, 0)).toBe(2_000);
  for (const status of [200, 201, 400, 401, 404, 413]) expect([status, statuses.has(status)]).toEqual([status, true]);
}, 60_000);
