import { expect, test } from "bun:test";
import fc from "fast-check";
import { diffLines, diffWords, PostDiff, type Run } from "./diff";
import { costBeside } from "../../../test/support/cost";

const side = (runs: Run[], other: Run["kind"], glue: string) =>
  runs
    .filter(({ kind }) => kind !== other)
    .flatMap(({ pieces }) => pieces)
    .join(glue);

const lines = fc.array(fc.constantFrom("a", "b", "c", "", "d e"), { maxLength: 12 }).map((all) => all.join("\n"));

test("without what is new it is the old text, without what is old the new one", () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      for (const [runs, glue] of [
        [diffLines(before, after), "\n"],
        [diffWords(before, after), ""],
      ] as const)
        expect([side(runs, "new", glue), side(runs, "old", glue)]).toEqual([before, after]);
    }),
  );
});

test("common parts are found, however far apart, and runs of one kind are merged", () => {
  expect(diffLines("a\nb\nc\nd", "a\nc\nx\ny\nd")).toEqual([
    { kind: "same", pieces: ["a"] },
    { kind: "old", pieces: ["b"] },
    { kind: "same", pieces: ["c"] },
    { kind: "new", pieces: ["x", "y"] },
    { kind: "same", pieces: ["d"] },
  ]);
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const kinds = diffLines(before, after).map(({ kind }) => kind);
      expect(kinds.filter((kind, at) => kind === kinds[at + 1] || (kind === "new" && kinds[at + 1] === "old"))).toEqual(
        [],
      );
    }),
  );
});

test("two texts of a hundred thousand lines with nothing in common are compared like two with little", () => {
  const long = (word: string) => Array.from({ length: 100_000 }, (_, i) => `${word} ${i}`).join("\n");
  const [before, after] = [`same\n${long("old")}\nend`, `same\n${long("new")}\nend`];
  expect(diffLines(before, after).map(({ kind }) => kind)).toEqual(["same", "old", "new", "same"]);
  const cost = costBeside(
    () => diffLines(before, `${before}\nand a line`),
    () => diffLines(before, after),
  );
  expect(cost).toBeLessThan(100);
});

test("a text of a million characters that was written anew is compared, words and all, at the price of one that was not", () => {
  const words = (word: string) => Array.from({ length: 1_000 }, (_, i) => `${word}${i % 7}`).join(" ");
  const text = (word: string) => Array.from({ length: 250 }, (_, i) => `${words(`${word}${i}x`)} ${words("same")}`);
  const [before, after] = [text("old"), text("new")].map((lines) => ({ fields: {}, content: lines.join("\n") }));
  const diff = (next: unknown) =>
    String(PostDiff({ before: before as never, after: next as never, old: "Before", new: "After" }));
  expect(diff(after).length).toBeGreaterThan(before?.content.length ?? 0);
  expect(
    costBeside(
      () => diff({ fields: {}, content: `${before?.content} and words` }),
      () => diff(after),
    ),
  ).toBeLessThan(100);
});

const page = (before: string, after: string) => {
  const [old, fresh] = [before, after].map((content) => ({ fields: {}, content }));
  return String(PostDiff({ before: old as never, after: fresh as never, old: "Before", new: "After" }));
};

test("lines that only end otherwise are the same lines", () => {
  expect(page("One\r\ntwo\r\n", "One\ntwo\n")).toContain("Both are the same.");
  expect(page("One\r\ntwo", "One\ntwo\nthree").match(/<(ins|del)>/g)).toEqual(["<ins>"]);
});

test("of a change of half a million lines the first are shown, and the others counted", () => {
  const shown = page("", "a\n".repeat(500_000));
  expect(shown.length).toBeLessThan(1_000_000);
  expect(shown.slice(-200)).toContain("495000 more lines added");
});
