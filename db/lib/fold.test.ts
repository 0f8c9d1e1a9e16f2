import { expect, test } from "bun:test";
import fc from "fast-check";
import { fold } from "./fold";
import { normalized } from "./text";
import { sliceLength } from "../async/in-slices";

/** Characters that join their neighbours in various ways, and some that do not. */
const unit = fc.constantFrom(..."aΣßİﬃ 가각ᄀ각ｶﾞ\u0301\u0316\u0345é👩‍👧\n㌀ﷺ", "\u1112\u1161\u11ab");

test("folding in slices gives the same text, wherever the slices meet", () => {
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 60 }), fc.nat(60), (text, at) => {
      const before = "x".repeat(sliceLength - at);
      expect(fold(before + text).slice(before.length - 1)).toBe(fold(`x${text}`));
    }),
    { numRuns: 1_000 },
  );
});

test("of more than 32 combining marks in a row, the first 32 are kept, including those that NFKC produces", () => {
  for (const mark of ["\u0301", "\u0316", "\uff9e", "\u{1d165}"]) {
    const few = `a${mark.repeat(32)}b`;
    expect(normalized(few, "NFC")).toBe(few.normalize("NFC"));
    expect(normalized(`a${mark.repeat(20_000)}b`, "NFC")).toBe(few.normalize("NFC"));
  }
  const emoji = "👩🏽‍❤️‍💋‍👨🏿 नमस्ते สวัสดี אָ֥לֶף é".repeat(100);
  expect(normalized(emoji, "NFC")).toBe(emoji.normalize("NFC"));
});

test("a ligature of eighteen letters is found by its letters, but does not make a text eighteen times as long", () => {
  expect(fold(`x ${"a".repeat(40)} ﷺ`)).toContain("صلى الله عليه وسلم");
  const long = "ﷺ".repeat(100_000);
  expect(fold(long).length).toBeLessThanOrEqual(3 * long.length);
});
