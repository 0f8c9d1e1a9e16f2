import { expect, test } from "bun:test";
import { excerptOf } from "./subjects";

test("an excerpt has 24 characters before the words and 90 after them, and shows where the text goes on", () => {
  const around = (before: number, after: number) => excerptOf(`${"b".repeat(before)}WORD${"a".repeat(after)}`, "word");
  expect(around(24, 90)).toBe(`${"b".repeat(24)}WORD${"a".repeat(90)}`);
  expect(around(25, 90)).toBe(`…${"b".repeat(24)}WORD${"a".repeat(90)}`);
  expect(around(24, 91)).toBe(`${"b".repeat(24)}WORD${"a".repeat(90)}…`);
  expect(around(0, 0)).toBe("WORD");
});

test("an excerpt without the words is the beginning, on one line", () => {
  expect(excerptOf("one\n\n  two ", "three")).toBe("one two");
  expect(excerptOf("x".repeat(91), "")).toBe(`${"x".repeat(90)}…`);
  expect(excerptOf(`${"x".repeat(100)}a`, "z")).toBe(`${"x".repeat(91)}…`);
});
