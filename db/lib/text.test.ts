import { expect, test } from "bun:test";
import { joinNames, splitNames, wordless, wordsIn } from "./text";
import { costBeside } from "../../test/support/cost";

test("names survive a round trip through a field, even with commas and quotation marks", () => {
  for (const names of [[], ["Tides"], ["Tides", "Ships, boats"], ['"quoted"', 'in"side', ',"', '""'], ['a"', 'b", c']])
    expect(splitNames(joinNames(names))).toEqual(names);
});

test("a field is read as people type it", () => {
  expect(splitNames(" Tides ,, C++,\tField  notes , ")).toEqual(["Tides", "C++", "Field  notes"]);
  expect(splitNames('Tides,"Ships, boats" , 5" nails')).toEqual(["Tides", "Ships, boats", '5" nails']);
  expect(splitNames('"never closed, Tides')).toEqual(['"never closed', "Tides"]);
  expect(splitNames(" , ")).toEqual([]);
});

test("a field of nothing but punctuation is read like any other", () => {
  const ordinary = "Tides, ".repeat(20_000);
  for (const sign of ['"', " ", '",', '" ']) {
    const odd = sign.repeat(ordinary.length / sign.length);
    const cost = costBeside(
      () => splitNames(ordinary),
      () => splitNames(odd),
    );
    expect(cost).toBeLessThan(20);
  }
});

test("a picture is no words to read, and neither are its description and its address", () => {
  const picture = '![Boats at low tide](/media/01a/boats-at.png "In May")';
  expect([wordsIn(picture), wordsIn(`One two\n\n${picture}\n\n[three](https://example.com) four!`)]).toEqual([0, 4]);
  expect(wordsIn("Wow! [Boats](/boats) (of wood)")).toBe(4);
});

test("what begins like many pictures is counted as fast as other words", () => {
  const ordinary = "Tides and ".repeat(20_000);
  for (const sign of ["![", "![](", "![a](b "]) {
    const odd = sign.repeat(ordinary.length / sign.length);
    const cost = costBeside(
      () => wordsIn(ordinary),
      () => wordsIn(odd),
    );
    expect(cost).toBeLessThan(20);
  }
});

test("the database and scripts take the same signs for nothing to read", () => {
  const signs = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code));
  expect(signs.filter((sign) => wordsIn(sign) === 0).sort()).toEqual([...wordless].sort());
  expect(wordsIn(` ${wordless} two\nwords `)).toBe(3); // signs beside words count, as they did
});
