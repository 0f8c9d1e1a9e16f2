import { expect, setDefaultTimeout, test } from "bun:test";
import { tortureKill } from "./kill";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

test("8 kills under load: nothing that was acknowledged is lost, and the database is whole", async () => {
  const figures = await tortureKill(8);
  console.log("R1", figures);
  expect(figures).toMatchObject({ lost: 0, withoutMail: 0, integrityErrors: 0, stillAccepted: 0 });
  expect(figures.acknowledged).toBeGreaterThan(8);
});
