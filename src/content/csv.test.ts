import { expect, test } from "bun:test";
import { parse } from "csv-parse/sync";
import { csvLine, unguarded } from "./csv";

test.each(["=cmd()", "+1", "-1", "@sum", "\tx", "\rx", "'=already", "''+twice"])(
  "%j is text to a spreadsheet, and the same text when it is read back",
  (text) => {
    const [[cell = ""] = []] = parse(csvLine([text, "next"])) as string[][];
    expect(cell).toBe(`'${text}`);
    expect(unguarded(cell)).toBe(text);
  },
);

test("quotes, commas and line breaks stay inside their cell (RFC 4180)", () => {
  const cells = ['say "hi"', "a,b", "two\nlines", "two\r\nlines", "", "плюс", "don't"];
  expect(parse(csvLine(cells)) as string[][]).toEqual([cells]);
  expect(csvLine(["a", null, undefined])).toBe("a,,\r\n");
});
