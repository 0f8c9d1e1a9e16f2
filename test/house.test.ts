import { expect, test } from "bun:test";
import { join } from "node:path";
import { mutualFolders, onlyForANeighbour } from "./house/imports";
import { rowsOf } from "./house/rows";
import * as syntax from "./house/syntax";
import { sourceOf } from "./house/tree";

/**
 * How many there may be at most. Where the target of `npm run house` is not reached yet, the number of today: whoever
 * lowers a figure lowers its limit, too. How many files there are has no limit: a
 * new feature may need some.
 */
const limits: [what: string, limit: number][] = [
  ["files of 30 lines or fewer", 119],
  ["files that only a neighbour imports", 120],
  ["pairs of folders that depend on each other", 0],
  ["literals spread into literals", 0],
  ["literals spread into literals and JSX", 0],
  ["maxlength by hand", 0],
  ["functions with five parameters or more", 39],
  ["functions of more than 50 lines", 0],
  ["any", 0],
  ["as", 76],
  ["!", 0],
  ['declared as "found"', 0],
  ['declared as "known"', 0],
  ['declared as "shown"', 0],
  ['functions called "note"', 0],
  ['functions called "ask"', 0],
  ["words of the decisions", 8_000],
];
const rows = await rowsOf(join(import.meta.dir, ".."));

test.each(limits)("no more than there were: %s", (what, limit) => {
  const row = rows.find((one) => one.what === what);
  expect(row?.seen, row?.places.join("\n")).toBeLessThanOrEqual(limit);
});

const planted = sourceOf(
  "src/mail/x.tsx",
  `import { a } from "./y";
import type { B } from "../../db/posts/z";
const found = { ...{ a }, ...b }, { c: known = [...[1], ...many] } = a as const as any;
const note = async (a, b, c, d, e) => <Field maxlength={60} {...{ a, b }} />;
function f([{ shown }]: B, ...rest) {${"\n  g();".repeat(50)}
}
h!.maxlength = (await import("../http/late")) as T;`,
);

test("what is planted is counted", () => {
  const sources = [planted];
  expect(syntax.spreadLiterals(sources)).toEqual(["src/mail/x.tsx:3", "src/mail/x.tsx:3"]);
  expect(syntax.spreadAttributes(sources)).toEqual(["src/mail/x.tsx:4"]);
  expect(syntax.handwrittenLengths(sources)).toEqual(["src/mail/x.tsx:4"]);
  expect(syntax.manyParameters(sources)).toEqual(["src/mail/x.tsx:4"]);
  expect(syntax.longFunctions(sources)).toEqual(["src/mail/x.tsx:5"]);
  expect(syntax.anyTypes(sources)).toEqual(["src/mail/x.tsx:3"]);
  expect(syntax.assertions(sources)).toEqual(["src/mail/x.tsx:3", "src/mail/x.tsx:57"]);
  expect(syntax.nonNull(sources)).toEqual(["src/mail/x.tsx:57"]);
  for (const name of ["found", "known", "shown", "rest"]) expect(syntax.declarations(sources, name)).toHaveLength(1);
  expect(syntax.functionsNamed(sources, "note")).toEqual(["src/mail/x.tsx:4"]);
  expect(syntax.functionsNamed(sources, "found")).toEqual([]);
});

test("folders that depend on each other are found, types and what is loaded on demand counted", () => {
  const http = sourceOf("src/http/late.ts", 'import type { C } from "../mail/x";');
  const posts = sourceOf("db/posts/z.ts", "export type B = 1;");
  expect(mutualFolders([planted, http, posts])).toEqual(["src/http ↔ src/mail"]);
  expect(mutualFolders([planted, posts])).toEqual([]);
  const neighbour = sourceOf("src/mail/y.ts", "export const a = 1;");
  expect(onlyForANeighbour([planted, neighbour, posts])).toEqual(["src/mail/y.ts"]);
});
