import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import { csvLine, unguarded } from "./reader";

test.each(["=cmd()", "+1", "-1", "@sum", "\tx", "\rx", "'=already", "''+twice"])(
  "%j is text to a spreadsheet, and the same text when it is read back",
  (text) => {
    const [[cell = ""] = []] = parse(csvLine([text, "next"])) as string[][];
    expect(cell).toBe(`'${text}`);
    expect(unguarded(cell)).toBe(text);
  },
);

const triggers = [..."=+-@＝＋－＠﹦﹢﹣﹫⁼⁺⁻₌₊₋−"];
const unseen = [
  "",
  " ",
  "\u00a0",
  "\u3000",
  "\ufeff",
  "\u200b",
  "\u200d\u2060",
  "\u00ad",
  "\u202e",
  "\ufe0f",
  "\u3164",
  "\0",
  " \t\n",
];

test("whatever a spreadsheet may take for the beginning of a formula is text to it, behind what it may skip too", () => {
  for (const skipped of unseen)
    for (const trigger of triggers) {
      const text = `${skipped}${trigger}SUM(1,1)`;
      const [[cell = ""] = []] = parse(csvLine([text])) as string[][];
      expect([text, cell, unguarded(cell)]).toEqual([text, `'${text}`, text]);
    }
  for (const text of ["Ada", "a=b", "\u200bAda", " Ada", "'Ada'", "", "1-2", "é"])
    expect(csvLine([text])).toBe(`${text}\r\n`);
});

test("quotes, commas and line breaks stay inside their cell (RFC 4180)", () => {
  const cells = ['say "hi"', "a,b", "two\nlines", "two\r\nlines", "", "плюс", "don't"];
  expect(parse(csvLine(cells)) as string[][]).toEqual([cells]);
  expect(csvLine(["a", null, undefined])).toBe("a,,\r\n");
});
