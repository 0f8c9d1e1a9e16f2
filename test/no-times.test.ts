import { expect, test } from "bun:test";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const files = [...new Bun.Glob("{src,db,views,test}/**/*.test.{ts,tsx}").scanSync(root)]
  .concat([...new Bun.Glob("test/e2e/browser/*.ts").scanSync(root)])
  .filter((file) => !file.endsWith("no-times.test.ts"))
  .sort();

/** The lines of tests that match, with their locations. */
async function linesThatSay(pattern: RegExp): Promise<string[]> {
  const found = files.map(async (file) => {
    const lines = (await Bun.file(join(root, file)).text()).split("\n");
    return lines.flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1} ${line.trim()}`] : []));
  });
  return (await Promise.all(found)).flat();
}

test("no test measures how long something took: that is what npm run bench does", async () => {
  expect(await linesThatSay(/performance\.now\(\)|Bun\.nanoseconds|hrtime|Date\.now\(\) - (began|start)/)).toEqual([]);
});

test("no test waits for a while: it waits for what it needs, asking again and again", async () => {
  const asking = /^(while|for) \(|; await Bun\.sleep\(50\)\)$/;
  const waits = await linesThatSay(/waitForTimeout|networkidle|Bun\.sleep|setTimeout\(\w+, \d/);
  expect(waits.filter((line) => !asking.test(line.slice(line.indexOf(" ") + 1)))).toEqual([]);
});
