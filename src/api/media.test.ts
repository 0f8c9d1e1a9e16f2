import { expect, test } from "bun:test";
import * as references from "../../db/storage/references";
import { trash } from "../../db/storage/trash";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import { set } from "../../test/support/settings";
import { store } from "../../test/support/storage/stored-files";
import { testService } from "../../test/support/service";

type Type = [mimeType: string, disposition: "inline" | "attachment"];
const image = { filename: "cover é.png", mimeType: "image/png" };

/** A service with one image, and a visitor's response from its URL. */
async function start() {
  const service = await testService();
  const [id = ""] = await store(service, image);
  const look = (headers: Record<string, string> = {}) => service.get(`/media/${id}/cover.png`, headers);
  return { ...service, id, look, status: async () => (await look()).status };
}

test("visitors see a file from the moment that something that uses it is published", async () => {
  const { clock, db, id, now, status } = await start();
  const post = { slug: "a", title: "A", published: false, coverImage: `/media/${id}/cover.png` };
  expect(await status()).toBe(404);
  await posts.save(db, post, now());
  expect(await status()).toBe(404);
  const publishedAt = new Date(clock.time + 60_000);
  await posts.save(db, { ...post, published: true, publishedAt }, now());
  expect(await status()).toBe(404);
  clock.time += 60_000;
  expect(await status()).toBe(302);
  await posts.save(db, { ...post, coverImage: "" }, now());
  expect(await status()).toBe(404);
  await projects.save(db, { slug: "p", title: "P", status: "DRAFT", imageUrl: `/media/${id}/x` }, now());
  expect(await status()).toBe(404);
  await projects.save(db, { slug: "p", title: "P", status: "PUBLISHED" }, now());
  expect(await status()).toBe(302);
});

test("visitors see a file that the welcome email or a public setting names; a private one keeps it from the trash", async () => {
  const { db, id, now, status } = await start();
  const save = (key: string, value: string, isPublic?: boolean) =>
    set(db, key, value, { by: "cli", ...(isPublic && { isPublic }) }, now());
  await save("logo", `/media/${id}/logo.png`);
  expect([await status(), await trash(db, id, { actor: "cli" }, now())]).toEqual([404, "in use"]);
  await save("banner", `https://site.example/media/${id}/logo.png`, true);
  expect(await status()).toBe(302);
  await save("banner", "");
  expect(await status()).toBe(404);
  await save("welcomeText", `![](/media/${id}/logo.png)`);
  expect(await status()).toBe(302);
  expect((await references.usesOf(db, id)).map(({ kind, title }) => `${kind} ${title}`)).toEqual([
    "setting logo",
    "setting welcomeText",
  ]);
});

test("the redirect leads to the bytes, may be cached for less time than it works, and used by other hosts", async () => {
  const { db, id, look, now } = await start();
  await posts.save(db, { slug: "a", title: "A", content: `/media/${id}/`, published: true, publishedAt: now() }, now());
  const { headers } = await look();
  expect([headers.get("cache-control"), headers.get("cross-origin-resource-policy")]).toEqual([
    "public, max-age=1800",
    "cross-origin",
  ]);
  const location = new URL(headers.get("location") ?? "");
  expect(location.searchParams.get("X-Amz-Expires")).toBe("5400");
  const bytes = await fetch(location);
  expect([await bytes.text(), bytes.headers.get("content-type")]).toEqual(["12345", "image/png"]);
  expect(bytes.headers.get("content-disposition")).toStartWith("inline; filename=");
});

test("a manager sees every file, without caching; a file in the trash is gone for everyone", async () => {
  const { db, id, look, now, signIn } = await start();
  const { headers } = await signIn();
  const answer = await look(headers);
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([302, "private, no-store"]);
  await trash(db, id, { actor: "cli" }, now());
  expect((await look(headers)).status).toBe(404);
});

test.each<Type>([
  ["image/jpeg", "inline"],
  ["IMAGE/WEBP; q=1", "inline"],
  ["video/mp4", "inline"],
  ["audio/mpeg", "inline"],
  ["application/pdf", "inline"],
  ["video/x+xml", "attachment"],
  ["audio/xhtml+xml; charset=utf-8", "attachment"],
  ["image/svg+xml", "attachment"],
  ["text/html", "attachment"],
  ["text/javascript", "attachment"],
  ["application/xhtml+xml", "attachment"],
  ["text/xml", "attachment"],
  ["application/octet-stream", "attachment"],
])("%s is %s", async (mimeType, disposition) => {
  const service = await testService();
  const [id] = await store(service, { mimeType });
  const { headers } = await service.get(`/media/${id}/x`, (await service.signIn()).headers);
  const bytes = await fetch(headers.get("location") ?? "");
  expect(bytes.headers.get("content-disposition")).toStartWith(disposition);
});

test("an unknown file is a page, the same for everyone", async () => {
  const { get, signIn } = await start();
  for (const path of ["/media/none/x", `/media/${crypto.randomUUID()}/x`, "/media/%00/x", "/media/a"])
    for (const headers of [{}, (await signIn()).headers]) {
      const answer = await get(path, headers);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
    }
});
