import { expect, test } from "bun:test";
import { readPost } from "./front-matter";

const post = (yaml: string, content = "Text.") => readPost(`---\n${yaml}\n---\n${content}`, "from-the-file");

test("only a title is needed; the rest is derived", () => {
  expect(post("title: Lamps")).toEqual({
    ...{ title: "Lamps", slug: "from-the-file", excerpt: "Text.", content: "Text.", published: true, tags: [] },
  });
});

test("every field of the contract is taken over", () => {
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
  ["title: Lamps\ndraft: maybe", "draft must be true or false"],
  ["title: Lamps\nslug: '!!!'", "slug must contain letters or digits"],
  ["title: Lamps\ncoverImage: 'javascript:alert(1)'", "coverImage must be a path, or an http or https URL"],
  ["title: Lamps\ncoverImage: DATA:text/html,x", "coverImage must be a path, or an http or https URL"],
  ["title: Lamps\ncoverImage: //evil.example/a.png", "coverImage must be a path, or an http or https URL"],
  ["title: Lamps\ncoverImage: '\\/evil.example/a.png'", "coverImage must be a path, or an http or https URL"],
  ["title: [", "its front matter is not YAML"],
])("%j is refused with a sentence for its author", (yaml, sentence) => {
  expect(() => post(yaml)).toThrow(sentence);
});

test.each(["/a.png", "./a.png", "images/a b.png", "a.png?b=c:d", "https://a.example/ä.png", "#a"])(
  "%s is a cover that a site may know what to do with",
  (coverImage) => {
    expect(post(`title: Lamps\ncoverImage: '${coverImage}'`).coverImage).toBe(coverImage);
  },
);

test.each(["[", "[a](", "![", "`", "*", "\n ", "> "])("a text of nothing but %j holds up nobody", (piece) => {
  const began = performance.now();
  post("title: Lamps", piece.repeat(400_000));
  expect(performance.now() - began).toBeLessThan(1_000);
});
