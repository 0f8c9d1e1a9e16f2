import { expect, spyOn, test } from "bun:test";
import { create } from "../../db/broadcasts/edit";
import { assignSlug, setArchive } from "../../db/broadcasts/states";
import * as settings from "../../test/support/settings";
import * as subscribers from "../../db/newsletter/subscribers";
import { confirmedBroadcast } from "../../test/support/broadcasts/archive";
import { look, unplug } from "../../test/support/look";
import { nextPeer, testService } from "../../test/support/service";
import { parseXml } from "../../test/support/xml";

const day = 86_400_000;
const site = { BASE_URL: "https://site.example", BLOG_URL: "https://blog.example" };
const by = { actor: "manager@example.com" };

/** A service that sent these broadcasts, one per day. */
async function archiveOf(...subjects: string[]) {
  const service = await testService(site);
  for (const subject of subjects) {
    await confirmedBroadcast(service.db, service.now(), { subject, content: `About *${subject}*.` });
    service.clock.time += day;
  }
  const text = async (path: string) => (await service.get(path)).text();
  return { ...service, text };
}

test("the archive lists what was sent to everyone, newest first, twenty a page", async () => {
  const { text, get } = await archiveOf(...Array.from({ length: 21 }, (_, i) => `Subject ${i + 1}`));
  const [first, second] = [await text("/newsletter"), await text("/newsletter?page=2")];
  const subjects = (page: string) => [...page.matchAll(/newsletter\/[\w-]+">([^<]+)</g)].map(([, subject]) => subject);
  expect(subjects(first)).toEqual(Array.from({ length: 20 }, (_, i) => `Subject ${21 - i}`));
  expect(subjects(second)).toEqual(["Subject 1"]);
  expect(first).toContain("About Subject 21.");
  expect(first).toContain('href="?page=2" rel="next"');
  expect(second).toContain('href="https://site.example/newsletter" rel="prev"');
  for (const page of ["3", "0", "-1", "1e3", "01", "x"])
    expect((await get(`/newsletter?page=${page}`)).status).toBe(404);
});

test("an empty archive says so, and offers to subscribe", async () => {
  const { text } = await archiveOf();
  expect(await text("/newsletter")).toContain("No emails yet.");
  expect(await text("/newsletter")).toContain('action="/newsletter/subscribe"');
});

test("a broadcast's page has its text with fallbacks, its neighbours, and no link to unsubscribe", async () => {
  const { db, now, clock, text } = await archiveOf("Older");
  await confirmedBroadcast(db, now(), {
    subject: "For {name}",
    content: 'Dear {name, "friend"}, {email}\n\n{unsubscribe_url}\n\n[Link](/posts/a) **bold**',
  });
  clock.time += day;
  await confirmedBroadcast(db, now(), { subject: "Newer" });
  const page = await text("/newsletter/for-name");
  expect(page).toContain("<h1>For</h1>");
  expect(page).toContain("<p>Dear friend, your email address</p>");
  expect(page).toContain('<a href="https://blog.example/posts/a">Link</a> <strong>bold</strong>');
  expect(page).not.toContain("unsubscribe");
  expect(page).toContain('<link rel="canonical" href="https://site.example/newsletter/for-name"');
  expect(page).toMatch(/rel="next">Newer: Newer<.*rel="prev">Older: Older</);
});

test.each(["sending", "paused", "cancelled"] as const)(
  "the page of one that is %s is there, because emails link to it, and not listed",
  async (state) => {
    const { db, now, get, text } = await archiveOf();
    const { slug } = await confirmedBroadcast(db, now(), { subject: "Now", state });
    expect((await get(`/newsletter/${slug}`)).status).toBe(200);
    expect(await text("/newsletter")).not.toContain("Now");
  },
);

test("an unlisted one is for those who know its slug: in no list, no feed, no sitemap, and not indexed", async () => {
  const { db, now, get, text } = await archiveOf();
  const { slug } = await confirmedBroadcast(db, now(), { subject: "Secret", archive: "unlisted" });
  expect(slug).toMatch(/^[0-9a-f]{32}$/);
  expect(await text(`/newsletter/${slug}`)).toContain('<meta name="robots" content="noindex">');
  for (const path of ["/newsletter", "/newsletter.xml", "/newsletter-sitemap.xml"]) {
    expect(await text(path)).not.toContain(slug);
    expect(await text(path)).not.toContain("Secret");
  }
  expect((await get("/newsletter/secret")).status).toBe(404);
});

test("the address of an unlisted one is not in the log, at any level, not even when it fails", async () => {
  const { db, now, get, logged } = await archiveOf();
  const { slug } = await confirmedBroadcast(db, now(), { subject: "Secret", archive: "unlisted" });
  expect((await get(`/newsletter/${slug}`)).status).toBe(200);
  await unplug(db);
  expect((await get(`/newsletter/${slug}`)).status).toBe(500);
  expect(logged.map(({ level, path }) => [level, path])).toContainEqual(["error", "/newsletter/…"]);
  expect(JSON.stringify(logged)).not.toContain(slug);
});

test("a broadcast whose subject is the name of another page has a page too", async () => {
  const { db, now, text } = await archiveOf();
  const { slug } = await confirmedBroadcast(db, now(), { subject: "Subscribe!" });
  expect(slug).toBe("subscribe-2");
  expect(await text(`/newsletter/${slug}`)).toContain("<h1>Subscribe!</h1>");
});

test("confirming twice at the same time leaves the address that the letter has", async () => {
  const { db, now } = await archiveOf();
  for (const archive of ["unlisted", "listed"] as const) {
    const fields = { subject: "Twice", preheader: "", content: "", fromName: "", segment: {}, archive };
    const { id } = await create(db, { source: { kind: "own" }, fields }, by, now());
    const first = await assignSlug(db, id, (subject) => subject);
    expect(await assignSlug(db, id, (subject) => subject)).toBe(first);
  }
});

test("what is in no archive, not sent yet or deleted has no page", async () => {
  const { db, now, get } = await archiveOf("Trash");
  const none = await confirmedBroadcast(db, now(), { subject: "a", archive: "none" });
  const planned = await confirmedBroadcast(db, now(), { subject: "b", state: "scheduled" });
  await look(db, "update broadcasts set deleted_at = 1 where slug = 'trash'");
  for (const slug of [none.slug, planned.slug, "trash", "nothing", "%00", "..%2f"])
    expect([slug, (await get(`/newsletter/${slug}`)).status]).toEqual([slug, 404]);
});

test("the feed and the sitemap name the listed ones", async () => {
  const { text, db, now } = await archiveOf("One", "Two & <b>");
  await settings.set(db, "siteTitle", "Ink & Paper", { by: "test" }, now());
  const channel = parseXml(await text("/newsletter.xml")).one("channel");
  expect(channel.one("title").text).toBe("Ink & Paper newsletter");
  expect(channel.all("item").map((item) => item.one("title").text)).toEqual(["Two & <b>", "One"]);
  expect(channel.all("item")[1]?.one("link").text).toBe("https://site.example/newsletter/one");
  const urls = parseXml(await text("/newsletter-sitemap.xml")).all("url");
  const locations = urls.map((url) => url.one("loc").text);
  expect(locations).toEqual(["", "/two-and-b", "/one"].map((path) => `https://site.example/newsletter${path}`));
});

test("a sitemap has a URL even before the first broadcast", async () => {
  const { text } = await archiveOf();
  const urls = parseXml(await text("/newsletter-sitemap.xml")).all("url");
  expect(urls.map((url) => url.one("loc").text)).toEqual(["https://site.example/newsletter"]);
});

test("an unchanged page is a 304; taking one out of the archive changes list, page, feed and sitemap", async () => {
  const { db, now, get, text } = await archiveOf("One", "Two");
  const paths = ["/newsletter", "/newsletter/one", "/newsletter.xml", "/newsletter-sitemap.xml"];
  const etags = await Promise.all(paths.map(async (path) => (await get(path)).headers.get("etag") ?? ""));
  for (const [i, path] of paths.entries())
    expect((await get(path, { "if-none-match": etags[i] ?? "" })).status).toBe(304);
  const [two] = await look<{ id: string; version: number }>(
    db,
    "select id, version from broadcasts where slug = 'two'",
  );
  if (!two) throw new Error("The broadcast is gone");
  await setArchive(db, { seen: two, archive: "none" }, by, now());
  for (const [i, path] of paths.entries()) {
    expect((await get(path, { "if-none-match": etags[i] ?? "" })).status).toBe(200);
    expect(await text(path)).not.toContain("Two");
  }
});

test("pages come compressed once, and the posts' feeds are not made again for a broadcast", async () => {
  const { get, text, db, now } = await archiveOf("One");
  const feed = (await get("/atom.xml")).headers.get("etag") ?? "";
  await confirmedBroadcast(db, now(), { subject: "Two", content: "A long text. ".repeat(200) });
  const small = await get("/newsletter/two", { "accept-encoding": "gzip, zstd" });
  expect(small.headers.get("content-encoding")).toBe("zstd");
  expect(Bun.zstdDecompressSync(await small.arrayBuffer()).toString()).toBe(await text("/newsletter/two"));
  const compressing = [spyOn(Bun, "zstdCompress"), spyOn(Bun, "zstdCompressSync")];
  for (let i = 0; i < 5; i++) await (await get("/newsletter/two", { "accept-encoding": "gzip, zstd" })).bytes();
  for (const spy of compressing) expect(spy).toHaveBeenCalledTimes(0);
  for (const spy of compressing) spy.mockRestore();
  expect((await get("/atom.xml", { "if-none-match": feed })).status).toBe(304);
});

test("pictures may come from storage nodes and other hosts with https, scripts from nowhere else", async () => {
  const { get } = await archiveOf("One");
  const policy = (await get("/newsletter/one")).headers.get("content-security-policy") ?? "";
  expect(policy).toContain("img-src 'self' https:");
  expect(policy).toContain("script-src 'self';");
  expect((await get("/newsletter")).headers.get("content-security-policy")).toContain("img-src 'self';");
});

// ── The form ─────────────────────────────────────────────────────────────────────────────────

async function form(env: Record<string, string> = {}) {
  const service = await testService({ ...site, ...env });
  const submit = (fields: Record<string, string> | string, headers: Record<string, string> = {}, peer = nextPeer()) =>
    service.send("/newsletter/subscribe", { method: "POST", body: new URLSearchParams(fields), headers }, peer);
  return { ...service, submit };
}

test("the form subscribes, and welcomes once", async () => {
  const { submit, db } = await form();
  const answers = [await submit({ email: " Ada@Example.com " }), await submit({ email: "ada@example.com" })];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  for (const answer of answers) expect(await answer.text()).toContain("You’ll receive the next newsletter.");
  expect(await subscribers.byEmail(db, "ada@example.com")).toMatchObject({ state: "active", source: "newsletter" });
  expect(await look(db, "select count(*) n from outbox")).toEqual([{ n: 1 }]);
});

// What browsers ask before they fill a field again; trying it in one is a race between its processes
test("an address that was typed is there again after the page was left, as by a dropped file", async () => {
  const { get } = await archiveOf();
  const answer = await get("/newsletter");
  expect(answer.headers.get("cache-control") ?? "").not.toContain("no-store");
  const page = await answer.text();
  expect(page).toContain('autocomplete="email"');
  expect(page).not.toContain('autocomplete="off"');
});

test("what is wrong is said at the field, with what was typed, and nothing is saved", async () => {
  const { submit, db } = await form();
  const answer = await submit({ email: 'ada"><b>' });
  const page = await answer.text();
  expect(answer.status).toBe(400);
  expect(page).toContain("Enter a valid email address.");
  expect(page).toContain('aria-invalid="true" aria-describedby="email-error"');
  expect(page).toContain('value="ada&#34;>&lt;b>"');
  for (const body of [
    "",
    "email=",
    "email=a@b.example&email=c@d.example",
    `email=a@b.example&name=${"x".repeat(5_000)}`,
  ])
    expect((await submit(body)).status).toBe(400);
  expect(await look(db, "select count(*) n from subscribers")).toEqual([{ n: 0 }]);
});

test("fields that do not belong to the form are ignored, as the API ignores them", async () => {
  const { submit } = await form();
  expect((await submit("email=a@b.example&utm=1&utm=2&__proto__=x")).status).toBe(200);
});

test("form and API share one limit of five in ten minutes", async () => {
  const { submit, post } = await form();
  const peer = nextPeer();
  for (let i = 0; i < 3; i++) expect((await submit({ email: `a${i}@example.com` }, {}, peer)).status).toBe(200);
  for (let i = 3; i < 5; i++) {
    const answer = await post("/api/newsletter/subscribe", { email: `a${i}@example.com` }, {}, peer);
    expect(answer.status).toBe(201);
  }
  const refused = await submit({ email: "a6@example.com" }, {}, peer);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "600"]);
  expect(await refused.text()).toContain("Try again in 600 seconds.");
});

test("other sites subscribe no one in a visitor's name, unless they may call the API too", async () => {
  const { submit } = await form({ CORS_ORIGINS: "https://shop.example" });
  const from = (origin: string) => ({ origin, "sec-fetch-site": "cross-site" });
  const email = "ada@example.com";
  for (const origin of ["https://evil.example", "null", "https://shop.example.evil.example"])
    expect((await submit({ email }, from(origin))).status).toBe(400);
  for (const origin of ["https://shop.example", "https://site.example", "https://blog.example"])
    expect((await submit({ email }, from(origin))).status).toBe(200);
});

test("afterwards the visitor goes where the form says, if that is one of our sites, whoever is subscribed", async () => {
  const shop = "https://shop.example";
  const { submit, db } = await form({ CORS_ORIGINS: shop });
  const next = `${shop}/thanks?from=form#top`;
  for (const email of ["ada@example.com", "ada@example.com", "lin@example.com"]) {
    const answer = await submit({ email, next }, { origin: shop, "sec-fetch-site": "cross-site" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, next]);
  }
  const elsewhere = [
    "https://evil.example",
    `${shop}.evil.example/`,
    "//evil.example",
    "javascript:alert(1)",
    "/thanks",
  ];
  for (const next of [...elsewhere, `blob:${shop}/0b0d`, "https://shop.example@evil.example/"]) {
    const answer = await submit({ email: "ada@example.com", next });
    expect([next, answer.status, answer.headers.get("location")]).toEqual([next, 200, null]);
  }
  expect((await submit(`email=a@b.example&next=${next}&next=${next}`)).status).toBe(400);
  expect(await look(db, "select count(*) n from subscribers")).toEqual([{ n: 2 }]);
});

test("a corrected address is sent with all other fields, and leads where the form says", async () => {
  const shop = "https://shop.example";
  const { submit } = await form({ CORS_ORIGINS: shop });
  const typed = `email=ada&name=A%22%3E%3Cb%3E&source=shop&topics=&topics=rain&next=${shop}/thanks&utm=1`;
  const answer = await submit(typed);
  const page = await answer.text();
  const hidden = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(
    ([, ...field]) => field,
  );
  expect(hidden).toEqual([
    ["name", "A&#34;>&lt;b>"],
    ["source", "shop"],
    ["topics", ""],
    ["topics", "rain"],
    ["next", `${shop}/thanks`],
  ]);
  expect(answer.headers.get("content-security-policy")).toContain(`form-action 'self' ${shop};`);
  const other = await submit({ email: "ada", next: "https://evil.example/" });
  expect(other.headers.get("content-security-policy")).toContain("form-action 'self';");
});

test("whoever subscribed on a site goes back there, and nowhere that is not ours", async () => {
  const shop = "https://shop.example";
  const { submit } = await form({ CORS_ORIGINS: shop });
  const back = async (fields: Record<string, string>, origin?: string) => {
    const answer = await submit(fields, origin ? { origin, "sec-fetch-site": "cross-site" } : {});
    return /<p class="back">\s*<a href="([^"]*)">([^<]*)/.exec(await answer.text())?.slice(1);
  };
  const email = "ada@example.com";
  const archive = ["https://site.example/newsletter", "Back to the newsletter"];
  expect(await back({ email }, shop)).toEqual([shop, "Back to shop.example"]);
  expect(await back({ email: "ada" }, shop)).toEqual([shop, "Back to shop.example"]);
  expect(await back({ email: "ada", next: `${shop}/thanks` })).toEqual([shop, "Back to shop.example"]); // corrected
  expect(await back({ email })).toEqual(archive);
  expect(await back({ email }, "https://evil.example")).toEqual(archive);
});

test("a refused form names the site that it came from and where to allow it, and no other site", async () => {
  const { submit } = await form({ CORS_ORIGINS: "https://shop.example" });
  const from = async (origin: string) =>
    (await submit({ email: "ada@example.com" }, { origin, "sec-fetch-site": "cross-site" })).text();
  const page = await from("http://localhost:5173");
  expect(page).toContain("Forms on http://localhost:5173 are not accepted here yet.");
  expect(page).toContain("under Settings, Set up");
  expect(page).not.toContain("shop.example");
  for (const origin of [
    "null",
    "chrome-extension://abc",
    "https://evil.example/<b>",
    "evil.example",
    "https://A.example",
  ])
    expect(await from(origin)).toContain("Use the form on the newsletter’s page.");
});

test("a failing database is a page, and JSON is no form", async () => {
  const { submit, send, db } = await form();
  const json = { method: "POST", body: '{"email":"a@b.example"}', headers: { "content-type": "application/json" } };
  expect((await send("/newsletter/subscribe", json)).status).toBe(400);
  await look(db, "drop table subscriber_events");
  const failed = await submit({ email: "ada@example.com" });
  expect([failed.status, await failed.text()]).toEqual([
    500,
    expect.stringContaining("Your subscription was not saved") as never,
  ]);
});

test("readers of a page are counted by day, those who ask again too, and bots are not", async () => {
  const { db, get, counters, clock } = await archiveOf("Hello");
  const [{ slug = "", id = "" } = {}] = await look<{ slug: string; id: string }>(db, "select slug, id from broadcasts");
  const read = async (client: string, headers: Record<string, string> = {}) =>
    (await get(`/newsletter/${slug}`, { "user-agent": "Firefox", ...headers }, client)).headers.get("etag") ?? "";
  const etag = await read("198.51.100.1");
  await read("198.51.100.1");
  await read("198.51.101.1", { "if-none-match": etag });
  await read("198.51.102.1", { "user-agent": "Googlebot/2.1" });
  await get("/newsletter/no-such-page", { "user-agent": "Firefox" });
  await counters.flush();
  clock.time += day;
  await read("198.51.100.1");
  await counters.flush();
  expect(
    await look(db, `select count from daily_counts where kind = 'page' and subject_id = '${id}' order by day`),
  ).toEqual([{ count: 2 }, { count: 1 }]);
});
