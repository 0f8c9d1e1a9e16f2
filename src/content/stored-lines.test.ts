import { expect, test } from "bun:test";
import fc from "fast-check";
import { withStoredLines } from "./stored-lines";

/** What a text box gives back of a text. */
const inBox = (text: string) => text.replace(/\r\n?/g, "\n").replaceAll("\0", "\ufffd");

const unit = fc.constantFrom("a", "b", " ", "\t", "\0", "\f", "\u0085", "\u2028", "e\u0301", "𝒳");
const line = fc.string({ unit, maxLength: 3 });
const end = fc.constantFrom("\n", "\r\n", "\r");
const text = fc
  .array(fc.tuple(line, end), { maxLength: 12 })
  .chain((lines) => line.map((last) => lines.flat().join("") + last));

test("a text that was not touched keeps each byte", () => {
  fc.assert(fc.property(text, (stored) => expect(withStoredLines(stored, inBox(stored))).toBe(stored)));
});

test("what is read back is what was typed, whatever was stored", () => {
  fc.assert(
    fc.property(text, text, (stored, other) => {
      const typed = inBox(other);
      expect(inBox(withStoredLines(stored, typed))).toBe(typed);
    }),
  );
});

test("a line that is inserted changes no other line", () => {
  const property = fc.property(fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n"))), fc.nat(), (lines, place) => {
    const stored = lines.map((parts) => parts.join(""));
    const at = place % (stored.length + 1);
    const typed = [...stored.slice(0, at), "new\n", ...stored.slice(at)].map(inBox).join("");
    const saved = withStoredLines(stored.join(""), typed);
    expect([stored.slice(0, at).join("") + "new\n", stored.slice(0, at).join("") + "new\r\n"]).toContain(
      saved.slice(0, saved.length - stored.slice(at).join("").length),
    );
    expect(saved.endsWith(stored.slice(at).join(""))).toBe(true);
  });
  fc.assert(property);
});

test.each([
  ["a\r\nb\r\nc", "a\nB\nc", "a\r\nB\r\nc"],
  ["a\r\nb\nc\r\n", "c\nb\na\n", "c\r\nb\na\r\n"],
  ["a\n", "a\nb", "a\nb"],
  ["a\rb", "a\n\nb", "a\n\nb"],
  ["", "new\n", "new\n"],
])("%j, typed as %j, is stored as %j", (stored, typed, saved) => {
  expect(withStoredLines(stored, typed)).toBe(saved);
});
