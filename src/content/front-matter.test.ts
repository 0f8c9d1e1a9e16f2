import { expect, test } from "bun:test";
import { readPost } from "./front-matter";
import { costBeside } from "../../test/support/cost";

const post = (yaml: string, content = "Text.") => readPost(`---\n${yaml}\n---\n${content}`, "from-the-file");

test("only a title is needed; the rest is derived", () => {
  expect(post("title: Lamps")).toEqual({
    ...{ title: "Lamps", slug: "from-the-file", excerpt: "Text.", content: "Text.", published: true, tags: [] },
  });
});

test("every field of the contract is read", () => {
  const fields = [
    "title: Lamps",
    "slug: On Lamps",
    "excerpt: Short.",
    "coverImage: /lamp.jpg",
    "publishedAt: 2026-03-14T10:00:00+02:00",
    "author: Noor",
    "tags: [Light, 1984]",
    "published: true",
  ];
  expect(post(fields.join("\n"))).toEqual({
    ...{ title: "Lamps", slug: "on-lamps", excerpt: "Short.", coverImage: "/lamp.jpg", author: "Noor" },
    ...{ tags: ["Light", "1984"], published: true, publishedAt: new Date("2026-03-14T08:00:00Z"), content: "Text." },
  });
});

test.each<[string, boolean]>([
  ["published: true", true],
  ["published: false", false],
  ["draft: false", true],
  ["draft: true", false],
  ["published: true\ndraft: true", false],
])("%j: published is %p", (yaml, published) => {
  expect(post(`title: Lamps\n${yaml}`).published).toBe(published);
});

test.each([
  ["2026-03-14", "2026-03-14T00:00:00Z"],
  ["2026-3-4", "2026-03-04T00:00:00Z"],
  ["2026-03-14 09:00", "2026-03-14T09:00:00Z"],
  ["2026-03-14T09:00:30", "2026-03-14T09:00:30Z"],
  ["2026-03-14t9:00:30.1234z", "2026-03-14T09:00:30.123Z"],
  ["2026-03-14 09:00:00 +0530", "2026-03-14T03:30:00Z"],
  ["2026-03-14T09:00:00-8", "2026-03-14T17:00:00Z"],
  ["'2026-03-14T09:00:00.000Z'", "2026-03-14T09:00:00Z"],
])("the time %s is %s in every time zone of the server", (written, moment) => {
  const { TZ } = process.env;
  for (const zone of ["America/New_York", "Asia/Kathmandu"]) {
    process.env.TZ = zone;
    expect(post(`title: Lamps\ndate: ${written}`).publishedAt).toEqual(new Date(moment));
  }
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

test.each([
  ["tags: ''", []],
  ["tags: Light, Oil,", ["Light", "Oil"]],
  [`tags: 'Light, "Lamps, large"'`, ["Light", "Lamps, large"]],
  ["tags: [1.5, 2024]", ["1.5", "2024"]],
])("%s are the tags %j", (yaml, tags) => {
  expect(post(`title: Lamps\n${yaml}`).tags).toEqual(tags);
});

test("numbers are words too, and an excerpt may take several lines", () => {
  expect(post("title: 1984\nslug: 2024\nauthor: 42\nexcerpt: |\n  A book,\n  and a year.\n")).toMatchObject({
    ...{ title: "1984", slug: "2024", author: "42", excerpt: "A book, and a year." },
  });
});

test("the excerpt is the first paragraph of prose, without its markup, cut at a word", () => {
  const content = [
    'import Figure from "./figure"',
    "# Lamps",
    "```sh\nlight on\n```",
    "- a list",
    "The *first* [lamp](https://a.example) was `lit`.",
    "The second.",
  ];
  expect(post("title: Lamps", content.join("\n\n")).excerpt).toBe("The first lamp was lit.");
  const long = post("title: Lamps", "lamp ".repeat(100)).excerpt ?? "";
  expect(long).toMatch(/^(lamp )+lamp…$/);
  expect(long.length).toBeLessThanOrEqual(201);
});

test("Windows line ends and a byte order mark are no obstacle", () => {
  expect(readPost("\uFEFF---\r\ntitle: Lamps\r\n---\r\nText.\r\n", "lamps")).toMatchObject({
    title: "Lamps",
    content: "Text.",
  });
});

test.each([
  ["tags: []", "title is required"],
  ["title: Lamps\ndate: someday", "date must be a date such as 2026-03-14"],
  ["title: Lamps\ndate: 2026-02-30", "date must be a date such as 2026-03-14"],
  ["title: Lamps\ndate: 03/04/2026", "date must be a date such as 2026-03-14"],
  ["title: Lamps\ndate: 0026-03-14", "date must be a date such as 2026-03-14"],
  ["title: Lamps\ndate: '2026'", "date must be a date such as 2026-03-14"],
  ["title: Lamps\ndate: 2026-03-14T25:00", "date must be a date such as 2026-03-14"],
  ["title: 1.10", "title would be read as the number 1.1: put it in quotes"],
  ["title: Lamps\ntags: [Light, 007]", "tags would be read as the number 7: put it in quotes"],
  ["title: Lamps\ndraft: maybe", "draft must be true or false"],
  ["title: Lamps\nslug: '!!!'", "slug must contain a letter or digit"],
  ["title: Lamps\ncoverImage: 'javascript:alert(1)'", "coverImage must be a path or an http(s) URL"],
  ["title: Lamps\ncoverImage: DATA:text/html,x", "coverImage must be a path or an http(s) URL"],
  ["title: Lamps\ncoverImage: //evil.example/a.png", "coverImage must be a path or an http(s) URL"],
  ["title: Lamps\ncoverImage: '\\/evil.example/a.png'", "coverImage must be a path or an http(s) URL"],
  ["title: [", "its front matter is not valid YAML"],
])("%j is refused with a sentence for its author", (yaml, sentence) => {
  expect(() => post(yaml)).toThrow(sentence);
});

test.each(["/a.png", "./a.png", "images/a b.png", "a.png?b=c:d", "https://a.example/ä.png", "#a"])(
  "%s is a cover that a site may know what to do with",
  (coverImage) => {
    expect(post(`title: Lamps\ncoverImage: '${coverImage}'`).coverImage).toBe(coverImage);
  },
);

test("front matter may have 32,000 characters, and no more", () => {
  const long = () => post(`title: Lamps\nnotes: ${"a".repeat(32_000)}`);
  expect(long).toThrow("its front matter is longer than 32,000 characters");
});

test("a text may have a million characters, as in the editor, and no more", () => {
  expect(post("title: Lamps", "👩".repeat(1_000_000)).content?.length).toBe(2_000_000);
  expect(() => post("title: Lamps", "a".repeat(1_000_001))).toThrow("its text is longer than a million characters");
});

test.each(["[", "[a](", "![", "`", "*", "\n ", "> "])("a text of nothing but %j is read quickly", (piece) => {
  const odd = piece.repeat(250_000);
  const ordinary = "A lamp on the quay. ".repeat(odd.length / 20);
  const cost = costBeside(
    () => post("title: Lamps", ordinary),
    () => post("title: Lamps", odd),
  );
  expect(cost).toBeLessThan(20);
});

test.each([
  ["title: One\nslug: a\ntitle: Two", "title is there twice, in lines 2 and 4"],
  ['title: One\n# title: no\n"title" : Two', "title is there twice, in lines 2 and 4"],
  ["  title: One\r\n  tags:\r\n    - a\r\n  tags: b", "tags is there twice, in lines 3 and 5"],
])("%j: a field that is there twice is refused, with its lines", (yaml, message) => {
  expect(() => post(yaml)).toThrow(message);
});

test("what looks like a field within a text is no field", () => {
  const yaml = 'title: One\nexcerpt: >-\n  title: two\n  title: three\nauthor: |\n  title: four\ntags: ["title: five"]';
  expect(post(yaml)).toMatchObject({ title: "One", excerpt: "title: two title: three" });
});
