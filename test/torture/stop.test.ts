import { expect, setDefaultTimeout, test } from "bun:test";
import { tortureStop } from "./stop";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

test("3 SIGTERMs under load: nothing in work is cut off or lost, and the exit is clean", async () => {
  const figures = await tortureStop(3);
  console.log("R5", figures);
  expect(figures).toMatchObject({ reset: 0, lost: 0, wrongCode: 0, logLeft: 0 });
  expect(figures.acknowledged).toBeGreaterThan(3);
});
