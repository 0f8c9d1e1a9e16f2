import { sql } from "drizzle-orm";
import { detailsOf, eachDetail } from "../../db/newsletter/details";
import { expect, test } from "bun:test";
import { z } from "zod";
import { optional } from "../http/request-schemas";
import { exactLine, line, lines, term } from "../platform/text/schemas";
import { emailAddress } from "../platform/text/email-address";
import { csvColumn, field, inputOf, inputsOf } from "./field";
import { ManagedSubscriberFields } from "./subscriber";

const max = 30;
/** A letter with three marks, which NFC makes one character, and one of two UTF-16 units. */
const longest = ["\u1f82".normalize("NFD"), "🦆"];

test.each([
  ["one line", line({ max })],
  ["an exact line", exactLine({ max })],
  ["several lines", lines({ max })],
  ["a term", term({ max })],
  ["an optional line", optional(line({ max }))],
  ["lines joined before", z.preprocess((text) => text, line({ min: 1, max }))],
  ["a line that is refined and changed", line({ max }).refine(Boolean).transform(String)],
])("nothing that the server accepts is cut by the browser: %s", (_, schema) => {
  const { maxlength = 0 } = inputOf("text", schema);
  for (const character of longest) {
    const text = character.repeat(max);
    expect(schema.safeParse(text).success).toBe(true);
    expect(text.length).toBeLessThanOrEqual(maxlength);
  }
  expect(schema.safeParse("x".repeat(maxlength + 1)).success).toBe(false);
});

test("a field without a length is not cut, and a text that counts UTF-16 units at its own length", () => {
  expect(inputOf("text", z.string()).maxlength).toBeUndefined();
  expect(inputOf("text", z.string().max(500)).maxlength).toBe(500);
  expect(
    inputOf(
      "tags",
      z
        .string()
        .transform((text) => text.split(","))
        .pipe(z.array(line({ max }))),
    ).maxlength,
  ).toBe(undefined);
});

test("a field is required if its schema refuses a blank one", () => {
  const required = (schema: z.ZodType) => inputOf("text", schema).required;
  expect([emailAddress, line({ min: 1, max })].map(required)).toEqual([true, true]);
  expect([line({ max }), optional(emailAddress), optional(line({ min: 1, max }))].map(required)).toEqual([
    false,
    false,
    false,
  ]);
});

test("fields of the same schema have their own facts, which they keep in other objects", () => {
  const one = z.object({ name: field(emailAddress, { label: "One (optional)", csv: ["eins"] }) });
  const two = one.extend({ other: field(emailAddress, { label: "Two", hint: "Not the first." }) });
  expect(inputsOf(two)).toMatchObject({
    name: { label: "One (optional)" },
    other: { label: "Two", hint: "Not the first." },
  });
  expect(inputsOf(two.omit({ other: true })).name.label).toBe("One (optional)");
  expect(csvColumn(two.shape.name)).toEqual({ label: "One", names: ["eins"] });
  expect(inputOf("plain", emailAddress).label).toBe("plain");
});

test("every field of a subscriber besides the address has a column, and a place in prepared statements", () => {
  const named = ManagedSubscriberFields.keyof().options.filter((field) => field !== "email");
  expect(Object.keys(detailsOf({}))).toEqual(named);
  expect(Object.keys(eachDetail(sql.placeholder))).toEqual(named);
});
