import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import type { Db } from "../engine/open";
import { openDb } from "../open";
import * as audit from "../audit";
import { fold } from "../lib/fold";
import * as postList from "./list";
import * as postEdits from "./edit";
import * as postBulk from "./bulk";
import { posts } from "../schema/posts";
import { slugOf } from "../lib/text";
import { withTags } from "./tags";
import { testTimeoutMs } from "../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const noon = new Date("2026-11-21T12:00:00Z");
const by = { actor: "owner@example.com" };
const minutes = (n: number) => new Date(noon.getTime() + n * 60_000);

const given = fc.record({
  title: fc.string({ unit: fc.constantFrom(..."aAbßé "), minLength: 1, maxLength: 6 }),
  content: fc.string({ unit: fc.constantFrom(..."aAbßé %\n"), maxLength: 8 }),
  published: fc.boolean(),
  publishedAt: fc.option(fc.integer({ min: -3, max: 3 }).map(minutes)),
  tags: fc.subarray(["a", "b", "c d"]),
  views: fc.integer({ min: 0, max: 3 }),
  isTrashed: fc.boolean(),
});
const question = fc.record({
  q: fc.option(fc.string({ unit: fc.constantFrom(..."aAbßSs%"), minLength: 1, maxLength: 4 }), { nil: undefined }),
  status: fc.constantFrom(undefined, "draft", "scheduled", "published", "trash"),
  tag: fc.constantFrom(undefined, "a", "b", "c-d", "unknown"),
  sort: fc.constantFrom("published", "-published", "title", "-title", "views", "-views"),
  per: fc.integer({ min: 1, max: 5 }),
});

type Given = typeof given extends fc.Arbitrary<infer T> ? T : never;

async function write(db: Db, { views, isTrashed, ...post }: Given) {
  const fields = { slug: "", excerpt: "", coverImage: "", author: "", ...post };
  if (post.published) fields.publishedAt ??= noon;
  const created = await postEdits.create(db, fields, by, noon);
  if (created.outcome !== "saved") throw new Error("The slug was taken");
  const { id } = created.post;
  await db.write((orm) => orm.run(`update posts set views = ${views} where id = '${id}'`));
  if (isTrashed) await postBulk.applyAction(db, { action: "trash", selection: { ids: [id] } }, by, noon);
}

const everything = (db: Db) => db.read(async (orm) => withTags(orm, await orm.select().from(posts).all()));
type Whole = Awaited<ReturnType<typeof everything>>[number];

const statusOf = ({ published, publishedAt, deletedAt }: Whole) =>
  deletedAt ? "trash" : !published ? "draft" : publishedAt && publishedAt > noon ? "scheduled" : "published";

/** What a list contains by definition, computed naively. */
function reference(all: Whole[], { q, status, tag }: postList.PostFilter) {
  return all
    .filter((post) => (status ? statusOf(post) === status : !post.deletedAt))
    .filter(({ tags }) => !tag || tags.some(({ slug }) => slug === tag))
    .filter(
      ({ title, excerpt, content }) => !q || [title, excerpt, content].some((text) => fold(text).includes(fold(q))),
    );
}

const keyOf = (sort: string) => (post: Whole | postList.Row) =>
  sort === "views"
    ? post.views
    : sort === "title"
      ? post.title.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
      : (post.publishedAt?.getTime() ?? 9e15);

test("lists contain, page by page, what the definition says in the requested order, and the counters agree", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(given, { maxLength: 12 }), fc.array(question, { maxLength: 8 }), async (some, asked) => {
      const db = await openDb(":memory:");
      for (const one of some) await write(db, one);
      const all = await everything(db);
      for (const { sort, per, ...filter } of asked) {
        const expected = reference(all, filter);
        const rows = await readAll(db, filter, sort, per, expected.length);
        expect(rows.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
        if (filter.status === "trash" && sort === "-published") continue;
        const keys = rows.map(keyOf(sort.replace("-", "")));
        expect(keys).toEqual(keys.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0) * (sort.startsWith("-") ? -1 : 1)));
      }
      const counts = await postList.counts(db, noon);
      for (const [status, count] of Object.entries(counts))
        expect([status, count]).toEqual([status, all.filter((post) => statusOf(post) === status).length]);
      await db.close();
    }),
    { numRuns: 20 },
  );
});

async function readAll(db: Db, filter: postList.PostFilter, sort: postList.PostSort, per: number, total: number) {
  const rows: postList.Row[] = [];
  for (let page = 1; rows.length < total || page === 1; page++) {
    const listed = await postList.list(db, { filter, sort }, { page, per }, noon);
    expect([listed.total, listed.isMore, listed.page]).toEqual([total, false, page]);
    rows.push(...listed.rows);
    if (!listed.rows.length) break;
  }
  expect((await postList.list(db, { filter, sort }, { page: 999, per }, noon)).page).toBe(
    Math.max(1, Math.ceil(total / per)),
  );
  return rows;
}

/** Posts p0, p1… of which every second one is tagged, and every fifth a draft. */
async function withPosts(count: number) {
  const db = await openDb(":memory:");
  const post = { slug: "", excerpt: "", coverImage: "", author: "", content: "common" };
  await Promise.all(
    Array.from({ length: count }, (_, i) => {
      const published = i % 5 > 0;
      const fields = { ...post, title: `p${i}`, published, publishedAt: published ? minutes(-i) : null };
      return postEdits.create(db, { ...fields, tags: i % 2 ? [] : ["Even"] }, by, noon);
    }),
  );
  const ids = (await everything(db)).map(({ id }) => id);
  const tagged = async () =>
    (await postList.list(db, { filter: { tag: "even" }, sort: "title" }, { page: 1, per: 1 }, noon)).total;
  return { db, ids, tagged };
}

test("beyond a thousand matches the list says that there are more, and its pages are still right", async () => {
  const { db } = await withPosts(1_300);
  const listed = await postList.list(
    db,
    { filter: { q: "common", tag: "even", status: "published" }, sort: "-published" },
    { page: 2, per: 10 },
    noon,
  );
  const expected = Array.from({ length: 1_300 }, (_, i) => i).filter((i) => i % 10 > 0 && i % 2 === 0);
  expect([listed.total, listed.isMore]).toEqual([520, false]);
  expect(listed.rows.map(({ title }) => title)).toEqual(expected.slice(10, 20).map((i) => `p${i}`));
  const many = await postList.list(db, { filter: { q: "COMMON" }, sort: "-views" }, { page: 3, per: 100 }, noon);
  expect([many.total, many.isMore, many.rows.length]).toEqual([1_000, true, 100]);
  const released = await postList.list(
    db,
    { filter: { status: "published" }, sort: "-published" },
    { page: 1, per: 1 },
    noon,
  );
  expect([released.total, released.isMore]).toEqual([1_040, false]); // from a counter
});

test("each action applies to the posts it fits, once, in commits of a thousand, and is recorded", async () => {
  const { db, ids, tagged } = await withPosts(1_010);
  const all = { matching: {} };
  const move = (what: postBulk.PostAction, chosen: postBulk.PostSelection = all, tag?: string) =>
    postBulk.applyAction(db, { action: what, selection: chosen, tagName: tag }, by, noon);
  expect(await postBulk.countAffected(db, { action: "publish", selection: all }, noon)).toBe(202);
  expect((await move("publish")).count).toBe(202);
  expect((await move("publish")).count).toBe(0);
  expect((await move("unpublish", { ids: ids.slice(0, 3) })).count).toBe(3);
  expect((await postList.counts(db, noon)).draft).toBe(3);

  expect(await tagged()).toBe(505);
  expect((await move("tag", all, " even ")).count).toBe(505);
  expect(await tagged()).toBe(1_010);
  expect((await move("untag", { matching: { q: "p10" } }, "Even")).count).toBe(1 + 10 + 10);
  expect(await tagged()).toBe(1_010 - 21);

  expect(await move("delete")).toEqual({ count: 0, first: undefined });
  expect((await move("trash")).count).toBe(1_010);
  expect(await tagged()).toBe(0);
  expect((await move("restore", { changedAt: noon })).count).toBe(1_010);
  expect(await tagged()).toBe(1_010 - 21);
  await move("trash", { ids: ids.slice(0, 2) });
  expect((await move("delete", { matching: { status: "trash" } })).count).toBe(2);
  expect(await postList.counts(db, noon)).toMatchObject({ trash: 0 });
  expect(await everything(db)).toHaveLength(1_008);

  const { events } = await audit.list(db, { group: "post" }, { page: 1, per: 9 });
  const told = events.map(({ action, details }) => `${action} ${details.count ?? 1} ${details.tag ?? ""}`.trim());
  expect(told).toContain("post.trash 1000");
  expect(told).toContain("post.trash 10");
  expect(told).toContain("post.untag 21 Even");
});

test("publishing increments the version, so that an earlier edit conflicts; moving to the trash does not", async () => {
  const { db, ids } = await withPosts(1);
  const version = async () => (await postEdits.byId(db, ids[0] ?? ""))?.version;
  await postBulk.applyAction(db, { action: "publish", selection: { ids } }, by, noon);
  expect(await version()).toBe(2);
  await postBulk.applyAction(db, { action: "tag", selection: { ids }, tagName: "New" }, by, noon);
  expect(await version()).toBe(3);
  await postBulk.applyAction(db, { action: "trash", selection: { ids } }, by, noon);
  await postBulk.applyAction(db, { action: "restore", selection: { ids } }, by, noon);
  expect(await version()).toBe(3);
});

test("the slug comes from the title, with a number if it is taken", async () => {
  const db = await openDb(":memory:");
  const fields = {
    slug: "",
    excerpt: "",
    coverImage: "",
    author: "",
    content: "",
    published: false,
    publishedAt: null,
    tags: [],
  };
  const slugs: string[] = [];
  for (const title of ["Tide tables", "Tide  Tables!", "tide tables", "🎉", "🎉"]) {
    const created = await postEdits.create(db, { ...fields, title }, by, noon);
    if (created.outcome === "saved") slugs.push(created.post.slug);
  }
  expect(slugs).toEqual(["tide-tables", "tide-tables-2", "tide-tables-3", "post", "post-2"]);
  expect(slugOf("🎉")).toBe("");
});
