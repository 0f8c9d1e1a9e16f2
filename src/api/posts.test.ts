import { expect, spyOn, test } from "bun:test";
import * as posts from "../../db/posts/posts";
import { testService } from "../../test/support/service";
import { look } from "../../test/support/look";

type Item = { slug: string; views: number };

const minute = 60_000;
const noon = Date.parse("2026-11-21T12:00:00Z");

/** A service with these posts, each published a minute before the previous one. */
async function blog(given: Partial<posts.NewPost>[]) {
  const service = await testService({ BLOG_URL: "https://blog.example" });
  for (const [i, post] of given.entries()) {
    const publishedAt = new Date(noon - i * minute);
    await posts.save(
      service.db,
      { slug: `post-${i}`, title: `Post ${i}`, published: true, publishedAt, ...post },
      service.now(),
    );
  }
  const header = await service.key();
  const list = (query = "", headers = {}) => service.get(`/api/v1/posts${query}`, { ...header, ...headers });
  const slugs = async (query = "") => {
    const { data } = (await (await list(query)).json()) as { data: { posts: Item[] } };
    return data.posts.map(({ slug }) => slug);
  };
  return { ...service, header, list, slugs };
}

const numbered = (n: number) => Array.from({ length: n }, () => ({}));

test("a list item is the Post of the contract, without its content", async () => {
  const { list } = await blog([
    {
      slug: "letters",
      title: "Letters",
      excerpt: "On letters.",
      content: "word ".repeat(401),
      coverImage: "/a.jpg",
      author: "Ada",
      tags: ["Field Notes", "C++"],
    },
  ]);
  const answer = await list();
  expect([answer.status, await answer.json()]).toEqual([
    200,
    {
      success: true,
      error: null,
      data: {
        count: 1,
        posts: [
          {
            id: expect.any(String),
            slug: "letters",
            title: "Letters",
            excerpt: "On letters.",
            coverImage: "/a.jpg",
            publishedAt: "2026-11-21T12:00:00.000Z",
            readingTime: 3,
            author: "Ada",
            tags: [
              { name: "Field Notes", slug: "field-notes" },
              { name: "C++", slug: "c-plus-plus" },
            ],
            views: 0,
            createdAt: "2026-11-21T12:00:00.000Z",
            updatedAt: "2026-11-21T12:00:00.000Z",
          },
        ],
      },
    },
  ] as never);
});

test("twenty posts without a limit, a hundred at most, the newest first", async () => {
  const { list, slugs } = await blog(numbered(105));
  expect(await slugs()).toEqual(Array.from({ length: 20 }, (_, i) => `post-${i}`));
  expect(await slugs("?limit=1")).toEqual(["post-0"]);
  expect(await slugs("?limit=100")).toHaveLength(100);
  expect((await list("?limit=100")).headers.get("x-total-count")).toBe("105");
});

test.each(["0", "101", "-1", "1.5", "1e1", "0x10", "+5", " 5", "", "ten", "５", "99999999999999999999", "1&limit=2"])(
  "limit=%s is a 400, never clamped (D20)",
  async (limit) => {
    const { list } = await blog([]);
    const answer = await list(`?limit=${limit}`);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        success: false,
        data: null,
        error: {
          code: "VALIDATION_ERROR",
          message: "The request is not valid.",
          details: [{ field: "limit", message: expect.any(String) }],
        },
      },
    ] as never);
  },
);

test("drafts, scheduled and deleted posts are in no list, and get the same 404 as an unknown slug", async () => {
  const { db, get, slugs } = await blog([
    {},
    { slug: "draft", published: false },
    { slug: "scheduled", publishedAt: new Date(noon + minute) },
    { slug: "deleted" },
  ]);
  await db.write(async () => void (await look(db, "update posts set deleted_at = 1 where slug = 'deleted'")));
  expect(await slugs()).toEqual(["post-0"]);
  expect(await slugs("?q=post")).toEqual(["post-0"]);
  const answers = new Set<string>();
  for (const slug of ["draft", "scheduled", "deleted", "unknown"]) {
    const answer = await get(`/api/posts/${slug}`);
    expect(answer.status).toBe(404);
    answers.add(await answer.text());
  }
  expect([...answers].map((text) => JSON.parse(text) as unknown)).toEqual([
    { success: false, data: null, error: { code: "NOT_FOUND", message: expect.any(String) as never } },
  ]);
});

test("a scheduled post appears at its minute, even in a list that was requested before", async () => {
  const { clock, list, slugs } = await blog([{ slug: "soon", publishedAt: new Date(noon + minute) }, { slug: "now" }]);
  const before = await list();
  expect(await slugs()).toEqual(["now"]);
  clock.time += minute - 1;
  expect(await slugs()).toEqual(["now"]);
  clock.time += 1;
  expect(await slugs()).toEqual(["soon", "now"]);
  expect((await list("", { "if-none-match": before.headers.get("etag") })).status).toBe(200);
});

test("q finds literal text in title, excerpt and content, in whatever case", async () => {
  const { slugs } = await blog([
    { slug: "title", title: "100% Wool_ens" },
    { slug: "excerpt", excerpt: "Die Straße nach ÄPFELN" },
    { slug: "content", content: "ПРИВЕТ, ΟΔΟΣ \\ 'quoted' \"twice\"" },
    { slug: "other", title: "100 wools", content: "a ﬁne thing" },
  ]);
  const expected: [string, string[]][] = [
    ["100%", ["title"]],
    ["l_e", ["title"]],
    ["_", ["title"]],
    ["STRASSE", ["excerpt"]],
    ["äpfel", ["excerpt"]],
    ["привет", ["content"]],
    ["οδος", ["content"]],
    ["\\", ["content"]],
    ["'quoted'", ["content"]],
    ['"twice"', ["content"]],
    ["fine", ["other"]],
    ["woolensDie", []],
    ["  ", ["title", "excerpt", "content", "other"]],
    ["100", ["title", "other"]],
  ];
  for (const [q, found] of expected) expect([q, await slugs(`?q=${encodeURIComponent(q)}`)]).toEqual([q, found]);
});

test("tag is a slug, matched exactly; an unknown one finds nothing", async () => {
  const { list, slugs } = await blog([{ tags: ["Field Notes"] }, { tags: ["field"] }, { tags: ["Field Notes", "C"] }]);
  expect(await slugs("?tag=field-notes")).toEqual(["post-0", "post-2"]);
  expect(await slugs("?tag=field-notes&q=post%202")).toEqual(["post-2"]);
  for (const tag of ["Field%20Notes", "FIELD-NOTES", "field-", "%25", "nothing"])
    expect(await slugs(`?tag=${tag}`)).toEqual([]);
  expect((await list("?tag=field-notes")).headers.get("x-total-count")).toBe("2");
});

test("following Link reads every post once, also when they share a moment", async () => {
  const { header, send } = await blog(
    Array.from({ length: 23 }, () => ({ publishedAt: new Date(noon), tags: ["a&b"] })),
  );
  const seen: string[] = [];
  let url: string | undefined = "/api/v1/posts?limit=5&q=POST&tag=a-and-b";
  let pages = 0;
  for (; url; pages++) {
    const answer: Response = await send(url, { headers: header });
    const { data } = (await answer.json()) as { data: { posts: Item[] } };
    seen.push(...data.posts.map(({ slug }) => slug));
    expect(answer.headers.get("x-total-count")).toBe("23");
    const link = answer.headers.get("link");
    expect(link ?? "<https://blog.example/>").toStartWith("<https://blog.example/");
    const next = /^<([^>]+)>; rel="next"$/.exec(link ?? "")?.[1];
    url = next && new URL(next).pathname + new URL(next).search;
  }
  expect([pages, seen.length, new Set(seen).size]).toEqual([5, 23, 23]);
});

test.each(["abc", "!", "e30", "bnVsbA", "WzEsMl0", "WyJhIiwiYiJd", "Wy0xLCJhIl0", "WzFlOTk5LCJhIl0"])(
  "cursor=%s was not made by this list: 400",
  async (cursor) => {
    const { list } = await blog([]);
    const answer = await list(`?cursor=${cursor}`);
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: "VALIDATION_ERROR" } }]);
  },
);

test("the cursor of the next page also has a header of its own, absent on the last page", async () => {
  const { list, slugs } = await blog(numbered(3));
  const first = await list("?limit=2");
  const cursor = first.headers.get("postroom-next-cursor") ?? "";
  expect(first.headers.get("link")).toContain(`cursor=${cursor}>`);
  expect(await slugs(`?limit=2&cursor=${cursor}`)).toEqual(["post-2"]);
  expect((await list(`?limit=2&cursor=${cursor}`)).headers.get("postroom-next-cursor")).toBe(null);
});

test("a name in the query that is not read, but almost one that is, is told in a header and changes nothing", async () => {
  const { list, slugs } = await blog(numbered(2));
  const hint = async (query: string) => (await list(query)).headers.get("postroom-hint");
  for (const [query, told] of [
    ["?page=2", '"page" is not read; use "cursor"'],
    ["?offset=20", '"offset" is not read; use "cursor"'],
    ["?Limit=1", '"Limit" is not read; use "limit"'],
    ["?cusror=x", '"cusror" is not read; use "cursor"'],
    ["?limit=1&tags=a", '"tags" is not read; use "tag"'],
    ["?limit=1&q=post", null],
    ["?t=1&utm_source=x&x=y", null],
    [`?${"cursor".repeat(1_000)}=1&%0d%0aX-Evil:%201=1`, null],
  ] as const)
    expect([query.slice(0, 40), await hint(query), await hint(query)]).toEqual([query.slice(0, 40), told, told]);
  expect(await slugs("?page=2")).toEqual(["post-0", "post-1"]);
});

test("a response above 1 KB is compressed once for those who accept it, with an ETag of its own", async () => {
  const { get, list } = await blog([{ slug: "long", content: "word ".repeat(400) }, ...numbered(9)]);
  const plain = await list();
  const text = await plain.text();
  const compress = spyOn(Bun, "zstdCompressSync");
  for (let i = 0; i < 3; i++) {
    const coded = await list("", { "accept-encoding": "gzip, br, zstd" });
    expect([coded.status, coded.headers.get("content-encoding"), coded.headers.get("vary")]).toEqual([
      200,
      "zstd",
      "x-api-key, Accept-Encoding",
    ]);
    expect(new TextDecoder().decode(Bun.zstdDecompressSync(await coded.bytes()))).toBe(text);
    const etag = coded.headers.get("etag") ?? "";
    expect(etag).not.toBe(plain.headers.get("etag"));
    const known = await list("", { "accept-encoding": "zstd", "if-none-match": etag });
    expect([known.status, known.headers.get("content-encoding")]).toEqual([304, null]);
  }
  expect(compress.mock.calls).toHaveLength(1);
  compress.mockRestore();
  const post = await get("/api/posts/long", { "accept-encoding": "gzip" });
  expect([post.headers.get("content-encoding"), JSON.parse(await gunzipped(post)).data.slug]).toEqual(["gzip", "long"]);
  const small = await list("?limit=1", { "accept-encoding": "gzip" });
  expect([small.headers.get("content-encoding"), (await small.bytes()).length < 1_024]).toEqual([null, true]);
});

const gunzipped = async (response: Response) => new TextDecoder().decode(Bun.gunzipSync(await response.arrayBuffer()));

test("an unchanged list is a 304 for clients with its ETag; a change makes a new one (D24)", async () => {
  const { db, list, now } = await blog([{}]);
  const first = await list();
  const etag = first.headers.get("etag") ?? "";
  expect(Object.fromEntries(first.headers)).toMatchObject({
    etag: expect.stringMatching(/^"[\w-]{22}"$/) as never,
    "cache-control": "private, no-cache",
    vary: "x-api-key, Accept-Encoding",
  });
  for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
    const answer = await list("", { "if-none-match": condition, "cache-control": "no-cache" });
    expect([condition, answer.status, await answer.text(), answer.headers.get("etag")]).toEqual([
      condition,
      304,
      "",
      etag,
    ]);
  }
  for (const condition of ['"other"', etag.slice(1, -1)])
    expect([condition, (await list("", { "if-none-match": condition })).status]).toEqual([condition, 200]);

  await posts.save(db, { slug: "post-0", title: "Changed", published: true }, now());
  const changed = await list("", { "if-none-match": etag });
  expect([changed.status, await changed.text()]).toEqual([200, expect.stringContaining("Changed")] as never);
});

test("a cached response equals a new one, byte by byte", async () => {
  const { list } = await blog(numbered(3));
  const [first, second] = [await list("?q=post"), await list("?q=post")];
  expect(await second.text()).toBe(await first.text());
  expect(second.headers.get("link")).toBe(first.headers.get("link"));
});

test("anyone reads a published post with its content", async () => {
  const { get } = await blog([{ slug: "straße", content: "# Hi\n\n<Chart />", tags: ["One"] }]);
  const answer = await get("/api/posts/stra%C3%9Fe");
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    {
      success: true,
      error: null,
      data: { slug: "straße", content: "# Hi\n\n<Chart />", tags: [{ name: "One", slug: "one" }] },
    },
  ]);
  expect((await get("/api/posts/stra%C3%9Fe", { "if-none-match": answer.headers.get("etag") ?? "" })).status).toBe(304);
  for (const slug of ["%00", "%E0%A4%A", "..%2f..", "'--", "x".repeat(2_000)])
    expect([slug, (await get(`/api/posts/${slug}`)).status]).toEqual([slug, 404]);
});

test("a visitor's view counts once a day, and appears within seconds (D26)", async () => {
  const { clock, counters, get, list, send } = await blog([{}, {}]);
  const views = async () => {
    await counters.flush();
    const { data } = (await (await list()).json()) as { data: { posts: Item[] } };
    return data.posts.map((post) => post.views);
  };
  const path = "/api/posts/post-0";
  for (let i = 0; i < 3; i++) await get(path, { "user-agent": "Firefox" }, "198.51.100.1");
  expect(await views()).toEqual([1, 0]);
  await get(path, { "user-agent": "Firefox" }, "198.51.100.2");
  await get(path, { "user-agent": "Firefox" }, "2001:db8::1");
  await get(path, { "user-agent": "Firefox" }, "2001:db8::2"); // the same household
  expect(await views()).toEqual([3, 0]);

  await send(path, { method: "HEAD" }, "198.51.100.3");
  await get(path, { "sec-purpose": "prefetch" }, "198.51.100.3");
  await get(path, { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1)" }, "198.51.100.3");
  expect(await views()).toEqual([3, 0]);
  await get(path, { "user-agent": "Mozilla/5.0 (Linux; Android 13; CUBOT NOTE 50) Chrome/120" }, "198.51.100.3");
  expect(await views()).toEqual([4, 0]);

  clock.time += 24 * 60 * minute;
  await get(path, { "user-agent": "Firefox" }, "198.51.100.1");
  expect(await views()).toEqual([5, 0]);
});

test("counting does not touch updatedAt, and what could not be written is kept", async () => {
  const { clock, counters, db, get, now } = await blog([{}]);
  const saved = await posts.bySlug(db, "post-0", now());
  clock.time += minute;
  await get("/api/posts/post-0");
  const { write } = db;
  db.write = () => Promise.reject(new Error("disk full"));
  await counters.flush();
  db.write = write;
  await counters.close();
  expect(await posts.bySlug(db, "post-0", now())).toEqual({ ...saved, views: 1 } as never);
});

test("a post that becomes due while a list is being read is in the next one", async () => {
  const { clock, db, list, now, slugs } = await blog([]);
  for (let late = 1; late <= 12; late++) {
    const publishedAt = new Date(clock.time + late);
    await posts.save(db, { slug: `due-${late}`, title: "Due", published: true, publishedAt }, now());
    let time = clock.time;
    Object.defineProperty(clock, "time", { get: () => time++, configurable: true }); // a millisecond passes each time the clock is read
    await list();
    Object.defineProperty(clock, "time", { value: time + minute, writable: true, configurable: true });
    expect(await slugs()).toContain(`due-${late}`);
  }
});

test("a post that is read again shows what has changed since, and is gone when it is unpublished", async () => {
  const { db, get, now } = await blog([{ slug: "letters", tags: ["Field Notes"] }]);
  const read = async () => {
    const answer = await get("/api/posts/letters");
    const { data } = (await answer.json()) as { data: { title: string; tags: { name: string }[] } | null };
    return [answer.status, data?.title, data?.tags.map(({ name }) => name)];
  };
  const save = (post: Partial<posts.NewPost>) =>
    posts.save(db, { slug: "letters", title: "Post 0", published: true, ...post }, now());
  for (let time = 0; time < 2; time++) expect(await read()).toEqual([200, "Post 0", ["Field Notes"]]);
  await save({ title: "On letters", tags: ["Field Notes"] });
  for (let time = 0; time < 2; time++) expect(await read()).toEqual([200, "On letters", ["Field Notes"]]);
  await save({ title: "On letters", tags: ["C++"] });
  expect(await read()).toEqual([200, "On letters", ["C++"]]);
  await save({ published: false });
  expect(await read()).toEqual([404, undefined, undefined]);
});
