import { expect, test } from "bun:test";
import * as projects from "../../db/projects/projects";
import { testService } from "../../test/support/service";

type Item = { slug: string; clicks: number };

async function portfolio(given: (Partial<projects.NewProject> & { slug: string })[]) {
  const service = await testService();
  for (const project of given)
    await projects.save(service.db, { title: project.slug, status: "PUBLISHED", ...project }, service.now());
  const header = await service.key();
  const list = (query = "", headers = {}) => service.get(`/api/v1/projects${query}`, { ...header, ...headers });
  const items = async (query = "") =>
    ((await (await list(query)).json()) as { data: { projects: Item[] } }).data.projects;
  const slugs = async (query = "") => (await items(query)).map(({ slug }) => slug);
  return { ...service, header, items, list, slugs };
}

test("one published project is read by its slug, as it is in the list", async () => {
  const { get, header, items } = await portfolio([{ slug: "tide" }, { slug: "draft", status: "DRAFT" }]);
  const one = await get("/api/v1/projects/tide", header);
  expect([one.status, await one.json()]).toEqual([200, { success: true, error: null, data: (await items())[0] }]);
  const condition = { ...header, "if-none-match": one.headers.get("etag") ?? "" };
  expect((await get("/api/v1/projects/tide", condition)).status).toBe(304);
  for (const slug of ["draft", "none"]) expect((await get(`/api/v1/projects/${slug}`, header)).status).toBe(404);
  expect((await get("/api/v1/projects/tide")).status).toBe(401);
});

test("a list item is the Project of the contract, and nothing else", async () => {
  const project = {
    slug: "tide-table",
    title: "Tide Table",
    description: "A clock.",
    imageUrl: "/tide.jpg",
    liveUrl: "https://tide.example",
    githubUrl: "https://github.example/tide",
    featured: true,
    tech: ["TypeScript", "SQLite"],
    author: "Ada",
  };
  const { list } = await portfolio([{ ...project, displayOrder: 7 }]);
  const answer = await list();
  const time = "2026-11-21T12:00:00.000Z";
  expect([answer.status, await answer.json()]).toEqual([
    200,
    {
      success: true,
      error: null,
      data: {
        count: 1,
        projects: [
          { ...project, id: expect.any(String), status: "PUBLISHED", clicks: 0, createdAt: time, updatedAt: time },
        ],
      },
    },
  ] as never);
});

test("featured first, then by display order, then the newest; only published ones", async () => {
  const day = (n: number) => new Date(Date.UTC(2026, 0, n));
  const { slugs } = await portfolio([
    { slug: "old", displayOrder: 1, createdAt: day(1) },
    { slug: "new", displayOrder: 1, createdAt: day(2) },
    { slug: "first", displayOrder: 0, createdAt: day(1) },
    { slug: "below", displayOrder: -1, createdAt: day(1) },
    { slug: "star", displayOrder: 9, createdAt: day(1), featured: true },
    { slug: "draft", status: "DRAFT" },
    { slug: "archived", status: "ARCHIVED", featured: true },
  ]);
  const all = ["star", "below", "first", "new", "old"];
  expect(await slugs()).toEqual(all);
  expect(await slugs("?featured=true")).toEqual(["star"]);
  expect(await slugs("?featured=false")).toEqual(all.slice(1));
});

test.each(["1", "yes", "TRUE", "", "true&featured=false"])("featured=%s is a 400 (D21)", async (featured) => {
  const { list } = await portfolio([]);
  const answer = await list(`?featured=${featured}`);
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { success: false, data: null, error: { code: "VALIDATION_ERROR", details: [{ field: "featured" }] } },
  ]);
});

test("fifty projects without a limit, a hundred at most, the rest by Link", async () => {
  const names = Array.from({ length: 120 }, (_, i) => ({ slug: `p${i}`, featured: i % 2 === 0, displayOrder: i % 7 }));
  const { get, header, list, slugs } = await portfolio(names);
  expect(await slugs()).toHaveLength(50);
  expect((await list("?limit=101")).status).toBe(400);

  const seen: string[] = [];
  for (let url: string | undefined = "/api/v1/projects?limit=33"; url;) {
    const answer: Response = await get(url, header);
    expect(answer.headers.get("x-total-count")).toBe("120");
    seen.push(...((await answer.json()) as { data: { projects: Item[] } }).data.projects.map(({ slug }) => slug));
    url = /^<(http:\/\/localhost:3000\/[^>]+)>; rel="next"$/.exec(answer.headers.get("link") ?? "")?.[1];
  }
  expect(seen).toEqual([...(await slugs("?limit=100")), ...seen.slice(100)]);
  expect([seen.length, new Set(seen).size]).toEqual([120, 120]);
});

test("an unchanged list is a 304; a click makes a new one once it is written", async () => {
  const { counters, get, list } = await portfolio([{ slug: "a", liveUrl: "https://a.example/" }]);
  const etag = (await list()).headers.get("etag") ?? "";
  expect((await list("", { "if-none-match": etag })).status).toBe(304);
  await get("/api/projects/a/visit");
  await counters.flush();
  expect((await list("", { "if-none-match": etag })).status).toBe(200);
});

test("a visit leads to the project and counts once a day for each visitor; HEAD, prefetch and bots do not", async () => {
  const { counters, get, items, send } = await portfolio([{ slug: "a", liveUrl: "https://a.example/x?y=1" }]);
  const path = "/api/projects/a/visit";
  const answer = await get(path, {}, "198.51.100.1");
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "https://a.example/x?y=1"]);
  await get(path, {}, "198.51.100.1");
  await get(path, {}, "198.51.100.2");
  expect((await send(path, { method: "HEAD" }, "198.51.100.3")).status).toBe(302);
  await get(path, { purpose: "prefetch" }, "198.51.100.3");
  await get(path, { "user-agent": "bingbot/2.0" }, "198.51.100.3");
  await counters.flush();
  expect((await items())[0]?.clicks).toBe(2);
});

test.each(["javascript:alert(1)", "data:text/html,x", "ftp://a.example", "//a.example", "", "not a url"])(
  "nobody is sent to %j",
  async (liveUrl) => {
    const { get } = await portfolio([{ slug: "a", liveUrl }]);
    const answer = await get("/api/projects/a/visit");
    expect([answer.status, answer.headers.get("location"), await answer.json()]).toEqual([
      ...[404, null],
      { success: false, data: null, error: { code: "NOT_FOUND", message: expect.any(String) } },
    ] as never);
  },
);

test("an unpublished project cannot be visited", async () => {
  const { get } = await portfolio([{ slug: "draft", status: "DRAFT", liveUrl: "https://a.example" }]);
  expect((await get("/api/projects/draft/visit")).status).toBe(404);
  expect((await get("/api/projects/unknown/visit")).status).toBe(404);
});

test("saving again changes the project of that slug and keeps its clicks and what is not given", async () => {
  const { db, now } = await portfolio([{ slug: "a", author: "Ada", clicks: 5 }]);
  const saved = await projects.save(db, { slug: "a", title: "New", clicks: 0 }, now());
  expect(saved).toMatchObject({ title: "New", author: "Ada", clicks: 5, status: "PUBLISHED" });
});
