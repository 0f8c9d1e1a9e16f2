import { expect, setDefaultTimeout, test } from "bun:test";
import { injectEverywhere } from "./injection";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

test("whatever a manager searches for is matched literally, and no parameter causes an error (S2)", async () => {
  const { asked, wrong } = await injectEverywhere(120);
  expect(wrong).toEqual([]);
  expect(asked).toBe(120 * 19);
});
