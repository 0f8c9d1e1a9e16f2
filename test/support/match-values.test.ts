import { expect, test } from "bun:test";

test.each([
  ["dates", new Date(1), new Date(2)],
  ["maps", new Map([[1, 2]]), new Map([[1, 3]])],
  ["sets", new Set([1]), new Set([2])],
  ["patterns", /a/, /b/],
])("toMatchObject tells %s apart by their value", (_, one, other) => {
  expect({ list: [{ value: one, more: 1 }] }).toMatchObject({ list: [{ value: one }] });
  expect({ list: [{ value: one, more: 1 }] }).not.toMatchObject({ list: [{ value: other }] });
  expect({ value: one }).toMatchObject({ value: expect.anything() });
});
