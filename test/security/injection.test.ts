import { expect, test } from "bun:test";
import { injectEverywhere } from "./injection";

test("whatever a manager searches for is found literally or not at all, and no parameter is a fault (S2)", async () => {
  const { asked, wrong } = await injectEverywhere(120);
  expect(wrong).toEqual([]);
  expect(asked).toBe(120 * 19);
}, 300_000);
