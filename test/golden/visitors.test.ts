import { expect, test } from "bun:test";
import { join } from "node:path";
import { whatVisitorsRead } from "../support/visitors";

/** After an intended change: `GOLDEN=write bun test test/golden/visitors.test.ts`, and read the difference. */
test("in English, visitors and subscribers read what they read before, byte for byte", async () => {
  const read = await whatVisitorsRead();
  const golden = Bun.file(join(import.meta.dir, "visitors.txt"));
  const now = [...read].map(([name, text]) => `%% ${name}\n${text}\n`).join("");
  if (process.env.GOLDEN === "write") await golden.write(now);
  expect(now.split("%% ")).toEqual((await golden.text()).split("%% "));
});
