import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import * as postEdits from "../../db/posts/edit";
import * as posts from "../../db/posts/posts";
import { type PreviewDays, previewLink, previewOf } from "../security/links";
import { deriveKey } from "../security/secrets";
import { testService } from "../../test/support/service";
import { look, lookAt } from "../../test/support/look";

const by = { actor: "test" };
const typed = { fields: {}, content: "" };
const pageOf = ({ id, slug }: { id: string; slug: string }) => ({
  id,
  page: `http://localhost:3000/api/posts/${slug}`,
});
const day = 86_400_000;

/** A service with a draft, and the response to a link to it. */
async function draft(more: Partial<posts.NewPost> = {}) {
  const service = await testService({ BLOG_URL: "https://blog.example.com" });
  const { config, db, get, now } = service;
  const manager = await service.signIn({ email: "ada@example.com", name: "Ada" });
  const words = { title: "Not yet", content: "# Not yet", tags: ["Lamps"], author: "Ada" };
  const post = await posts.save(db, { slug: "not-yet", published: false, ...words, ...more }, now());
  const link = (days: PreviewDays = 7) => {
    const { pathname, search } = new URL(previewLink(config, pageOf(post), manager.manager.id, days, now()).url);
    return pathname + search;
  };
  const rename = (slug: string) =>
    postEdits.edit(db, { id: post.id, version: post.version, typed, fields: { ...post, tags: [], slug } }, by, now());
  const read = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await get(path, { "user-agent": "Firefox", ...headers });
    const body = (await answer.json()) as { data: Record<string, unknown> | null; error: unknown };
    return { status: answer.status, headers: answer.headers, ...body };
  };
  return { ...service, post, link, read, rename };
}

describe("an earlier slug", () => {
  const published = { published: true, publishedAt: new Date("2026-11-20T12:00:00Z") };

  test("redirects to the current slug permanently, and counts no view", async () => {
    const { read, rename, counters, db } = await draft(published);
    await rename("на-время");
    const answer = await read("/api/posts/not-yet");
    const location = "/api/posts/%D0%BD%D0%B0-%D0%B2%D1%80%D0%B5%D0%BC%D1%8F";
    expect([answer.status, answer.headers.get("location"), answer.data]).toEqual([301, location, { slug: "на-время" }]);
    expect(answer.headers.get("cache-control")).toBe("no-cache");
    await counters.flush();
    expect(await lookAt(db, "select views from posts")).toEqual([[0]]);
    expect(await read(location)).toMatchObject({ status: 200, data: { slug: "на-время" } });
  });

  test("is a 404 while the post is a draft, scheduled or in the trash", async () => {
    const { read, rename, db, get } = await draft(published);
    await rename("later");
    const unknown = await (await get("/api/posts/unknown")).text();
    for (const change of ["published = 0", "published = 1, published_at = 8640000000000", "deleted_at = 1"]) {
      await look(db, `update posts set ${change}`);
      expect([change, (await read("/api/posts/not-yet")).status]).toEqual([change, 404]);
      expect(await (await get("/api/posts/not-yet")).text()).toBe(unknown);
    }
  });

  test("works from other sites' pages, as the single post does (D41)", async () => {
    const { get, rename } = await draft(published);
    await rename("later");
    const answer = await get("/api/posts/not-yet", { origin: "https://blog.example.com" });
    expect(answer.headers.get("access-control-allow-origin")).toBe("https://blog.example.com");
  });
});

describe("a preview link", () => {
  test("shows the draft as a post, to no one else, and counts no view", async () => {
    const { read, link, post, clock, counters, db } = await draft();
    const { status, headers, data } = await read(link());
    expect(status).toBe(200);
    expect(data).toEqual({
      ...{
        id: post.id,
        slug: "not-yet",
        title: "Not yet",
        excerpt: "",
        content: "# Not yet",
        coverImage: "",
        files: [],
      },
      ...{ author: "Ada", readingTime: 1, tags: [{ name: "Lamps", slug: "lamps" }], views: 0 },
      publishedAt: new Date(clock.time).toISOString(), // as if it were published now
      ...{ createdAt: post.createdAt.toISOString(), updatedAt: post.updatedAt.toISOString() },
    });
    expect([headers.get("cache-control"), headers.get("x-robots-tag")]).toEqual(["no-store", "noindex"]);
    expect(headers.has("etag")).toBe(false);
    await counters.flush();
    expect(await lookAt(db, "select views from posts")).toEqual([[0]]);
    expect((await read("/api/posts/not-yet")).status).toBe(404);
  });

  test("shows a scheduled post with its time, and what was saved since", async () => {
    const publishedAt = new Date("2026-12-24T18:00:00Z");
    const { read, link, rename } = await draft({ published: true, publishedAt });
    const before = link();
    expect((await read(before)).data).toMatchObject({ publishedAt: publishedAt.toISOString() });
    await rename("changed");
    expect((await read(before.replace("not-yet", "changed"))).data).toMatchObject({ slug: "changed" });
  });

  test("follows a draft to a new slug, but not to one that another post has by now", async () => {
    const { read, link, rename, db, now } = await draft();
    const before = link();
    await rename("renamed");
    expect(await read(before)).toMatchObject({ status: 200, data: { slug: "renamed" } });
    await posts.save(db, { slug: "not-yet", title: "Another", published: false }, now());
    expect((await read(before)).status).toBe(404);
  });

  test.each([1, 7, 30] as const)("works for %p days", async (days) => {
    const { read, link, clock } = await draft();
    const made = link(days);
    clock.time += days * day - 1_000;
    expect((await read(made)).status).toBe(200);
    clock.time += 1_000;
    expect((await read(made)).status).toBe(404);
  });

  test("that is not valid shows the same as an unknown post", async () => {
    const { read, link, db, now, get } = await draft();
    const other = await posts.save(db, { slug: "other", title: "Other", published: false }, now());
    const unknown = await (await get("/api/posts/unknown?preview=x")).text();
    const good = link();
    const token = new URLSearchParams(good.split("?")[1]).get("preview") ?? "";
    const [time = "", id = "", signature = ""] = token.split(".");
    const later = `${(Number.parseInt(time, 36) + 1).toString(36)}.${id}.${signature}`;
    for (const forged of [
      "",
      "x",
      token.slice(0, -1),
      `${token}A`,
      `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`,
      later,
      token.replace(id, other.id),
      `.${id}.${signature}`,
      `${time}..${signature}`,
      `${time}.${id}.`,
      `${time}.${signature}`,
    ]) {
      const answer = await get(`/api/posts/not-yet?${new URLSearchParams({ preview: forged })}`);
      expect([forged, answer.status, await answer.text()]).toEqual([forged, 404, unknown]);
    }
    expect((await read(`/api/posts/${other.slug}?preview=${token}`)).status).toBe(404);
    expect((await read(`${good}&preview=${token}`)).status).toBe(404);
    await look(db, "update posts set deleted_at = 1");
    expect(await (await get(good)).text()).toBe(unknown);
  });

  test("from before publication leads to the post permanently", async () => {
    const { db, read, link, clock, now } = await draft();
    const old = link(1);
    clock.time += 2 * day;
    await posts.save(db, { slug: "not-yet", title: "Now", published: true }, now());
    expect(await read(old)).toMatchObject({ status: 200, data: { title: "Now" } });
  });

  test("is bound to its post, its time and the secret", async () => {
    const { config, post, now } = await draft();
    const managerId = Bun.randomUUIDv7();
    const token = new URL(previewLink(config, pageOf(post), managerId, 7, now()).url).searchParams.get("preview") ?? "";
    expect(previewOf(config, token, now())).toEqual({ postId: post.id, managerId });
    const changed = (id: string) => token.replace(id, (text) => text.replace(/.$/, (end) => (end === "0" ? "1" : "0")));
    for (const other of [changed(post.id), changed(managerId), token.replace(`${managerId}.`, "")])
      expect(previewOf(config, other, now())).toBeUndefined();
    expect(previewOf({ APP_SECRET: `${config.APP_SECRET}0` }, token, now())).toBeUndefined();
    expect(previewOf(config, token, new Date(now().getTime() + 7 * day))).toBeUndefined();
  });

  test("works until it expires if it was made before managers were recorded", async () => {
    const { config, clock, now, post, read } = await draft();
    const time = Math.floor((now().getTime() + day) / 1_000).toString(36);
    const key = deriveKey(config.APP_SECRET, "preview/v1");
    const signature = createHmac("sha256", key).update(`${time}\n${post.id}`).digest("base64url");
    const old = `/api/posts/not-yet?preview=${time}.${post.id}.${signature}`;
    expect(await read(old)).toMatchObject({ status: 200, data: { title: "Not yet" } });
    clock.time += day;
    expect((await read(old)).status).toBe(404);
  });

  test("ends with the manager who shared it", async () => {
    const { db, link, read, signIn, post } = await draft();
    const own = link();
    expect((await read(own)).status).toBe(200);
    const owner = await signIn({ email: "olive@example.com" });
    const [ada] = await look<{ id: string }>(db, "select id from managers where email = 'ada@example.com'");
    await owner.submit(`/dashboard/managers/${ada?.id}/remove`);
    expect((await read(own)).status).toBe(404);
    expect((await owner.get(`/dashboard/posts/${post.id}/preview-link`)).status).toBe(200);
  });
});

describe("in the dashboard", () => {
  test("a manager makes a link, which works, and is noted without its token", async () => {
    const { db, signIn, post, read } = await draft();
    const manager = await signIn();
    const path = `/dashboard/posts/${post.id}/preview-link`;
    expect(await (await manager.get(path)).text()).toContain("Share a preview of “Not yet”");
    const answer = await manager.submit(path, { days: "1" });
    const html = await answer.text();
    const url = new URL(/value="(https:[^"]+preview=[^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(url.href).toStartWith("https://blog.example.com/posts/not-yet?preview=");
    expect((await read(`/api${url.pathname}${url.search}`)).status).toBe(200);
    const events = JSON.stringify(await look(db, "select * from audit_events where action = 'post.share'"));
    expect(events).toContain('{\\"days\\":\\"1\\"}');
    expect(events).not.toContain(url.searchParams.get("preview") ?? "");
  });

  test("a post in the trash has none", async () => {
    const { db, signIn, post } = await draft();
    await look(db, "update posts set deleted_at = 1");
    const manager = await signIn();
    expect((await manager.get(`/dashboard/posts/${post.id}/preview-link`)).status).toBe(404);
    expect((await manager.submit(`/dashboard/posts/${post.id}/preview-link`, { days: "7" })).status).toBe(404);
  });
});
