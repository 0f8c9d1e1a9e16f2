import { expect, test } from "bun:test";
import { source } from "../../../test/support/broadcasts/letters";
import { checksOf, passedOf, problemChecks, type LetterFacts } from "./checks";
import { letterOf, type LetterSource } from "./letter";

const ready: LetterFacts = {
  provider: "resend",
  siteUrl: "https://site.example",
  recipients: 3,
  hasPostalAddress: true,
  hasWebhookSecret: true,
  wasTested: true,
  isOutdated: false,
  archive: "listed",
  missingFiles: [],
};
const found = (facts: Partial<LetterFacts> = {}, fields: Partial<LetterSource> = {}) =>
  checksOf(letterOf(source(fields)), { ...ready, ...facts });
const codes = (...from: Parameters<typeof found>) => found(...from).map(({ kind, code }) => `${kind} ${code}`);

test("an ordinary letter passes every check", () => {
  expect(found()).toEqual([]);
});

test.each<[string, Partial<LetterFacts>, Partial<LetterSource>]>([
  ["outdated", { isOutdated: true }, {}],
  ["subject", {}, { subject: " \0 " }],
  ["empty", {}, { content: "{/* nothing */}\n\n" }],
  ["too-long", {}, { content: "word ".repeat(101_000) }],
  ["recipients", { recipients: 0 }, {}],
  ["base-url", { siteUrl: "http://site.example" }, {}],
  ["post-unpublished", { post: { isPublished: false }, archive: "none" }, {}],
  ["missing-file", { missingFiles: ["/media/1/a.png"] }, {}],
])("%s blocks", (code, facts, fields) => {
  expect(codes(facts, fields)).toContain(`block ${code}`);
});

test.each<[string, Partial<LetterFacts>, Partial<LetterSource>]>([
  ["simulated", { provider: undefined }, {}],
  ["size", {}, { content: "word ".repeat(21_000) }],
  ["postal-address", { hasPostalAddress: false }, {}],
  ["webhook-secret", { hasWebhookSecret: false }, {}],
  ["test", { wasTested: false }, {}],
  ["post-draft", { post: { isPublished: false } }, {}],
  ["post-draft", { post: { isPublished: false }, archive: "unlisted" }, {}],
])("%s warns", (code, facts, fields) => {
  expect(codes(facts, fields)).toEqual([`warn ${code}`]);
});

const siteNames = { fields: new Set(["city"]), topics: new Map([["recipes", "Recipes"]]) };

test.each<[string, Partial<LetterSource>]>([
  ["unknown-field", { content: 'From {town} and {town, "here"}' }],
  ["unknown-topic", { content: 'See {topic "tides"}' }],
  ["no-value", { content: "{city}" }],
  ["no-value", { subject: "News of {city}" }],
  ["unknown-in-line", { subject: "News of {town}" }],
  ["unknown-in-line", { preheader: '{topic "tides"}' }],
  ["field-in-address", { content: '[x](https://site.example/{city}) [{topic "recipes"}](https://site.example/)' }],
])("%s warns: %j", (code, fields) => {
  expect(codes({}, { siteNames, ...fields })).toEqual([`warn ${code}`]);
});

test("the site's own fields and topics are nothing to warn of", () => {
  const content = '{city, "your town"} {topic "recipes"}';
  expect(codes({}, { siteNames, subject: 'News of {city, "your town"}', content })).toEqual([]);
});

test("what passed is what applies and is in order", () => {
  const passed = (facts: Partial<LetterFacts> = {}, fields: Partial<LetterSource> = {}) =>
    passedOf(letterOf(source(fields)), { ...ready, ...facts });
  expect(passed()).toHaveLength(12);
  expect(passed({ recipients: 0 })).not.toContain("There are recipients.");
  expect(passed({ provider: "smtp" })).not.toContain("Bounces and complaints are reported.");
  expect(passed({}, { content: "[x](http://intranet/)" })).not.toContain("Nothing is wrong with links.");
  expect(passed({}, { content: "![Rain](/media/1/a.png)" })).toContain("All files are in Storage.");
});

test("checks that do not apply to a letter are left out", () => {
  expect(codes({ provider: "smtp", hasWebhookSecret: false })).toEqual([]);
  expect(codes({ post: { isPublished: true }, archive: "none" })).toEqual([]);
  expect(codes({ siteUrl: "http://127.0.0.1:3000" })).toEqual([]);
  expect(codes({ siteUrl: "http://site.example", provider: undefined })).toEqual(["warn simulated"]);
});

test("each kind of problem is one check, with its places and the first line", () => {
  const content = "![](/media/1/a.png)\n\n{1}\n\n![](/media/1/a.png)\n\n{/* meant */}\n\n[x](http://intranet/)";
  expect(found({}, { content })).toEqual([
    {
      kind: "warn",
      code: "no-alt",
      sentence: "2 pictures have no alternative text. Write it below each of them.",
      inSpite: "without alternative text",
      line: 1,
      places: [
        { part: "text", line: 1, at: 0, what: "/media/1/a.png" },
        { part: "text", line: 5, at: 26, what: "/media/1/a.png" },
      ],
    },
    {
      kind: "warn",
      code: "unseen",
      sentence: "Readers will not see one part of the text.",
      inSpite: "without what readers will not see",
      line: 3,
      places: [{ part: "text", line: 3, at: 21, what: "{1}" }],
    },
    {
      kind: "warn",
      code: "local-link",
      sentence: "A link leads to a local URL.",
      inSpite: "with local URLs",
      line: 9,
      places: [{ part: "text", line: 9, at: 66, what: "http://intranet/" }],
    },
  ]);
});

test.each([
  ["{{firstName|there}}", '{{firstName|there}} is not a merge field and stays blank. Write {name, "there"}.'],
  ["{{ subscriber.name }}", '{{ subscriber.name }} is not a merge field and stays blank. Write {name, "friend"}.'],
  ["{{email}}", "{{email}} is not a merge field and stays blank. Write {email}."],
  ["{{town}}", "{{town}} is not a merge field and stays blank."],
  ["{1}", "Readers will not see one part of the text."],
])("of %s the check says what to write instead", (what, sentence) => {
  const [check] = problemChecks([{ code: "unseen", kind: "expression", part: "text", what }]);
  expect(check?.sentence).toBe(sentence);
});
