import { afterAll, expect, test } from "bun:test";
import { removeManager } from "../../db/manager-removal";
import * as posts from "../../db/posts/posts";
import { listen } from "../http/listen";
import { previewLink } from "../security/links";
import { openStream } from "../../test/support/event-stream";
import { testService } from "../../test/support/service";
import { endPreviewStreams } from "./preview-events";

const day = 86_400_000;
const stops: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(stops.map((stop) => stop())));

/** A service on a socket with a draft, and what listens to its preview. */
async function openPreview() {
  const service = await testService();
  const { app, config, db, log, now } = service;
  const { manager } = await service.signIn({ email: "ada@example.com" });
  const server = listen({ HOST: "127.0.0.1", PORT: 0 }, log, (request, at) => app.handle(request, at));
  stops.push(() => server.drain());
  const save = (title: string) => posts.save(db, { slug: "draft", title, published: false }, now());
  const { id } = await save("One");
  const page = `${server.origin}/api/posts/draft/preview-events`;
  const { url } = previewLink(config, { id, page }, manager.id, 1, now());
  const watch = (headers: Record<string, string> = {}) => openStream(url, headers);
  return { ...service, manager, url, watch, save };
}

test("a preview hears of each version that is saved, and never the text", async () => {
  const { watch, save } = await openPreview();
  const { response, until, leave } = await watch();
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(response.headers.get("x-robots-tag")).toBe("noindex");
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  await until('event: post\nid: 1\ndata: {"version":1}\n\n');
  await save("Two");
  expect(await until('data: {"version":2}')).not.toContain("Two");
  await leave();
});

test("who comes back is told only what they missed", async () => {
  const { watch, save } = await openPreview();
  const same = await watch({ "last-event-id": "1" });
  await save("Two");
  expect(await same.until("id: 2")).not.toContain("id: 1");
  await same.leave();
  const behind = await watch({ "last-event-id": "1" });
  await behind.until("id: 2");
  await behind.leave();
});

test("another post that is saved says nothing", async () => {
  const { watch, save, db, now } = await openPreview();
  const { until, leave } = await watch();
  await until("id: 1");
  await posts.save(db, { slug: "other", title: "Other", published: true }, now());
  await save("Two");
  expect((await until("id: 2")).match(/event: post/g)).toHaveLength(2);
  await leave();
});

test("it ends when the link expires, the post is deleted or its manager is removed", async () => {
  const expiring = await openPreview();
  const first = await expiring.watch();
  expiring.clock.time += day;
  await first.until("event: expired");
  await first.ended();
  const removed = await openPreview();
  const { manager: actingManager } = await removed.signIn({ email: "owner@example.com" });
  const second = await removed.watch();
  await second.until("id: 1");
  const removal = { actingManager, id: removed.manager.id, keep: new Set<string>() };
  await removeManager(removed.db, removal, { actor: actingManager.email }, removed.now());
  await removed.save("Two");
  await second.until("event: expired");
  expect((await removed.watch()).response.status).toBe(404);
});

test.each(["", "?preview=", "?preview=x", "?preview=a&preview=b"])("%p is no preview", async (query) => {
  const { get } = await testService();
  expect((await get(`/api/posts/draft/preview-events${query}`, { accept: "text/event-stream" })).status).toBe(404);
});

test("without Accept it is the current version alone, and HEAD has no body", async () => {
  const { url } = await openPreview();
  expect(await (await fetch(url)).text()).toBe('event: post\nid: 1\ndata: {"version":1}\n\n');
  const head = await fetch(url, { method: "HEAD", headers: { accept: "text/event-stream" } });
  expect([head.status, await head.text()]).toEqual([200, ""]);
});

test("a link has twenty streams at most, and one that ends makes room", async () => {
  const { watch } = await openPreview();
  const streams = await Promise.all(Array.from({ length: 20 }, () => watch()));
  expect((await watch()).response.status).toBe(503);
  endPreviewStreams(); // as the program does when it stops
  await Promise.all(streams.map(({ ended }) => ended()));
  const next = await watch();
  expect(next.response.status).toBe(200);
  await next.leave();
});
