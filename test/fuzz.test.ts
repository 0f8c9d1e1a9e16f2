import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { Shot } from "./fuzz/requests";
import { fuzz, smallest } from "./fuzz/run";
import { testTimeoutMs } from "./support/within";

setDefaultTimeout(testTimeoutMs);

test("2,000 requests made from the document: no 5xx, nothing outside the document, nothing leaked", async () => {
  const { problems, statuses } = await fuzz(2_000, 20_261_121); // always the same ones; npm run fuzz finds new ones
  expect(problems).toEqual([]);
  expect([...statuses.values()].reduce((sum, times) => sum + times, 0)).toBe(2_000);
  for (const status of [200, 201, 400, 401, 404, 413]) expect([status, statuses.has(status)]).toEqual([status, true]);
});

test("a failing request is minimised and printed as a curl command", async () => {
  const shot = (path: string): Shot => ({ endpoint: {} as Shot["endpoint"], method: "GET", path, headers: {} });
  const paths = fc.string({ minLength: 1, maxLength: 200, unit: fc.constantFrom("a", "b", "!") });
  const hatesBangs = (sent: Shot) => Promise.resolve(sent.path.includes("!") ? ["failed"] : []);
  const told = await smallest(
    paths.map((path) => shot(`/${path}`)),
    { numRuns: 200, seed: 1 },
    hatesBangs,
  );
  expect(told).toMatch(/^smallest: curl -i -X GET \$'http:\/\/localhost:3000\/[ab]?![ab]?'$/);
});
