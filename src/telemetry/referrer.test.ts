import { expect, test } from "bun:test";
import * as apiKeys from "../../db/access/keys/api-keys";
import { cleanUp } from "../../db/ops/cleanup";
import * as posts from "../../db/posts/posts";
import { look, lookAt } from "../../test/support/look";
import { testService } from "../../test/support/service";

const day = 86_400_000;

async function blog() {
  const service = await testService({ BLOG_URL: "https://blog.example" });
  const { db, now, counters } = service;
  for (const slug of ["a", "b"])
    await posts.save(db, { slug, title: slug, published: true, publishedAt: now() }, now());
  let visitors = 0;
  /** Someone new reads a post, and their browser names a page. */
  const read = (slug: string, referer?: string) => {
    const address = `203.0.${(++visitors >> 8) & 255}.${visitors & 255}`;
    return service.get(`/api/posts/${slug}`, { "user-agent": "Firefox", ...(referer && { referer }) }, address);
  };
  const hosts = async () => {
    await counters.flush();
    return lookAt(
      db,
      "select subject_id, cast(sum(count) as integer) from daily_counts where kind = 'referrer' group by 1 order by 1",
    );
  };
  return { ...service, read, hosts };
}

test("views are counted by the host that they came from, and by nothing else of the address", async () => {
  const { db, read, hosts } = await blog();
  for (const referer of [
    "https://www.news.example/item?id=7&user=solveig",
    "https://news.example/",
    "http://NEWS.example:8080/x",
  ])
    await read("a", referer);
  await read("b", "https://search.example/?q=tides");
  expect(await hosts()).toEqual([
    ["", 4],
    ["news.example", 3],
    ["search.example", 1],
  ]);
  const ofPosts = await look<{ subject: string; count: number }>(
    db,
    "select title as subject, count from daily_counts join posts on subject_id = posts.id || ' news.example'",
  );
  expect(ofPosts).toEqual([{ subject: "a", count: 3 }]);
  const everything = JSON.stringify(await look(db, "select * from daily_counts"));
  expect(everything).not.toMatch(/solveig|tides|item/);
});

test("our own pages, addresses, and what is no name of a site are no source", async () => {
  const { read, hosts } = await blog();
  const none = [
    ...["https://blog.example/posts/a", "http://localhost:3000/", "https://192.0.2.7/", "https://[2001:db8::1]/", "x"],
    ...["javascript:alert(1)", "https://user@", "android-app://com.example", `https://${"a".repeat(101)}.example/`],
    `https://news.example/${"a".repeat(3_000)}`,
  ];
  for (const referer of none) await read("a", referer);
  await read("a");
  expect(await hosts()).toEqual([]);
});

test("a visitor counts once a day, whatever their browser says later", async () => {
  const { get, hosts } = await blog();
  for (const site of ["one", "two"])
    await get("/api/posts/a", { "user-agent": "Firefox", referer: `https://${site}.example/` }, "203.0.113.9");
  expect((await hosts()).map(([host]) => host)).toEqual(["", "one.example"]);
});

test("invented sites fill some places of a day, and take none from those that sent readers before", async () => {
  const { clock, read, hosts, counters, db } = await blog();
  for (let n = 0; n < 3; n++) await read("a", "https://friend.example/");
  await counters.flush();
  clock.time += day;
  for (let n = 0; n < 80; n++) await read("a", `https://spam-${n}.example/`);
  await counters.flush();
  for (let n = 0; n < 5; n++) await read("a", `https://late-${n}.example/`);
  await read("a", "https://friend.example/");
  const rows = new Map((await hosts()).map(([host, count]) => [String(host), Number(count)]));
  expect(rows.get("friend.example")).toBe(4);
  expect(rows.get("*")).toBe(35);
  expect([...rows.keys()].filter((host) => host.startsWith("spam")).length).toBe(50);
  expect([...rows.keys()].filter((host) => host.startsWith("late"))).toEqual([]);
  const ofPost = await look(
    db,
    "select subject_id from daily_counts where kind = 'post-referrer' and subject_id <> '' and subject_id not like '% *'",
  );
  expect(ofPost.length).toBe(1 + 10 + 1); // of both days
});

test("a site names the page that its visitor came from, with a key that may", async () => {
  const { db, now, get, hosts } = await blog();
  const { key } = await apiKeys.generate(db, { prefix: "site", name: "Blog", scopes: ["visitors"] }, now());
  const headers = { "postroom-visitor-address": "8.8.8.8", "postroom-visitor-agent": "Firefox" };
  const referrer = { "postroom-visitor-referrer": "https://news.example/1" };
  await get("/api/posts/a", { ...referrer, "user-agent": "Firefox" }); // without a key it is not read
  await get("/api/posts/a", { ...headers, ...referrer, "x-api-key": key, referer: "https://server.example/" });
  expect((await hosts()).map(([host]) => host)).toEqual(["", "news.example"]);
});

test("pages say where readers come from, as text that leads nowhere, and tell apart none and not known", async () => {
  const { read, counters, signIn, db } = await blog();
  const manager = await signIn();
  const page = async (path: string) => (await manager.get(path)).text();
  expect(await page("/dashboard/posts/views")).toContain("No views yet");
  await read("b");
  await counters.flush();
  expect(await page("/dashboard/posts/views")).toContain("Not known yet");
  await read("a", "https://news.example/");
  await counters.flush();
  const [post] = await look<{ id: string }>(db, "select id from posts where slug = 'a'");
  for (const path of ["/dashboard/posts/views", `/dashboard/posts/${post?.id}/views`]) {
    const html = await page(path);
    expect(html).toContain("news.example");
    expect(html).not.toContain('href="https://news.example');
  }
  const [other] = await look<{ id: string }>(db, "select id from posts where slug = 'b'");
  expect(await page(`/dashboard/posts/${other?.id}/views`)).toContain("No view named a site");
  await manager.submit("/dashboard/newsletter", { email: "ada@reader.example" });
  expect(await page("/dashboard")).toContain("news.example");
});

test("sources are deleted when no page shows them any more", async () => {
  const { clock, read, hosts, counters, db, now } = await blog();
  await read("a", "https://news.example/");
  await counters.flush();
  clock.time += 401 * day;
  await cleanUp(db, now());
  expect(await hosts()).toEqual([]);
  expect(await look(db, "select day from daily_counts where kind = 'view'")).not.toEqual([]);
});
