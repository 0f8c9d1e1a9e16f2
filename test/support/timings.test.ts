import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./processes";
import { timingsIn } from "./timings";

test("the committed durations are replaced when a tenth of the files are missing, and left alone until then", () => {
  using folder = temporaryFolder();
  mkdirSync(join(folder.path, "test"));
  const committed = join(folder.path, "test/timings.json");
  const files = Array.from({ length: 10 }, (_, n) => `${n}.test.ts`);
  const write = (path: string, names: string[]) =>
    writeFileSync(path, JSON.stringify({ version: 1, files: Object.fromEntries(names.map((name, n) => [name, n])) }));
  write(committed, files.slice(0, 9));
  const before = readFileSync(committed, "utf8");
  const timings = timingsIn(folder.path);
  const own = timings.prepare();
  expect(readFileSync(own, "utf8")).toBe(before);
  write(own, [...files, "gone.test.ts"]);
  expect([timings.refresh(files), readFileSync(committed, "utf8")]).toEqual([false, before]);
  expect(timings.prepare()).toBe(own); // and keeps what was measured
  write(committed, files.slice(0, 8));
  expect(timings.refresh(files)).toBe(true);
  expect(Object.keys(JSON.parse(readFileSync(committed, "utf8")).files)).toEqual(files.toReversed());
  expect(timings.refresh(files)).toBe(false);
});
