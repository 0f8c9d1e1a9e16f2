import { expect, test } from "bun:test";
import fc from "fast-check";
import { temporaryFolder } from "../../test/support/processes";
import { openDb } from "../open";
import { fold } from "../lib/fold";
import * as posts from "./posts";
import type { Post } from "../schema/posts";
import { slugOf } from "../lib/text";

const noon = new Date("2026-11-21T12:00:00Z");

/** Few characters, so that searches find something; among them some that fold, join or have a meaning in SQL. */
const text = fc.string({ unit: fc.constantFrom(..."abAB %_'\"\\*ßsSéÉΣσς😀\u0301"), maxLength: 12 });
const post = fc.record({
  title: text,
  excerpt: text,
  content: text,
  published: fc.boolean(),
  publishedAt: fc.integer({ min: -3, max: 3 }).map((minutes) => new Date(noon.getTime() + minutes * 60_000)),
  tags: fc.subarray(["a", "b", "c d"]),
});
const question = fc.record({
  q: fc.option(
    text.filter((q) => q !== ""),
    { nil: undefined },
  ),
  tag: fc.constantFrom(undefined, "a", "b", "c-d", "unknown"),
  limit: fc.integer({ min: 1, max: 5 }),
});

type Saved = Post & { tags: string[] };

/** A list by definition (spec 4.4, D20, D22), computed naively. */
const reference = (all: Saved[], { q, tag }: { q?: string | undefined; tag?: string | undefined }) =>
  all
    .filter(({ published, publishedAt }) => published && publishedAt !== null && publishedAt <= noon)
    .filter(({ title, excerpt, content }) => [title, excerpt, content].some((t) => fold(t).includes(fold(q ?? ""))))
    .filter(({ tags }) => !tag || tags.map(slugOf).includes(tag))
    .sort((a, b) => Number(b.publishedAt) - Number(a.publishedAt) || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);

test("lists, page by page, are what the definition says", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(post, { maxLength: 12 }), fc.array(question, { maxLength: 12 }), async (given, asked) => {
      const db = await openDb(":memory:");
      const saved: Saved[] = [];
      for (const [i, { tags, ...each }] of given.entries())
        saved.push({ ...(await posts.save(db, { slug: `p${i}`, tags, ...each }, noon)), tags });
      for (const { limit, ...filter } of asked) {
        const expected = reference(saved, filter);
        expect(await readAll(db, filter, limit)).toEqual({ ids: expected, totals: [expected.length] });
      }
      await db.close();
    }),
    { numRuns: 40 },
  );
});

async function readAll(db: Awaited<ReturnType<typeof openDb>>, filter: object, limit: number) {
  const ids: string[] = [];
  const totals = new Set<number>();
  for (let after: posts.Position | undefined; ;) {
    const page = await posts.listPublished(db, { ...filter, limit, after }, noon);
    ids.push(...page.posts.map(({ id }) => id));
    totals.add(page.total);
    if (!page.next) return { ids, totals: [...totals] };
    after = page.next;
  }
}

test("many matches are found in order, and are the same", async () => {
  const db = await openDb(":memory:");
  await Promise.all(
    Array.from({ length: 1_700 }, (_, i) =>
      posts.save(
        db,
        {
          ...{ slug: `p${i}`, title: i % 7 ? "common" : "other", published: i % 5 > 0, tags: i % 11 ? ["most"] : [] },
          publishedAt: new Date(noon.getTime() - i),
        },
        noon,
      ),
    ),
  );
  const isListed = (i: number) => i % 5 > 0;
  for (const [filter, isWanted] of [
    [{ q: "o" }, isListed],
    [{ q: "COMMON" }, (i: number) => isListed(i) && i % 7 > 0],
    [{ q: "common", tag: "most" }, (i: number) => isListed(i) && i % 7 > 0 && i % 11 > 0],
    [{ q: "other", tag: "most" }, (i: number) => isListed(i) && i % 7 === 0 && i % 11 > 0],
    [{ tag: "most" }, (i: number) => isListed(i) && i % 11 > 0],
  ] as const) {
    const expected = Array.from({ length: 1_700 }, (_, i) => i).filter(isWanted);
    const { posts: found, total } = await posts.listPublished(db, { ...filter, limit: 10 }, noon);
    expect([filter, total, found.map(({ slug }) => slug)]).toEqual([
      filter,
      expected.length,
      expected.slice(0, 10).map((i) => `p${i}`),
    ] as never);
  }
});

test("the count of a large search follows every change, by other processes too, and every scheduled post", async () => {
  using folder = temporaryFolder();
  const [db, other] = [await openDb(`${folder.path}/a.db`), await openDb(`${folder.path}/a.db`)];
  const write = (i: number, more: Partial<posts.NewPost> = {}) =>
    posts.save(db, { ...{ slug: `p${i}`, title: "common", published: true, tags: ["t"], ...more } }, noon);
  await Promise.all(Array.from({ length: 1_005 }, (_, i) => write(i, { publishedAt: new Date(noon.getTime() - i) })));
  const later = (seconds: number) => new Date(noon.getTime() + seconds * 1_000);
  const totals = async (now = noon) => {
    await new Promise(setImmediate); // a later request
    await db.fresh();
    const of = async (filter: object) => (await posts.listPublished(db, { q: "comm", limit: 1, ...filter }, now)).total;
    return [await of({}), await of({ tag: "t" })];
  };
  expect(await totals()).toEqual([1_005, 1_005]);
  expect(await totals()).toEqual([1_005, 1_005]);
  await write(0, { title: "other" });
  expect(await totals()).toEqual([1_004, 1_004]);
  await posts.save(other, { slug: "p1", title: "common", published: false, tags: ["t"] }, noon);
  expect(await totals()).toEqual([1_003, 1_003]);
  await write(2, { tags: [] });
  expect(await totals()).toEqual([1_003, 1_002]);
  await write(2_000, { publishedAt: later(60) });
  expect(await totals()).toEqual([1_003, 1_002]);
  expect(await totals(later(59.999))).toEqual([1_003, 1_002]);
  expect(await totals(later(60))).toEqual([1_004, 1_003]);
  expect(await totals()).toEqual([1_003, 1_002]);
  await Promise.all([db.close(), other.close()]);
});

test("saving again changes the post of that slug and keeps its id, views, time and birth", async () => {
  const db = await openDb(":memory:");
  const first = await posts.save(db, { slug: "a", title: "One", published: true, tags: ["x", "y"] }, noon);
  await db.write((orm) => posts.addViews(orm, new Map([[first.id, 7]])));
  const later = new Date(noon.getTime() + 60_000);
  const second = await posts.save(db, { slug: "a", title: "Two", published: true, tags: ["Y", "z"] }, later);
  const { id, views, publishedAt, createdAt } = second;
  expect({ id, views, publishedAt, createdAt }).toEqual({ id: first.id, views: 7, publishedAt: noon, createdAt: noon });
  expect((await posts.bySlug(db, "a", later))?.tags).toEqual([
    { name: "y", slug: "y" },
    { name: "z", slug: "z" },
  ]);
  expect((await posts.listPublished(db, { q: "one", limit: 1 }, later)).total).toBe(0);
  expect((await posts.listPublished(db, { q: "tw", limit: 1 }, later)).total).toBe(1);
});

test.each([
  ["Field Notes", "field-notes"],
  ["C", "c"],
  ["C++", "c-plus-plus"],
  ["C#", "c-sharp"],
  ["R&D", "r-and-d"],
  ["Crème brûlée", "creme-brulee"],
  ["  --Тест_1-- ", "тест-1"],
  ["🎉", ""],
])("the slug of %s is %s", (name, slug) => expect(slugOf(name)).toBe(slug));
