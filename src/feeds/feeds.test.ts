import { describe, expect, test } from "bun:test";
import * as posts from "../../db/posts/posts";
import * as postEdits from "../../db/posts/edit";
import * as settings from "../../test/support/settings";
import { parseXml, type XmlNode } from "../../test/support/xml";
import { firstSitemap, nextSitemap } from "./sitemap";
import { testService } from "../../test/support/service";
import { element } from "./xml";

const hour = 3_600_000;
const hostile = `<b>&"'</b> ]]> \u0000\u0008\u000b\ufffe 🛟`;

/** A blog with posts of these ages in hours; negative ages are in the future. */
async function blog(ages: Record<string, number>, env: Record<string, string> = {}) {
  const service = await testService({ BLOG_URL: "https://blog.example.com", ...env });
  const { db, now } = service;
  for (const [slug, age] of Object.entries(ages))
    await posts.save(
      db,
      {
        ...{ slug, title: `About ${slug}`, excerpt: `What ${slug} is.`, author: "Ada", tags: ["Lamps", "C++"] },
        ...{ published: true, publishedAt: new Date(now().getTime() - age * hour) },
      },
      now(),
    );
  const xml = async (path: string) => {
    const answer = await service.get(path);
    expect([path, answer.status]).toEqual([path, 200]);
    return parseXml(await answer.text());
  };
  return { ...service, xml };
}

const texts = (nodes: XmlNode[]) => nodes.map((node) => node.text);

describe("RSS 2.0", () => {
  test("has what the specification requires of a channel and its items", async () => {
    const { xml, db, now } = await blog({ old: 48, new: 1 });
    await settings.set(db, "siteTitle", "Ink & Paper", { by: "test" }, now());
    await settings.set(db, "siteDescription", "Letters <about> letters", { by: "test" }, now());
    const root = await xml("/rss.xml");
    expect([root.name, root.attributes.version]).toEqual(["rss", "2.0"]);
    const [channel] = root.all("channel");
    expect(texts(channel?.all("title") ?? [])).toEqual(["Ink & Paper"]);
    expect(channel?.one("link").text).toBe("https://blog.example.com/");
    expect(channel?.one("description").text).toBe("Letters <about> letters");
    const items = channel?.all("item") ?? [];
    expect(items.map((item) => item.one("title").text)).toEqual(["About new", "About old"]);
    expect(items[0]?.one("link").text).toBe("https://blog.example.com/posts/new");
    expect(items[0]?.one("pubDate").text).toMatch(
      /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/,
    );
    expect(items[0]?.one("guid")).toMatchObject({ attributes: { isPermaLink: "false" } });
    expect(items[0]?.one("guid").text).toMatch(/^urn:uuid:[0-9a-f-]{36}$/);
    expect(texts(items[0]?.all("category") ?? [])).toEqual(["Lamps", "C++"]);
  });

  test("contains the latest fifty, and no drafts", async () => {
    const ages = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`post-${i}`, i + 1]));
    const { xml, db, now } = await blog(ages);
    await posts.save(db, { slug: "draft", title: "Draft", published: false }, now());
    const items = (await xml("/rss.xml")).one("channel").all("item");
    expect(items).toHaveLength(50);
    expect(items.at(-1)?.one("title").text).toBe("About post-49");
  });
});

describe("Atom (RFC 4287)", () => {
  test("has what the specification requires of a feed and its entries", async () => {
    const { xml, clock } = await blog({ old: 48, new: 1 });
    const feed = await xml("/atom.xml");
    expect([feed.name, feed.attributes.xmlns]).toEqual(["feed", "http://www.w3.org/2005/Atom"]);
    for (const name of ["title", "id", "updated"]) expect([name, feed.all(name).length]).toEqual([name, 1]);
    expect(feed.one("author").one("name").text).not.toBe("");
    expect(feed.all("link").find(({ attributes }) => attributes.rel === "self")?.attributes.href).toBe(
      "https://blog.example.com/atom.xml",
    );
    const [entry] = feed.all("entry");
    for (const name of ["title", "id", "updated", "published"])
      expect([name, entry?.all(name).length]).toEqual([name, 1]);
    expect(entry?.one("updated").text).toBe(new Date(clock.time).toISOString());
    expect(entry?.one("published").text).toBe(new Date(clock.time - hour).toISOString());
    expect(entry?.one("link").attributes).toMatchObject({
      ...{ rel: "alternate", href: "https://blog.example.com/posts/new" },
    });
    expect(entry?.one("category").attributes).toMatchObject({ term: "lamps", label: "Lamps" });
  });

  test("an entry keeps its id when the post gets another slug", async () => {
    const { xml, db, now } = await blog({ first: 2 });
    const idOf = async () => (await xml("/atom.xml")).one("entry").one("id").text;
    const before = await idOf();
    const post = await posts.bySlug(db, "first", now());
    const edit = { id: post?.id ?? "", version: 1, typed: { fields: {}, content: "" } };
    await postEdits.edit(db, { ...edit, fields: { ...fields, slug: "second" } }, { actor: "test" }, now());
    expect((await xml("/atom.xml")).one("entry").one("link").attributes.href).toEndWith("/posts/second");
    expect(await idOf()).toBe(before);
  });
});

const fields = {
  ...{ title: "T", excerpt: "", content: "", coverImage: "", author: "", tags: [] as string[] },
  publishedAt: new Date("2026-11-20T12:00:00Z"),
};

describe("every file", () => {
  const paths = ["/rss.xml", "/atom.xml", "/sitemap.xml", "/robots.txt"];

  test("is well-formed whatever a title, tag or setting contains", async () => {
    const { xml, db, now } = await blog({});
    const post = { slug: "ж-1", title: hostile, excerpt: hostile, author: hostile, tags: [`a${hostile}`] };
    await posts.save(db, { ...post, published: true }, now());
    for (const key of ["siteTitle", "siteDescription", "name"])
      await settings.set(db, key, hostile, { by: "t" }, now());
    const kept = `<b>&"'</b> ]]>  🛟`;
    const channel = (await xml("/rss.xml")).one("channel");
    expect([channel.one("title").text, channel.one("item").one("title").text]).toEqual([kept, kept]);
    expect(channel.one("item").one("link").text).toBe("https://blog.example.com/posts/%D0%B6-1");
    expect((await xml("/atom.xml")).one("entry").one("summary").text).toBe(kept);
    expect((await xml("/sitemap.xml")).one("url").one("loc").text).toBe("https://blog.example.com/posts/%D0%B6-1");
  });

  test("leaves out half a surrogate pair too", () => {
    expect(element("a", { b: "\ud800" }, "x\udfffy").text).toBe('<a b="">xy</a>');
  });

  test("is valid while there is no post and no setting", async () => {
    const { xml } = await blog({});
    expect((await xml("/rss.xml")).one("channel").one("description").text).toBe("blog.example.com");
    expect((await xml("/atom.xml")).one("updated").text).toMatch(/Z$/);
    expect((await xml("/sitemap.xml")).one("url").one("loc").text).toBe("https://blog.example.com/");
  });

  test("are gzipped for clients that accept it, with an ETag of their own", async () => {
    const { get } = await blog({ one: 1, two: 2, three: 3, four: 4, five: 5 });
    for (const path of ["/rss.xml", "/atom.xml"]) {
      const plain = await get(path);
      const small = await get(path, { "accept-encoding": "br, gzip" });
      expect(small.headers.get("content-encoding")).toBe("gzip");
      expect([plain, small].map(({ headers }) => headers.get("vary"))).toEqual(["Accept-Encoding", "Accept-Encoding"]);
      expect(Buffer.from(Bun.gunzipSync(await small.arrayBuffer())).toString()).toBe(await plain.text());
      const etag = small.headers.get("etag") ?? "";
      expect(etag).not.toBe(plain.headers.get("etag") ?? "");
      const again = await get(path, { "accept-encoding": "gzip", "if-none-match": etag });
      const { status, headers } = again;
      expect([status, headers.get("etag"), headers.get("content-encoding")]).toEqual([304, etag, null]);
      const refused = await get(path, { "accept-encoding": "gzip;q=0, identity" });
      expect(refused.headers.get("content-encoding")).toBeNull();
    }
    expect((await get("/robots.txt", { "accept-encoding": "gzip" })).headers.get("content-encoding")).toBeNull();
  });

  test.each(paths)("%s has a type, an ETag and a time; who has it already gets 304; HEAD has no body", async (path) => {
    const { get, send } = await blog({ only: 1 });
    const answer = await get(path);
    const { headers } = answer;
    const types = {
      rss: "application/rss+xml",
      ato: "application/atom+xml",
      sit: "application/xml",
      rob: "text/plain",
    };
    expect(headers.get("content-type")).toBe(`${types[path.slice(1, 4) as "rss"]}; charset=utf-8`);
    expect(headers.get("cache-control")).toContain("public");
    const etag = headers.get("etag") ?? "";
    const modified = headers.get("last-modified") ?? "";
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const condition of [
      { "if-none-match": etag },
      { "if-none-match": `W/${etag}` },
      { "if-modified-since": modified },
    ]) {
      const again = await get(path, condition as Record<string, string>);
      expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
    }
    const earlier = new Date(Date.parse(modified) - 1_000).toUTCString();
    expect((await get(path, { "if-modified-since": earlier })).status).toBe(200);
    expect((await get(path, { "if-none-match": '"other"', "if-modified-since": modified })).status).toBe(200);
    const head = await send(path, { method: "HEAD" });
    expect([head.status, await head.text(), head.headers.get("content-length")]).toEqual([
      200,
      "",
      String((await answer.arrayBuffer()).byteLength),
    ]);
  });

  test("changes when a post or the name of the site does, and not because someone reads", async () => {
    const { db, get, now, counters } = await blog({ only: 1 });
    const etag = async () => (await get("/rss.xml")).headers.get("etag");
    const before = await etag();
    await get("/api/posts/only", { "user-agent": "Firefox" });
    await counters.flush();
    expect(await etag()).toBe(before);
    await settings.set(db, "siteTitle", "Other", { by: "test" }, now());
    const renamed = await etag();
    expect(renamed).not.toBe(before);
    await posts.save(db, { slug: "only", title: "Better", published: true }, now());
    expect(await etag()).not.toBe(renamed);
  });

  test("shows a scheduled post at its time, although nothing was written (D22)", async () => {
    const { get, clock, db, now } = await blog({});
    const start = Date.now() + 24 * hour; // after the rows were written: the database uses the real clock
    for (const [slug, at] of [["past", start - hour] as const, ["future", start + 2 * hour] as const])
      await posts.save(db, { slug, title: slug, published: true, publishedAt: new Date(at) }, now());
    for (const path of paths.slice(0, 3)) {
      clock.time = start;
      const early = await get(path);
      expect(await early.text()).not.toContain("/posts/future");
      clock.time += 2 * hour - 1;
      expect(await (await get(path)).text()).not.toContain("/posts/future");
      clock.time += 1;
      const late = await get(path, { "if-none-match": early.headers.get("etag") ?? "" });
      expect([late.status, await late.text()]).toEqual([200, expect.stringContaining("/posts/future") as never]);
      expect(late.headers.get("last-modified")).toBe(new Date(clock.time).toUTCString());
    }
  });
});

describe("the sitemap", () => {
  test("names every published post, and when it changed", async () => {
    const { xml } = await blog({ b: 1, a: 2, future: -1 });
    const urls = (await xml("/sitemap.xml")).all("url");
    expect(urls.map((url) => url.one("loc").text)).toEqual([
      "https://blog.example.com/posts/b",
      "https://blog.example.com/posts/a",
    ]);
    expect(urls[0]?.one("lastmod").text).toBe("2026-11-21T12:00:00.000Z");
  });

  test("has several files when one cannot hold all addresses; together they name each post once", async () => {
    const ages = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`post-${i}`, i + 1]));
    const { db, now } = await blog(ages);
    const about = { title: "", description: "", author: "", lang: undefined };
    const site = { url: "https://b.example", postUrl: "https://b.example/posts/{slug}", ...about, changedAt: now() };
    const index = parseXml(await firstSitemap(db, site, now(), 3));
    expect([index.name, ...index.all("sitemap").map((each) => each.one("loc").text)]).toEqual([
      "sitemapindex",
      ...[1, 2, 3].map((page) => `https://b.example/sitemap-${page}.xml`),
    ]);
    const found = [];
    for (const page of [1, 2, 3])
      found.push(...parseXml((await nextSitemap(db, site, { page, limit: 3 }, now())) ?? "").all("url"));
    expect(found.map((url) => url.one("loc").text)).toEqual(
      Object.keys(ages).map((slug) => `https://b.example/posts/${slug}`),
    );
    expect(await nextSitemap(db, site, { page: 4, limit: 3 }, now())).toBeUndefined();
  });

  test.each(["/sitemap-0.xml", "/sitemap-2.xml", "/sitemap-x.xml", "/sitemap-1", "/sitemap-1.xml.gz"])(
    "%s is not there",
    async (path) => {
      const { get } = await blog({ only: 1 });
      expect((await get(path)).status).toBe(404);
    },
  );
});

test("robots.txt points to the sitemap and keeps machines out of the dashboard and the API", async () => {
  const { get } = await blog({});
  expect(await (await get("/robots.txt")).text()).toBe(
    "User-agent: *\nDisallow: /dashboard\nDisallow: /api\n\nSitemap: https://blog.example.com/sitemap.xml\nSitemap: http://localhost:3000/newsletter-sitemap.xml\n",
  );
});
