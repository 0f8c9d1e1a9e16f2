import { expect, test } from "bun:test";
import { tortureStop } from "./stop";

test("3 SIGTERMs under load: nothing in work is cut off or lost, and the exit is clean", async () => {
  const figures = await tortureStop(3);
  console.log("R5", figures);
  expect(figures).toMatchObject({ reset: 0, lost: 0, wrongCode: 0, logLeft: 0 });
  expect(figures.acknowledged).toBeGreaterThan(3);
}, 300_000);
