import { expect, test } from "bun:test";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const read = (file: string) => Bun.file(join(root, file)).text();
const filesIn = (pattern: string) => [...new Bun.Glob(pattern).scanSync(root)].sort();

const index = "docs/decisions.md";
const pages = filesIn("docs/decisions/*.md");

/** The anchors of a page's rules, as GitHub makes them from headings. */
const anchorsOf = (page: string) =>
  [...page.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );

/** Returns what a pattern finds in the sources and documents, each with its file. */
async function findAll(pattern: RegExp) {
  const files = ["README.md", ...filesIn("{db,src,views,public,test,docs}/**/*.{ts,tsx,css,md}")];
  const found = await Promise.all(
    files.map(async (file) => [...(await read(file)).matchAll(pattern)].map(([text]) => ({ file, text }))),
  );
  return found.flat();
}

test("every page of the decisions has a subject, under which the list names it, and a reason below each heading", async () => {
  const texts = await Promise.all(pages.map(async (file) => ({ file, text: await read(file) })));
  const subjects = texts.map(({ file, text }) => `${file}: ${/^# (.+)\n\n## /.exec(text)?.[1]}`);
  const listed = [...(await read(index)).matchAll(/^- \[(.+)\]\((.+)\)$/gm)].map(([, s, file]) => `docs/${file}: ${s}`);
  expect(listed.sort()).toEqual(subjects);
  expect(texts.filter(({ text }) => /^## .+\s+(?:##|$(?![^]))/m.test(text)).map(({ file }) => file)).toEqual([]);
});

test("all decisions together have at most 8,000 words", async () => {
  const texts = await Promise.all([index, ...pages].map(read));
  const words = texts.join("\n").split(/\s+/).filter(Boolean).length;
  expect(words).toBeLessThanOrEqual(8_000);
});

test("every page and every rule of the decisions that is cited exists", async () => {
  const texts = await Promise.all(pages.map(async (file) => ({ file, anchors: anchorsOf(await read(file)) })));
  const known = new Set(texts.flatMap(({ file, anchors }) => [file, ...anchors.map((anchor) => `${file}#${anchor}`)]));
  const cited = await findAll(/\bdecisions\/[\w-]+\.md(?:#[\w-]+)?/g);
  expect(cited.length).toBeGreaterThan(pages.length + 20);
  expect(cited.filter(({ text }) => !known.has(`docs/${text}`))).toEqual([]);
});

test("a comment gives its reason, or names the page that does: decisions have no numbers", async () => {
  expect(await findAll(/\bP\d{1,3}\b(?!@)/g)).toEqual([]);
});

test("every decision of the contract that is cited exists", async () => {
  const contract = [...(await read("docs/contract/decisions.md")).matchAll(/^- \*\*(D\d+)\b/gm)].map(([, n = ""]) => n);
  expect(contract).toHaveLength(43);
  const cited = await findAll(/\bD[1-9]\d?\b/g);
  expect(cited.length).toBeGreaterThan(100);
  expect(cited.filter(({ text }) => !contract.includes(text))).toEqual([]);
});

test("every file that the README names exists", async () => {
  const named = [...(await read("README.md")).matchAll(/`((?:src|db|views|public|test|docs)\/[\w./-]+\.\w+)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(named.length).toBeGreaterThan(30);
  const missing = await Promise.all(
    named.map(async (path) => ((await Bun.file(join(root, path)).exists()) ? [] : [path])),
  );
  expect(missing.flat()).toEqual([]);
});
