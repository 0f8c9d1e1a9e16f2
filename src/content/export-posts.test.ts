import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { visible } from "../platform/text/schemas";
import { openDb } from "../../db/open";
import * as postEdits from "../../db/posts/edit";
import * as posts from "../../db/posts/posts";
import { slugOf } from "../../db/lib/text";
import * as tagEdit from "../../db/posts/tags";
import { exportPosts, fileName, type PostFileContent, writePost } from "./export-posts";
import { readPost } from "./front-matter";
import { importPosts, type SourceFile } from "./import-posts";
import { everything, look } from "../../test/support/look";

const now = new Date("2026-11-21T12:00:00Z");
const later = new Date("2026-11-22T12:00:00Z");
const by = { actor: "test" };

const written = async (db: Awaited<ReturnType<typeof openDb>>) => {
  const files: Record<string, string> = {};
  for await (const { slug, name, text } of exportPosts(db)) files[name ?? `refused: ${slug}`] = text;
  return files;
};
const asFiles = (files: Record<string, string>): SourceFile[] =>
  Object.entries(files).map(([name, text]) => ({ name, bytes: async () => Buffer.from(text) }));

const plainPost: PostFileContent = {
  ...{ slug: "lamps", title: "Lamps", excerpt: "On lamps.", coverImage: "", author: "", tags: [] as string[] },
  ...{ content: "# Lamps", published: true, publishedAt: now },
};

/** Posts of every kind, with texts that are hard to serialise. */
const collection: Record<string, Partial<PostFileContent>> = {
  "2026-03-14-dated": { title: "The slug looks like a date" },
  index: { title: "The slug looks like a folder" },
  empty: { title: "Empty", excerpt: "", content: "" },
  draft: { title: "Draft", published: false, publishedAt: null },
  "dated-draft": { title: "Dated draft", published: false, publishedAt: new Date("2026-11-19T08:00:00.123Z") },
  scheduled: { title: "Scheduled", publishedAt: new Date("2030-01-01T00:00:00.001Z") },
  spaces: { title: "Spaces", content: "\n\n  indented\n\n\n" },
  lines: { title: "Lines", content: "a\r\nb\n---\ntitle: no\n---\nc" },
  words: { title: "yes", author: "null", excerpt: "1984", tags: ["true", "on", "~", "1e3", "C++", "a: b", "#x"] },
  quotes: { title: `"double" 'single' \\back\\ {curly} [square] # hash : colon`, excerpt: "- dash, & * ! | > % @ `" },
  "не-латиница": { title: "Не латиница 🛟 ﬁ", author: "Åsa Öst", coverImage: "https://a.example/ä?b=c&d#e" },
};

async function filled() {
  const db = await openDb(":memory:");
  for (const [slug, more] of Object.entries(collection)) await posts.save(db, { ...plainPost, slug, ...more }, now);
  return db;
}

test("a round trip through an empty database changes no byte", async () => {
  const first = await written(await filled());
  expect(Object.keys(first)).toEqual(Object.keys(collection).map((slug) => `${slug}.mdx`));
  const second = await openDb(":memory:");
  const fates = await importPosts(second, asFiles(first), by, later);
  expect(fates.filter(({ outcome }) => outcome !== "new")).toEqual([]);
  expect(await written(second)).toEqual(first);
});

test("importing what was exported over the same database writes nothing", async () => {
  const db = await filled();
  const changes = async () => {
    await look(db, "delete from audit_events"); // the import itself is on record
    return everything(db);
  };
  const files = await written(db);
  const before = await changes();
  const fates = await importPosts(db, asFiles(files), by, later);
  expect(fates.map(({ outcome }) => outcome)).toEqual(Object.keys(collection).map(() => "same"));
  expect(await changes()).toEqual(before);
});

test("a tag that was renamed, and kept its slug, is still that tag after a round trip", async () => {
  const db = await openDb(":memory:");
  await posts.save(db, { ...plainPost, tags: ["Golang", "Ink"] }, now);
  await tagEdit.rename(db, { slug: "golang", to: { name: "Go", slug: "golang" } }, by, now);
  const files = await written(db);
  expect(Object.values(files)[0]).toContain("tags: [Go, Ink]");
  expect((await importPosts(db, asFiles(files), by, later)).map(({ outcome }) => outcome)).toEqual(["same"]);
  const changed = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, `${text}more\n`]));
  await importPosts(db, asFiles(changed), by, later);
  expect((await posts.bySlug(db, "lamps", later))?.tags.map(({ slug }) => slug)).toEqual(["golang", "ink"]);
});

test("any text that a form lets in is read back as it was written", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: "binary" }),
    fc.constantFrom("-", "?", "''", "\\"),
  );
  const exact = (given: string, most: number) =>
    [
      ...given
        .toWellFormed()
        .normalize("NFC")
        .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ""),
    ]
      .slice(0, most)
      .join("")
      .trim();
  const tidy = (given: string, most: number) => visible({ max: most })(exact(given, most));
  const post = fc.record({
    title: text,
    excerpt: text,
    author: text,
    coverImage: text,
    content: text,
    tags: fc.array(text),
  });
  fc.assert(
    fc.property(post, fc.boolean(), ({ title, excerpt, author, coverImage, content, tags }, published) => {
      const whole: PostFileContent = {
        ...{ title: tidy(title, 200) || "T", excerpt: tidy(excerpt, 500), author: tidy(author, 100), published },
        ...{
          slug: "s",
          coverImage: coverImage && exact(`/c/${coverImage}`, 2_000),
          content: content.toWellFormed(),
          publishedAt: now,
        },
        tags: tags.map((tag) => tidy(tag, 50)).filter(Boolean),
      };
      const read = readPost(writePost(whole), "other");
      expect({ ...whole, ...read }).toEqual(whole);
      expect({ coverImage: "", author: "", ...read }).toEqual(whole);
    }),
    { numRuns: 2_000 },
  );
});

test("front matter is readable: words are unquoted, and the order is always the same", () => {
  const post = {
    ...plainPost,
    title: "Release notes are letters",
    tags: ["Field notes", "C++"],
    author: "Noor Halvorsen",
  };
  expect(writePost({ ...post, coverImage: "/covers/a.jpg" })).toBe(
    [
      "---",
      "title: Release notes are letters",
      "slug: lamps",
      "excerpt: On lamps.",
      'coverImage: "/covers/a.jpg"',
      "author: Noor Halvorsen",
      'tags: [Field notes, "C++"]',
      "published: true",
      "publishedAt: 2026-11-21T12:00:00.000Z",
      "---",
      "",
      "# Lamps",
      "",
    ].join("\n"),
  );
});

describe("a file's name", () => {
  test.each(["a-b", "привет", "2026", "漢字"])("is the slug %s", (slug) => expect(fileName(slug)).toBe(`${slug}.mdx`));

  test.each(["", "..", "../../etc/passwd", "a/b", "a\\b", ".env", "A", "a b", "a\0", "c:con"])(
    "is never made of %j",
    (slug) => expect(fileName(slug)).toBeUndefined(),
  );

  test("is short enough for every disk, and no two slugs share one", () => {
    const long = "漢".repeat(99);
    const names = [`${long}字`, `${long}漢`].map((slug) => fileName(slugOf(slug)) ?? "");
    for (const name of names) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
    expect(names[0]).not.toBe(names[1]);
  });
});

describe("an import", () => {
  test("as a dry run reports what would happen, and changes nothing", async () => {
    const db = await filled();
    const changes = async () => {
      await look(db, "delete from audit_events"); // the import itself is on record
      return everything(db);
    };
    const before = await changes();
    const files = asFiles({
      "new.md": "---\ntitle: New\n---\nText",
      "draft.mdx": "---\ntitle: Other words\ndraft: true\n---\n",
      "empty.mdx": writePost({ ...plainPost, ...collection.empty, slug: "empty" }),
      "bad.md": "No front matter",
      "also/new.md": "---\ntitle: Again\n---\n",
    });
    expect(await importPosts(db, files, { ...by, dryRun: true }, now)).toEqual([
      { file: "new.md", outcome: "new", slug: "new", title: "New" },
      { file: "draft.mdx", outcome: "changed", slug: "draft", title: "Other words" },
      { file: "empty.mdx", outcome: "same", slug: "empty", title: "Empty" },
      { file: "bad.md", outcome: "refused", reason: "it does not start with front matter between two --- lines" },
      { file: "also/new.md", outcome: "refused", reason: "its slug new is already used by new.md" },
    ]);
    expect(await changes()).toEqual(before);
  });

  test("brings a post back from the trash, and refuses what is no text", async () => {
    const db = await filled();
    const [file = ""] = Object.values(await written(db));
    await look(db, "update posts set deleted_at = 1 where slug = '2026-03-14-dated'");
    const binary = { name: "image.md", bytes: async () => Uint8Array.of(0x89, 0x50, 0xff, 0xfe) };
    const fates = await importPosts(db, [...asFiles({ "a.mdx": file }), binary], by, later);
    expect(fates).toMatchObject([{ outcome: "changed" }, { outcome: "refused", reason: "it is not valid UTF-8" }]);
    expect(await posts.bySlug(db, "2026-03-14-dated", later)).toBeDefined();
  });

  test("finds the post of a file with an earlier slug, and distinguishes two files of one post", async () => {
    const db = await filled();
    const post = await posts.bySlug(db, "empty", now);
    const edit = { id: post?.id ?? "", version: 1, typed: { fields: {}, content: "" } };
    await postEdits.edit(db, { ...edit, fields: { ...plainPost, ...collection.empty, slug: "emptied" } }, by, later);
    const text = (slug: string) => writePost({ ...plainPost, ...collection.empty, slug });
    const fates = await importPosts(db, asFiles({ "a.mdx": text("empty"), "b.mdx": text("emptied") }), by, later);
    expect(fates).toMatchObject([
      { outcome: "same", slug: "emptied" },
      { outcome: "refused", reason: "its slug emptied is already used by a.mdx" },
    ]);
  });
});

test("a title of brackets is written as quickly as any: quoted, and read back", () => {
  const title = `a${"(".repeat(150)}"`;
  const text = writePost({ ...plainPost, title });
  expect(text).toContain(`title: ${JSON.stringify(title)}`);
  expect(readPost(text, "lamps").title).toBe(title);
});
