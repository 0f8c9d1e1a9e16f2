import { expect, test } from "bun:test";
import { cpSync } from "node:fs";
import { join } from "node:path";
import * as apiKeys from "../../../db/access/keys/api-keys";
import * as posts from "../../../db/posts/posts";
import * as postEdits from "../../../db/posts/edit";
import { previewLink } from "../../../src/security/links";
import { writeCode } from "../../support/client/build";
import { connected, fillSite } from "../../support/client/connected";
import { look } from "../../support/look";
import { temporaryFolder } from "../../support/processes";

/** The example in docs/examples/site as a process of its own behind a proxy, and the service that it uses. */
async function exampleSite() {
  const site = await connected();
  const { service } = site;
  await fillSite(service);
  const scopes = ["content:read" as const, "visitors" as const];
  const { key } = await apiKeys.generate(service.db, { prefix: "site", name: "Site", scopes }, service.now());
  const folder = temporaryFolder();
  cpSync(join(import.meta.dir, "../../../docs/examples/site"), folder.path, { recursive: true });
  await writeCode(join(folder.path, "node_modules/postroom"));
  const child = Bun.spawn([process.execPath, "--no-env-file", "server.ts"], {
    cwd: folder.path,
    env: { PATH: process.env.PATH ?? "", PORT: "0", BEHIND_PROXY: "1", POSTROOM_URL: site.url, POSTROOM_KEY: key },
    stdout: "pipe",
    stderr: "inherit",
  });
  const printed = child.stdout.getReader();
  const url = new TextDecoder().decode((await printed.read()).value).trim();
  const from = (address: string) => ({ "x-forwarded-for": `10.0.0.1, ${address}`, "user-agent": "Firefox" });
  return {
    ...site,
    read: (path: string, address = "8.8.8.8") => fetch(url + path, { headers: from(address), redirect: "manual" }),
    send: (path: string, fields: Record<string, string>, address = "8.8.8.8") =>
      fetch(url + path, { method: "POST", headers: from(address), body: new URLSearchParams(fields) }),
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      await site.close();
      folder[Symbol.dispose]();
    },
  };
}

test("the example site lists posts, shows one, leads from a former slug, and passes the feed on", async () => {
  await using site = await exampleSite();
  const home = await (await site.read("/")).text();
  for (const i of [1, 2, 3, 4, 5]) expect(home).toContain(`<a href="/posts/post-${i}">Post ${i}</a>`);
  const post = await site.read("/posts/post-1");
  expect([post.status, post.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(await post.text()).toContain("<p>Text</p>");
  expect((await site.read("/posts/none")).status).toBe(404);
  expect((await site.read("/nowhere")).status).toBe(404);
  const moved = await site.read("/posts/old");
  expect([moved.status, moved.headers.get("location")]).toEqual([301, "/posts/post-1"]);
  expect(await (await site.read("/feed.xml")).text()).toStartWith("<?xml");
  for (const path of ["/style.css", "/preview.js", "/contact"]) expect((await site.read(path)).status).toBe(200);
});

test("the forms of the example site are each visitor's own, escape what was typed, and say what is wrong", async () => {
  await using site = await exampleSite();
  const { db } = site.service;
  expect(await (await site.send("/newsletter", { email: "ada@example.com" })).text()).toContain("Thank you");
  const wrong = await site.send("/newsletter", { email: '"><b>ada' });
  const text = await wrong.text();
  expect([wrong.status, text.includes("Your email must be a valid email address.")]).toEqual([400, true]);
  expect(text).toContain('value="&quot;&gt;&lt;b&gt;ada"');
  const message = { name: "Ada Ferris", email: "ada@example.com", message: "Hello, I liked the essay." };
  expect(await (await site.send("/contact", message)).text()).toContain("Your message has been received.");
  expect(await look(db, "select email, source from subscribers")).toEqual([
    { email: "ada@example.com", source: "site" },
  ]);
  expect(await look(db, "select name, source from messages")).toEqual([{ name: "Ada Ferris", source: "site" }]);

  const statuses: number[] = [];
  for (let i = 0; i < 12; i++)
    statuses.push((await site.send("/newsletter", { email: `reader-${i}@example.com` }, `9.9.9.${i}`)).status);
  expect(statuses).toEqual(Array.from({ length: 12 }, () => 200)); // one visitor has five
});

test("views of the example site are its visitors'", async () => {
  await using site = await exampleSite();
  for (const address of ["8.8.8.8", "9.9.9.9", "9.9.9.9"]) await site.read("/posts/post-2", address);
  await site.service.counters.flush();
  expect(await look(site.service.db, "select views from posts where slug = 'post-2'")).toEqual([{ views: 2 }]);
});

test("a draft is shown by its preview link as it was saved last, is kept by no one, and refreshes", async () => {
  await using site = await exampleSite();
  const { config, db, now, signIn } = site.service;
  const { manager } = await signIn({ email: "ada@example.com", name: "Ada" });
  const post = await posts.save(db, { slug: "tides", title: "Tides", content: "First", published: false }, now());
  const token = new URL(previewLink(config, { id: post.id, page: config.BASE_URL }, manager.id, 7, now()).url).search;
  expect((await site.read("/posts/tides")).status).toBe(404);
  const preview = await site.read(`/posts/tides${token}`);
  expect([preview.status, preview.headers.get("cache-control"), preview.headers.get("x-robots-tag")]).toEqual([
    200,
    "no-store",
    "noindex",
  ]);
  const before = await preview.text();
  expect(before).toContain("<p>First</p>");
  const [, events = ""] = /<script src="\/preview.js" data-events="([^"]+)" defer><\/script>/.exec(before) ?? [];
  const version = async () => (await fetch(events.replaceAll("&amp;", "&"))).text();
  expect(await version()).toContain(`data: {"version":${post.version}}`);
  const change = { id: post.id, version: post.version, typed: { fields: {}, content: "" } };
  await postEdits.edit(db, { ...change, fields: { ...post, tags: [], content: "Second" } }, { actor: "test" }, now());
  expect(await version()).toContain(`data: {"version":${post.version + 1}}`);
  expect(await (await site.read(`/posts/tides${token}`)).text()).toContain("<p>Second</p>");
});
