import { expect, test } from "bun:test";
import { run } from "./bombs/run";

test("300 bombs: nothing throws, and every kind of sender gets a response", async () => {
  const { sent, statuses, findings } = await run(300, 20_261_122, { isTimed: false }); // npm run fuzz bombs judges the cost
  expect(findings).toEqual([]);
  expect(sent).toBe(300);
  for (const status of [200, 303, 400, 401, 404, 413, 422])
    expect([status, status in statuses]).toEqual([status, true]);
}, 300_000);
