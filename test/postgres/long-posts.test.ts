import { expect, test } from "bun:test";
import { openDb } from "../../db/open";
import * as edits from "../../db/posts/edit";
import * as posts from "../../db/posts/posts";
import { lookAt } from "../support/look";

const by = { actor: "test" };
const now = new Date("2026-11-22T12:00:00Z");
const blank = { title: "Long", slug: "", excerpt: "", author: "", coverImage: "", tags: [] };

test("the short runs of a long post are written by several statements, found, and replaced together", async () => {
  const db = await openDb("long-posts");
  let state = 42;
  const next = () => (state = (state * 48_271) % 2_147_483_647);
  const content = Array.from({ length: 80_000 }, () => String.fromCodePoint(0x4e00 + (next() % 20_000))).join("");
  const fields = { ...blank, content, published: true, publishedAt: now };
  const created = await edits.create(db, fields, by, now);
  if (created.outcome !== "saved") throw new Error("The slug was taken");
  const sizes = await lookAt(db, "select octet_length(array_to_string(terms, ' ')) from posts_short");
  expect(sizes.map(Number).filter((bytes) => bytes > 1_000_000)).toEqual([]);
  expect(sizes.length).toBeGreaterThan(1);

  const found = async (q: string) => (await posts.listPublished(db, { q, limit: 5 }, now)).total;
  const pieces = Array.from({ length: 100 }, (_, i) => content.slice(i * 799, i * 799 + (i % 3) + 1));
  expect(await Promise.all(pieces.map(found))).toEqual(pieces.map(() => 1));

  const { post } = created;
  const typed = { fields: {}, content: "short" };
  await edits.edit(
    db,
    { id: post.id, version: post.version, typed, fields: { ...fields, slug: post.slug, content: "short" } },
    by,
    now,
  );
  expect(await lookAt(db, "select count(*) from posts_short")).toEqual([[1]]);
  expect([await found("sho"), await found(content.slice(-3))]).toEqual([1, 0]);
});
