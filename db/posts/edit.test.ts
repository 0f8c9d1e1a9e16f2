import { expect, setDefaultTimeout, test } from "bun:test";
import type { Db } from "../engine/open";
import { openDb } from "../open";
import * as audit from "../audit";
import { cleanUp } from "../ops/cleanup";
import * as postList from "./list";
import * as postEdits from "./edit";
import type { PostFields } from "./rows";
import * as postBulk from "./bulk";
import * as revisions from "./revisions";
import * as posts from "./posts";
import * as tags from "./tags";
import { look } from "../../test/support/look";
import { testTimeoutMs } from "../../test/support/within";

setDefaultTimeout(testTimeoutMs);

const noon = new Date("2026-11-21T12:00:00Z");
const by = { actor: "owner@example.com" };
const other = { actor: "bo@example.com" };
const after = (minutes: number) => new Date(noon.getTime() + minutes * 60_000);
const typed = { fields: { title: "typed" }, content: "typed" };
const blank = {
  ...{ slug: "", title: "A post", excerpt: "", coverImage: "", author: "", content: "One", tags: [] },
  ...{ published: false, publishedAt: null },
};

async function desktop(fields: Partial<PostFields> = {}) {
  const db = await openDb(":memory:");
  const write = async (more: Partial<PostFields> = {}) => {
    const created = await postEdits.create(db, { ...blank, ...more }, by, noon);
    if (created.outcome !== "saved") throw new Error("The slug was taken");
    return created.post;
  };
  const post = await write(fields);
  const edit = async (change: Partial<PostFields>, version?: number, at = after(1), who: audit.Actor = by) => {
    const now = (await postEdits.byId(db, post.id)) ?? post;
    const fields = { ...now, tags: now.tags.map(({ name }) => name), ...change };
    return postEdits.edit(db, { id: post.id, version: version ?? now.version, typed, fields }, who, at);
  };
  return { db, post, edit, write };
}

const published = { published: true, publishedAt: noon };

test("an edit is saved, indexed, dated, a new version and revision, and recorded with what it changed", async () => {
  const { db, post, edit } = await desktop(published);
  const content = "Words ".repeat(401);
  const edited = await edit({ title: "Другое", content, tags: ["X", "y"] });
  expect(edited).toMatchObject({
    outcome: "saved",
    post: {
      version: 2,
      readingTime: 3,
      updatedAt: after(1),
      createdAt: noon,
      slug: "a-post",
      tags: [{ slug: "x" }, {}],
    },
  });
  expect((await posts.listPublished(db, { q: "ДРУГОЕ", limit: 1 }, after(2))).total).toBe(1);
  expect((await revisions.list(db, post.id)).map(({ version, savedBy }) => [version, savedBy])).toEqual([
    [2, by.actor],
    [1, by.actor],
  ]);
  const { events } = await audit.list(db, { group: "post" }, { page: 1, per: 9 });
  expect(events.map(({ action, target, details }) => [action, target, details])).toEqual([
    ["post.change", "Другое", { changed: "title, tags, content" }],
    ["post.create", "A post", {}],
  ]);
});

test("saving an unchanged post changes, keeps and records nothing", async () => {
  const { db, post, edit } = await desktop({ tags: ["C++"] });
  expect(await edit({ tags: ["c++"] })).toMatchObject({ outcome: "saved", post: { version: 1, updatedAt: noon } });
  expect(await revisions.list(db, post.id)).toHaveLength(1);
  expect((await audit.list(db, {}, { page: 1, per: 9 })).total).toBe(1);
});

test("of two edits based on one version, the second is a conflict, kept as its author's draft", async () => {
  const { db, post, edit } = await desktop();
  await edit({ title: "Their value" }, 1, after(1), other);
  expect(await edit({ title: "Mine" }, 1, after(2))).toMatchObject({
    outcome: "conflict",
    post: { title: "Their value" },
    last: { savedBy: other.actor, savedAt: after(1) },
  });
  expect(await postEdits.byId(db, post.id)).toMatchObject({ title: "Their value", version: 2 });
  expect(await revisions.draftOf(db, post.id, by)).toMatchObject({ version: 1, ...typed });
  expect(await revisions.draftOf(db, post.id, other)).toBeUndefined();
  expect(await edit({ title: "Mine" }, 2)).toMatchObject({ outcome: "saved", post: { title: "Mine" } });
  expect(await revisions.draftOf(db, post.id, by)).toBeUndefined();
});

test("of a hundred concurrent edits of the same version, one wins", async () => {
  const { edit } = await desktop();
  const outcomes = await Promise.all(Array.from({ length: 100 }, (_, i) => edit({ title: `Edit ${i}` }, 1)));
  expect(outcomes.filter(({ outcome }) => outcome === "saved")).toHaveLength(1);
});

test("a deleted post, or one in the trash, is not saved, and the result says so", async () => {
  const { db, post, edit } = await desktop();
  await postBulk.applyAction(db, { action: "trash", selection: { ids: [post.id] } }, by, noon);
  expect(await edit({ title: "Late" })).toMatchObject({ outcome: "gone", post: { title: "A post" } });
  expect(await postEdits.publish(db, { id: post.id, version: 1 }, by, noon)).toMatchObject({ outcome: "gone" });
  await postBulk.applyAction(db, { action: "delete", selection: { ids: [post.id] } }, by, noon);
  expect(await edit({ title: "Later" }, 1)).toEqual({ outcome: "gone", post: undefined });
});

test("a slug that was public redirects to the new one, stays reserved, and can be used again by the same post", async () => {
  const { db, post, edit, write } = await desktop({ ...published, slug: "first" });
  await edit({ slug: "second" });
  await edit({ slug: "third" });
  const leads = () => Promise.all(["first", "second", "third"].map((slug) => posts.currentSlug(db, slug, after(2))));
  expect(await leads()).toEqual(["third", "third", undefined]);

  expect(await postEdits.create(db, { ...blank, slug: "first" }, by, noon)).toMatchObject({
    outcome: "slug-taken",
    owner: { id: post.id, isPrevious: true, isTrashed: false },
  });
  expect((await write({ title: "First" })).slug).toBe("first-2");

  await edit({ slug: "first" });
  expect(await leads()).toEqual([undefined, "first", "first"]);
  await postBulk.applyAction(db, { action: "unpublish", selection: { ids: [post.id] } }, by, after(2));
  expect(await leads()).toEqual([undefined, undefined, undefined]);
});

test("a slug that no one saw is forgotten", async () => {
  for (const state of [{}, { published: true, publishedAt: after(60) }]) {
    const { db, edit, write } = await desktop({ slug: "first", ...state });
    await edit({ slug: "second" });
    expect(await posts.currentSlug(db, "first", after(90))).toBeUndefined();
    expect((await write({ slug: "first" })).slug).toBe("first");
  }
});

test("a post is published now, or at the time it has; unpublished and published again it keeps its time", async () => {
  const { db, post } = await desktop();
  expect(await postEdits.publish(db, { id: post.id, version: 7 }, by, noon)).toMatchObject({ outcome: "conflict" });
  expect(await postEdits.publish(db, { id: post.id, version: 1 }, by, noon)).toMatchObject({
    post: { published: true, publishedAt: noon },
  });
  await postBulk.applyAction(db, { action: "unpublish", selection: { ids: [post.id] } }, by, after(1));
  expect(await postEdits.publish(db, { id: post.id, version: 3 }, by, after(5))).toMatchObject({
    post: { publishedAt: noon },
  });
  const later = await desktop({ publishedAt: after(60) });
  await postEdits.publish(later.db, { id: later.post.id, version: 1 }, by, noon);
  expect(await posts.bySlug(later.db, "a-post", after(59))).toBeUndefined();
  expect(await posts.bySlug(later.db, "a-post", after(60))).toBeDefined();
});

test("restoring a revision creates a new one; slug, date and publication stay", async () => {
  const { db, post, edit } = await desktop({ ...published, tags: ["a", "b"], excerpt: "Short" });
  await edit({ title: "Two", slug: "two", content: "Two", tags: [], excerpt: "" });
  const first = (await revisions.list(db, post.id)).at(-1);
  await revisions.autosave(db, { postId: post.id, version: 2, typed }, other, after(2));
  const reverted = await postEdits.revert(db, { id: post.id, revisionId: first?.id ?? "" }, other, after(3));
  expect(await revisions.draftOf(db, post.id, other)).toMatchObject(typed);
  expect(reverted).toMatchObject({
    title: "A post",
    content: "One",
    excerpt: "Short",
    slug: "two",
    version: 3,
    ...published,
  });
  expect(reverted?.tags.map(({ name }) => name)).toEqual(["a", "b"]);
  expect((await revisions.list(db, post.id))[0]).toMatchObject({ version: 3, savedBy: other.actor });
  const stranger = await desktop();
  expect(await postEdits.revert(db, { id: stranger.post.id, revisionId: first?.id ?? "" }, by, noon)).toBeUndefined();
});

test("the last fifty revisions are kept, in addition to drafts", async () => {
  const { db, post, edit } = await desktop();
  await revisions.autosave(db, { postId: post.id, version: 1, typed }, other, noon);
  for (let i = 1; i <= 55; i++) await edit({ content: `Version ${i}` }, undefined, after(i));
  const kept = await revisions.list(db, post.id);
  expect([kept.length, kept[0]?.version, kept.at(-1)?.version]).toEqual([50, 56, 7]);
  expect(await revisions.draftOf(db, post.id, other)).toMatchObject(typed);
});

test("typing into a new post creates a draft; each manager has one draft per post", async () => {
  const db = await openDb(":memory:");
  const post = await postEdits.createDraft(db, { fields: { title: " " }, content: "First words" }, by, noon);
  expect(post).toMatchObject({ title: "Untitled", slug: "untitled", published: false, content: "" });
  const long = await postEdits.createDraft(db, { fields: { title: "🛟".repeat(201) }, content: "" }, by, noon);
  expect(long.title).toBe("🛟".repeat(200));
  await revisions.autosave(
    db,
    { postId: post.id, version: 1, typed: { fields: {}, content: "More words" } },
    by,
    after(1),
  );
  await revisions.autosave(db, { postId: post.id, version: 1, typed }, other, after(1));
  expect(await revisions.draftOf(db, post.id, by)).toMatchObject({ content: "More words", savedAt: after(1) });
  await revisions.discardDraft(db, post.id, by);
  expect([await revisions.draftOf(db, post.id, by), (await revisions.draftOf(db, post.id, other))?.content]).toEqual([
    undefined,
    "typed",
  ]);
  expect(await revisions.autosave(db, { postId: "nothing", version: 1, typed }, by, noon)).toBeUndefined();
});

test("a copy is a draft of its own, with words and tags and no readers", async () => {
  const { db, post } = await desktop({ ...published, title: "x".repeat(200), tags: ["a"] });
  const copy = await postEdits.duplicate(db, post.id, by, after(1));
  expect(copy).toMatchObject({ published: false, publishedAt: null, content: "One", views: 0, tags: [{ slug: "a" }] });
  expect([...(copy?.title ?? "")]).toHaveLength(200);
  expect(copy?.slug).not.toBe(post.slug);
});

test("an import with the old slug changes the post, which keeps its new slug, and its earlier state", async () => {
  const db = await openDb(":memory:");
  const file = { slug: "old", title: "From a file", content: "One", published: true };
  const { id } = await posts.save(db, file, noon);
  expect(await revisions.list(db, id)).toEqual([]);
  const post = await postEdits.byId(db, id);
  if (!post) throw new Error("The post is gone");
  await postEdits.edit(db, { id, version: 1, typed, fields: { ...post, slug: "new", tags: [] } }, by, after(1));
  const again = await posts.save(db, { ...file, content: "Two" }, after(2));
  expect(again).toMatchObject({ id, slug: "new", content: "Two", version: 3 });
  expect((await revisions.list(db, id)).map(({ savedBy, content }) => [savedBy, content])).toEqual([
    ["cli", "Two"],
    [by.actor, "One"],
    ["import", "One"],
  ]);
  await posts.save(db, { ...file, content: "Two" }, after(3));
  expect(await postEdits.byId(db, id)).toMatchObject({ version: 3, updatedAt: after(2) });
});

test("after thirty days in the trash nothing of the post is left, and its slugs are free", async () => {
  const { db, post, edit, write } = await desktop({ ...published, slug: "first", tags: ["Alone"] });
  await edit({ slug: "second" });
  await postBulk.applyAction(db, { action: "trash", selection: { ids: [post.id] } }, by, after(2));
  await cleanUp(db, new Date(after(1).getTime() + 30 * 86_400_000));
  expect(await postEdits.byId(db, post.id)).toBeDefined();
  await cleanUp(db, new Date(after(3).getTime() + 30 * 86_400_000));
  expect(await postEdits.byId(db, post.id)).toBeUndefined();
  expect(await revisions.list(db, post.id)).toEqual([]);
  expect((await write({ slug: "first" })).slug).toBe("first");
  expect((await tags.bySlug(db, "alone"))?.posts).toBe(0);
});

const countsOf = async (db: Db) =>
  (await tags.list(db, "", "name", { page: 1, per: 99 })).rows.map(({ slug, posts }) => `${slug} ${posts}`);

test("a tag is found by a part of its name or of its slug", async () => {
  const { db } = await desktop({ tags: ["Tide", "Salt"] });
  await tags.rename(db, { slug: "tide", to: { name: "Ebb", slug: "tide" } }, by, noon);
  const found = async (q: string) => (await tags.list(db, q, "name", { page: 1, per: 9 })).rows.map(({ slug }) => slug);
  expect(await Promise.all(["bb", "ide", "Salt", "t", "🎉"].map(found))).toEqual([
    ...[["tide"], ["tide"], ["salt"], ["tide", "salt"], []],
  ]);
});

test("the name of a renamed tag means that tag, in bulk actions and merges too", async () => {
  const { db, post, write } = await desktop({ tags: ["Tide"] });
  const { id } = post;
  const other = await write();
  await tags.rename(db, { slug: "tide", to: { name: "Ebb", slug: "tide" } }, by, noon);
  const slugs = async (post: string) => (await postEdits.byId(db, post))?.tags.map(({ slug }) => slug);
  await postBulk.applyAction(db, { action: "tag", selection: { ids: [id, other.id] }, tagName: "Ebb" }, by, noon);
  expect([await slugs(id), await slugs(other.id)]).toEqual([["tide"], ["tide"]]);
  expect(
    await postBulk.countAffected(db, { action: "untag", selection: { ids: [id, other.id] }, tagName: "Ebb" }, noon),
  ).toBe(2);
  await postBulk.applyAction(db, { action: "untag", selection: { ids: [other.id] }, tagName: "Ebb" }, by, noon);
  expect(await slugs(other.id)).toEqual([]);
  expect(await tags.byName(db, " Ebb ")).toMatchObject({ slug: "tide", posts: 1 });
  expect(await tags.byName(db, "tide")).toMatchObject({ name: "Ebb" });
  expect(await tags.byName(db, "Ebbs")).toBeUndefined();
  for (const nothing of ["🎉", "\ud800"]) expect(await tags.byName(db, nothing)).toBeUndefined(); // JSON can hold half a pair
});

test("tags are renamed, merged and deleted with all their posts, and their counts hold", async () => {
  const { db, write } = await desktop({ tags: ["Tides", "Sea"] });
  await Promise.all(Array.from({ length: 1_200 }, (_, i) => write({ tags: i % 2 ? ["Tide", "Sea"] : ["Tide"] })));
  expect(await countsOf(db)).toEqual(["sea 601", "tide 1200", "tides 1"]);
  expect(await tags.rename(db, { slug: "tide", to: { name: "The tides", slug: "tides" } }, by, noon)).toMatchObject({
    outcome: "taken",
    by: { name: "Tides", posts: 1 },
  });
  await tags.merge(db, { from: "tide", into: "tides" }, by, noon);
  expect(await countsOf(db)).toEqual(["sea 601", "tides 1201"]);
  await tags.rename(db, { slug: "tides", to: { name: "Ebb & flow", slug: "ebb-and-flow" } }, by, noon);
  await tags.rename(db, { slug: "sea", to: { name: "The sea", slug: "sea" } }, by, noon);
  expect(await countsOf(db)).toEqual(["ebb-and-flow 1201", "sea 601"]);
  expect(
    (await postList.list(db, { filter: { tag: "ebb-and-flow" }, sort: "title" }, { page: 1, per: 1 }, noon)).total,
  ).toBe(1_201);
  await tags.remove(db, "ebb-and-flow", by, noon);
  expect(await countsOf(db)).toEqual(["sea 601"]);
  expect(await tags.merge(db, { from: "sea", into: "sea" }, by, noon)).toBeUndefined();
  expect(await tags.rename(db, { slug: "ebb-and-flow", to: { name: "x", slug: "x" } }, by, noon)).toEqual({
    outcome: "gone",
  });
  const { events } = await audit.list(db, { group: "tag" }, { page: 1, per: 9 });
  expect(events.map(({ action }) => action)).toEqual(["tag.delete", "tag.rename", "tag.rename", "tag.merge"]);
});

test("an edit that began before its tags were renamed, merged or deleted is a conflict, although no one saved the post", async () => {
  const { db, post, edit } = await desktop({ tags: ["Tide", "Sea"] });
  const changes = [
    () => tags.rename(db, { slug: "tide", to: { name: "Ebb", slug: "ebb" } }, by, after(1)),
    () => tags.merge(db, { from: "ebb", into: "sea" }, by, after(2)),
    () => tags.remove(db, "sea", by, after(3)),
  ];
  for (const [i, change] of changes.entries()) {
    const { version = 0 } = (await postEdits.byId(db, post.id)) ?? {};
    await change();
    const edited = await edit({ tags: ["Tide"] }, version);
    expect(edited).toMatchObject({ outcome: "conflict", post: { updatedAt: after(i + 1) } });
    expect(edited).toHaveProperty("last", undefined);
  }
  expect(await countsOf(db)).toEqual([]);
});

test("the state after a bulk action is kept when the post is saved, and is attributed to no one", async () => {
  const { db, post, edit } = await desktop();
  await postBulk.applyAction(db, { action: "tag", selection: { ids: [post.id] }, tagName: "Sea" }, other, after(1));
  await edit({ title: "New", tags: ["Sea"] }, 2, after(2));
  const kept = await revisions.list(db, post.id);
  expect(kept.map(({ savedBy, version }) => [savedBy, version])).toEqual([
    [by.actor, 3],
    ["bulk", 2],
    [by.actor, 1],
  ]);
});

test("a post with both merged tags keeps one, in the position of the first", async () => {
  const { db, post } = await desktop({ tags: ["A", "B", "C"] });
  await tags.merge(db, { from: "a", into: "c" }, by, noon);
  expect((await postEdits.byId(db, post.id))?.tags.map(({ name }) => name)).toEqual(["B", "C"]);
});

test("tags know how many of their posts are released, whatever becomes of these", async () => {
  const { db, post, edit, write } = await desktop({ slug: "one", tags: ["Tide", "Sea"] });
  const two = await write({ ...published, tags: ["Tide"] });
  const carriers = `select count(*) from post_tags join posts on posts.id = post_id
    where tag_slug = tags.slug and deleted_at is null`;
  const miscounted = async () =>
    await look(db, `select slug from tags where posts <> (${carriers}) or released <> (${carriers} and published = 1)`);
  const released = async () => (await tags.list(db, "", "name", { page: 1, per: 9 })).rows.map((tag) => tag.released);
  expect(await released()).toEqual([0, 1]);
  const ids = [post.id, two.id];
  const moved = (move: postBulk.PostAction, tag?: string) =>
    postBulk.applyAction(db, { action: move, selection: { ids }, tagName: tag }, by, noon);
  const imported = { slug: "one", title: "One", published: true, tags: ["Tide", "Land"] };
  const steps = [
    ...[() => moved("publish"), () => edit({ tags: ["Tide"] }), () => moved("trash"), () => moved("restore")],
    ...[() => moved("tag", "Salt"), () => moved("unpublish"), () => moved("trash")],
    () => posts.save(db, imported, noon), // restored from the trash, and published by the same call
    ...[
      () => tags.merge(db, { from: "salt", into: "tide" }, by, noon),
      () => tags.rename(db, { slug: "tide", to: { name: "T", slug: "t" } }, by, noon),
    ],
    ...[() => moved("delete"), () => tags.remove(db, "t", by, noon)],
  ];
  for (const step of steps) {
    await step();
    expect(await miscounted()).toEqual([]);
  }
  expect(await released()).toEqual([1, 0]); // Land and Sea
});
