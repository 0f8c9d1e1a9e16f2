import { expect, test } from "bun:test";
import fc from "fast-check";
import { translator } from "../../../views/languages/translator";
import { FieldMarks, fieldsIn, filled, greetingName, mergeFieldIn } from "./merge-fields";

const t = translator("en");

test.each([
  "{name}",
  '{name, "friend"}',
  '{name,"friend"}',
  '{name, ""}',
  "{email}",
  "{unsubscribe_url}",
  "{preferences_url}",
  "{browser_url}",
])("%s is a merge field", (source) => {
  expect(mergeFieldIn(source, t)).toBeDefined();
  expect(fieldsIn(source, t, "https://site.example/")).not.toEqual([source]);
});

test.each([
  ...[
    "{ name }",
    "{Name}",
    "{name }",
    "{name,'friend'}",
    "{name, friend}",
    '{name,  "a"}',
    '{name, "a" }',
    '{email, "a"}',
  ],
  ...["{names}", "{name.email}", "{}", "{{name}}x", '{name, "a\\"b"}', `{name, "${"x".repeat(61)}"}`, "{unsubscribe}"],
])("%s is none", (source) => {
  expect(mergeFieldIn(source, t)).toBeUndefined();
});

test.each([
  ["Ada", "Ada"],
  [" Ada Lovelace ", "Ada Lovelace"],
  ["Zoë O’Hara-Ñandú", "Zoë O’Hara-Ñandú"],
  ["Jean-Luc d'Arc", "Jean-Luc d'Arc"],
  ["佐藤 花", "佐藤 花"],
  ["Dr. Ada M. Lovelace", "Dr. Ada M. Lovelace"],
])("%j is a name to greet someone with", (name, greeted) => {
  expect(greetingName(name)).toBe(greeted);
});

test.each([
  ...[null, "", "  ", "...", "pills.example", "Buy now www.pills.example", "x.1y", "a@b.example", "https://x", "Ada!"],
  ...["Ada\nBcc", "Ada\u202e", "<b>Ada</b>", "{email}", "A".repeat(41), "A ".repeat(100_000), "12 34", "a/b", "Ada_1"],
])("%j is no name that we would write to anyone (D33)", (name) => {
  expect(greetingName(name)).toBeNull();
});

test("segments say what was written, whatever it was", () => {
  const text = fc.array(
    fc.constantFrom("{name}", '{name, "x"}', "{email}", "{", "}", "name", " ", "\uE000", "1", "\uE001", "é"),
  );
  const values = { name: "{email}", email: "{name}", unsubscribe_url: "", preferences_url: "", leave_topic_url: "" };
  fc.assert(
    fc.property(text, (parts) => {
      const written = parts.join("").replace(/[\uE000\uE001]/g, "\uFFFD");
      const marks = new FieldMarks();
      const segments = marks.segmentsOf(marks.marked(fieldsIn(parts.join(""), t)));
      const expected = written.replace(/\{name(?:, "x")?\}|\{email\}/g, (field) =>
        field === "{email}" ? "{name}" : "{email}",
      );
      return filled(segments, values) === expected;
    }),
    { numRuns: 2_000 },
  );
});

test("fields and topics of the site are merge fields if it has them, and nothing else is", () => {
  const own = { fields: new Set(["city", "email", "toString"]), topics: new Map([["recipes", "Recipes"]]) };
  const line = 'In {city}, {city, "town"}, {town}, {toString}, {topic "recipes"}, {topic "news"}, {email, "x"}';
  const segments = fieldsIn(line, t, "", own);
  const nobodys = { name: null, email: null, unsubscribe_url: null, preferences_url: null, leave_topic_url: null };
  expect(filled(segments, nobodys)).toBe('In, town, {town}, {toString}, Recipes, {topic "news"}, {email, "x"}');
  const values = { ...nobodys, preferences_url: "https://x/p?email=a", own: { city: "Köln <{name}>" } };
  const html = filled(segments, values, (value) => value.replaceAll("<", "&lt;"));
  expect(html).toStartWith("In Köln &lt;{name}>, Köln &lt;{name}>, {town}, ");
  expect(html).toContain(", https://x/p?email=a&topic=recipes, ");
  expect(fieldsIn("{city}", t)).toEqual(["{city}"]);
});
