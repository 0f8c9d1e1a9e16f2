import { expect, test } from "bun:test";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import { recomposeSlugs } from "../../db/ops/migrate";
import { importPosts } from "../content/import-posts";
import { importProjects } from "../content/import-projects";
import { isOnPostgres, look, sqliteOf } from "../../test/support/look";
import { testService } from "../../test/support/service";

const file = (name: string, title: string, tags: string[] = []) => ({
  name,
  bytes: () =>
    Promise.resolve(new TextEncoder().encode(`---\ntitle: ${title}\ntags: ${JSON.stringify(tags)}\n---\nText`)),
});

type Listed = { slug: string; title: string; tags: { name: string; slug: string }[] };

async function site() {
  const service = await testService();
  const key = await service.key();
  const list = async (query = "") => {
    const { data } = (await (await service.get(`/api/v1/posts${query}`, key)).json()) as { data: { posts: Listed[] } };
    return data.posts;
  };
  const importFiles = (...files: ReturnType<typeof file>[]) =>
    importPosts(service.db, files, { actor: "cli" }, service.now());
  return { ...service, key, list, importFiles };
}

test("files whose names differ in a voiced consonant are different posts", async () => {
  const { importFiles, list } = await site();
  await importFiles(file("バス.mdx", "バス"));
  await importFiles(file("パス.mdx", "パス"), file("ハス.mdx", "ハス"));
  expect((await list()).map(({ slug, title }) => [slug, title]).sort()).toEqual([
    ["ハス", "ハス"],
    ["バス", "バス"],
    ["パス", "パス"],
  ]);
});

test("tags that differ in a vowel are different, and each is found by the slug that the API returned (spec 4.4)", async () => {
  const { importFiles, list } = await site();
  const names = ["कला", "काला", "한국", "パン", "バン", "ไทย", "שָׁלוֹם", "Crème", "Йод", "Ελλάδα"];
  await importFiles(...names.map((name, i) => file(`post-${i}.mdx`, name, [name])));
  for (const { title, tags } of await list()) {
    const slug = tags[0]?.slug ?? "";
    expect((await list(`?tag=${encodeURIComponent(slug)}`)).map((post) => post.title)).toEqual([title]);
    expect((await list(`?tag=${encodeURIComponent(slug.normalize("NFD"))}`)).map((post) => post.title)).toEqual([
      title,
    ]);
  }
});

test("only Latin, Greek and Cyrillic letters lose their marks, and a form's slug is the one that is stored", async () => {
  const { importFiles, get } = await site();
  await importFiles(...["Crème", "Ελλάδα", "Йод", "한국"].map((name) => file(`${name.normalize("NFD")}.mdx`, name)));
  for (const slug of ["creme", "ελλαδα", "иод", "한국", "한국".normalize("NFD")])
    expect((await get(`/api/posts/${encodeURIComponent(slug)}`)).status).toBe(200);
});

test("a project's slug is found in either form", async () => {
  const { db, get, now } = await site();
  await importProjects(
    db,
    JSON.stringify([{ title: "한국", liveUrl: "https://x.example/", status: "PUBLISHED" }]),
    { actor: "cli" },
    now(),
  );
  for (const slug of ["한국", "한국".normalize("NFD")])
    expect((await get(`/api/projects/${encodeURIComponent(slug)}/visit`)).status).toBe(302);
});

test("an import finds what an earlier release made of the same file, and overwrites nothing else", async () => {
  const { db, importFiles, list, now } = await site();
  await posts.save(db, { slug: "ハス", title: "パス", content: "Old", published: true }, now());
  await importFiles(file("バス.mdx", "バス"), file("パス.mdx", "パス"));
  expect((await list()).map(({ slug, title }) => [slug, title]).sort()).toEqual([
    ["ハス", "パス"],
    ["バス", "バス"],
  ]);
  await projects.save(db, { slug: "ハス", title: "パス" }, now());
  const { saved } = await importProjects(
    db,
    JSON.stringify([{ title: "バス" }, { title: "パス" }]),
    { actor: "cli" },
    now(),
  );
  expect(saved).toEqual(["バス", "ハス"]);
  expect((await look<{ slug: string }>(db, "select slug from projects order by slug")).map(({ slug }) => slug)).toEqual(
    [...["ハス", "バス"]],
  );
});

/** What a new version does to a database of an earlier one. */
async function upgrade(db: Awaited<ReturnType<typeof site>>["db"]): Promise<void> {
  if (!isOnPostgres) return recomposeSlugs(sqliteOf(db));
  const migrations = `${import.meta.dir}/../../db/migrations/postgres`;
  const [name] = [...new Bun.Glob("*_slugs.sql").scanSync(migrations)];
  for (const statement of (await Bun.file(`${migrations}/${name}`).text()).split(";\n"))
    if (statement.trim()) await look(db, statement);
}

test("slugs that earlier releases stored decomposed keep working, with their posts, tags and redirects", async () => {
  const { db, get, key, list, now } = await site();
  const old = (word: string) => word.normalize("NFD");
  await posts.save(db, { slug: old("한국"), title: "한국", tags: ["서울"], published: true }, now());
  await posts.save(db, { slug: "other", title: "Other", tags: ["서울", "부산"], published: true }, now());
  await look(db, "insert into post_slugs (slug, post_id, created_at) select ?, id, 0 from posts where slug = 'other'", [
    old("이전"),
  ]);
  const copy =
    "insert into tags (slug, name, posts, released) select ?, name, posts, released from tags where slug = '서울'";
  await look(db, copy, [old("서울")]);
  await look(db, "update post_tags set tag_slug = ? where tag_slug = '서울'", [old("서울")]);
  await look(db, "delete from tags where slug = '서울'");
  if (!isOnPostgres) await look(db, "pragma foreign_keys = off"); // as while migrating
  await upgrade(db);
  expect((await list()).flatMap(({ slug, tags }) => [slug, ...tags.map((tag) => tag.slug)]).sort()).toEqual([
    ...["other", "부산", "서울", "서울", "한국"],
  ]);
  for (const slug of ["한국", old("한국")]) {
    expect((await get(`/api/posts/${encodeURIComponent(slug)}`)).status).toBe(200);
    expect((await get(`/api/v1/posts?tag=${encodeURIComponent(slug)}`, key)).status).toBe(200);
  }
  for (const slug of ["이전", old("이전")]) {
    const moved = await get(`/api/posts/${encodeURIComponent(slug)}`);
    expect([moved.status, moved.headers.get("location")]).toEqual([301, "/api/posts/other"]);
  }
  const counts = await look<{ name: string; posts: number; released: number }>(
    db,
    "select name, posts, released from tags order by name",
  );
  expect(counts).toEqual([
    { name: "부산", posts: 1, released: 1 },
    { name: "서울", posts: 2, released: 2 },
  ]);
});
