import { expect, setDefaultTimeout, test } from "bun:test";
import { pipelined } from "./bombs/pipelined";
import { runPictures } from "./bombs/pictures-run";
import { run } from "./bombs/run";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

test("300 bombs: nothing throws, and every kind of sender gets a response", async () => {
  const { sent, statuses, findings } = await run(300, 20_261_122, { isTimed: false }); // npm run fuzz bombs judges the cost
  expect(findings).toEqual([]);
  expect(sent).toBe(300);
  for (const status of [200, 303, 400, 401, 404, 413, 422])
    expect([status, status in statuses]).toEqual([status, true]);
});

test("every GET route is asked pipelined, with each encoding", async () => {
  const { routes, asked, findings } = await pipelined(5, { isTimed: false }); // npm run fuzz bombs judges the cost
  expect(routes).toBeGreaterThan(100);
  expect(asked).toBe(5 * 7 * routes);
  expect(findings).toEqual([]);
});

test("100 hostile pictures: none is decoded beyond the limits, and after each an ordinary one is read", async () => {
  const { outcomes, findings } = await runPictures(100, 20_261_124);
  expect(findings).toEqual([]);
  for (const [kind, only] of [
    ["pixels", ["as-is", "unreadable"]],
    ["most pixels", ["opaque"]],
    ["understated pixels", ["unreadable"]],
    ["HEIC", ["unreadable"]],
    ["SVG", ["unreadable"]],
    ["no picture", ["unreadable"]],
  ] as const) {
    const seen = Object.keys(outcomes).filter((outcome) => outcome.startsWith(`${kind}: `));
    expect([kind, seen.length > 0]).toEqual([kind, true]);
    expect(only.map((outcome) => `${kind}: ${outcome}`)).toEqual(expect.arrayContaining(seen));
  }
  for (const kind of ["frames", "metadata", "truncated", "mutilated"])
    expect([kind, Object.keys(outcomes).some((outcome) => outcome.startsWith(`${kind}: `))]).toEqual([kind, true]);
});
