import { expect, test } from "bun:test";
import { fuzz } from "./fuzz/run";

test("2,000 requests made from the document: no 5xx, nothing outside the document, nothing told", async () => {
  const { problems, statuses } = await fuzz(2_000, 20_261_121); // the same ones each time; npm run fuzz finds new ones
  expect(problems).toEqual([]);
  expect([...statuses.values()].reduce((sum, times) => sum + times, 0)).toBe(2_000);
  for (const status of [200, 201, 400, 401, 404, 413]) expect([status, statuses.has(status)]).toEqual([status, true]);
}, 60_000);
