import { expect, test } from "bun:test";
import { join } from "node:path";
import { equivalent } from "./equivalent";
import { mutantsOf, withMutant } from "./mutants";

const changed = (text: string) => mutantsOf("src/x.ts", text).map((mutant) => withMutant(text, mutant));

test.each([
  ["a comparison", "a = b < c;", ["a = b <= c;"]],
  ["a condition of two", "a = b && c;", ["a = b;", "a = c;"]],
  ["a guard", "if (a) b;", ["if (true) b;", "if (false) b;"]],
  ["a number", "a = 7;", ["a = (7 + 1);"]],
  ["a large number", "a = 60_000;", ["a = (60_000 * 2);"]],
  ["a row of what follows", "await audit(b);", [";"]],
  ["an await", "a = await b;", ["a = b;"]],
  ["a cap", "a = Math.min(b, c);", ["a = Math.max(b, c);"]],
  ["a condition of SQL", "a = and(b, c);", ["a = and(c);", "a = and(b);"]],
  ["a comparison in SQL", "a = sql`x < ${b}`;", ["a = sql`x <= ${b}`;"]],
  ["a state in SQL", "a = sql`${b} = 'queued'`;", ["a = sql`${b} <> 'queued'`;", "a = sql`${b} = 'other'`;"]],
])("%s is changed", (_, text, all) => {
  expect(changed(text)).toEqual(all);
});

test.each([
  ["a text for people", 'a = "1 < 2";'],
  ["a type", "type A = 1 | 2;"],
  ["the number that a property is named", "a = { 200: b };"],
  ["a log line", "log.info({ b });"],
])("%s stays as it is", (_, text) => {
  expect(changed(text)).toEqual([]);
});

test("every mutant that is said to change nothing is still one of its line", async () => {
  for (const { file, line, replacement, why } of equivalent) {
    const text = await Bun.file(join(import.meta.dir, "../..", file)).text();
    const lines = text.split("\n").map((one) => one.trim());
    const known = mutantsOf(file, text).filter((mutant) => lines[mutant.line - 1] === line);
    expect({ file, line, why, replacements: known.map((mutant) => mutant.replacement) }).toEqual({
      ...{ file, line, why: expect.stringMatching(/./) },
      replacements: expect.arrayContaining([replacement]),
    });
  }
  expect(mutantsOf("src/x.ts", "a = b < c;")).toHaveLength(1);
});
