import { expect, test } from "bun:test";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const read = (file: string) => Bun.file(join(root, file)).text();
const numbersIn = async (file: string) =>
  [...(await read(file)).matchAll(/^- \*\*([DP]\d+)\b/gm)].map(([, number = ""]) => number);

test("every decision that is cited exists, under one number", async () => {
  const ours = await numbersIn("docs/decisions.md");
  const shared = await numbersIn("docs/contract/decisions.md");
  expect(ours.length).toBe(new Set(ours).size);
  expect(shared.length).toBe(43);

  const known = new Set([...ours, ...shared]);
  const files = [...new Bun.Glob("{db,src,views,public,test,docs}/**/*.{ts,tsx,css,md}").scanSync(root)];
  const cited = await Promise.all(
    files.map(async (file) =>
      [...(await read(file)).matchAll(/\b(?:P\d{1,3}|D[1-9]\d?)\b/g)].map(([number]) => ({ file, number })),
    ),
  );
  expect(cited.flat().length).toBeGreaterThan(300);
  expect(cited.flat().filter(({ number }) => !known.has(number))).toEqual([]);
});

test("every subject of the decisions is in the list at the top", async () => {
  const [, head = "", ...sections] = (await read("docs/decisions.md")).split(/^(?=Subjects:|## )/m);
  const listed = [...head.matchAll(/^- \[(.+)\]/gm)].map(([, subject]) => subject);
  expect(listed).toEqual(sections.map((section) => section.slice(3, section.indexOf("\n"))));
});
