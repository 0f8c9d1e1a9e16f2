import { afterAll, expect, test } from "bun:test";
import * as apiKeys from "../../db/access/keys/api-keys";
import { callersOf } from "../../db/access/keys/callers";
import * as posts from "../../db/posts/posts";
import * as projects from "../../db/projects/projects";
import { isOnPostgres, look } from "../../test/support/look";
import { nextPeer, testService } from "../../test/support/service";
import { limits } from "./limits/limits";
import { openLimits } from "./limits/open";

const servers: Bun.Server<undefined>[] = [];
afterAll(() => Promise.all(servers.map((server) => server.stop(true))));

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const visitor = (address: string, agent = firefox) => ({
  "postroom-visitor-address": address,
  "postroom-visitor-agent": agent,
});
/** An address of its own for each number. */
const addressOf = (n: number) => `8.8.${n >> 8}.${n & 255}`;
const message = { name: "Ada", message: "Hello, good morning." };

async function service() {
  const own = await testService();
  const { counters, db, now } = own;
  await posts.save(db, { slug: "tides", title: "Tides", published: true, publishedAt: now(), content: "" }, now());
  await projects.save(
    db,
    { slug: "tide", title: "Tide", status: "PUBLISHED", liveUrl: "https://tide.example", tech: [] },
    now(),
  );
  const keyWith = async (limits: apiKeys.KeyLimits) => {
    const { key, row } = await apiKeys.generate(db, { prefix: "site", name: "Blog", ...limits }, now());
    return { header: { "x-api-key": key }, id: row.id };
  };
  const site = await keyWith({ scopes: ["visitors"] });
  const views = async () => {
    await counters.flush();
    return (await look<{ views: number }>(db, "select views from posts"))[0]?.views;
  };
  const read = (headers: Record<string, string>, peer?: string) => own.get("/api/posts/tides", headers, peer);
  let people = 0;
  const subscribe = (headers: Record<string, string>, peer?: string) =>
    own.post("/api/newsletter/subscribe", { email: `ada${people++}@example.com` }, headers, peer);
  return { ...own, keyWith, site, views, read, subscribe };
}

/** Postroom on one port, and a blog on another that renders posts and takes forms for its visitors. */
async function hosts(own: Awaited<ReturnType<typeof service>>, key: Record<string, string>) {
  const postroom: Bun.Server<undefined> = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => own.app.handle(request, postroom),
  });
  const blog = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch({ headers, method, url, body }) {
      const named = visitor(headers.get("x-forwarded-for") ?? "", headers.get("user-agent") ?? "");
      const { pathname } = new URL(url);
      const sent = { ...key, ...named, ...(method === "POST" && { "content-type": "application/json" }) };
      const answer = await fetch(`http://127.0.0.1:${postroom.port}${pathname}`, { method, headers: sent, body });
      return new Response(await answer.text(), { status: answer.status });
    },
  });
  servers.push(postroom, blog);
  return async (pathname: string, address: string, form?: object) => {
    const headers = { "x-forwarded-for": address, "user-agent": firefox };
    const sent = form && { method: "POST", body: JSON.stringify(form) };
    const answer = await fetch(`http://127.0.0.1:${blog.port}${pathname}`, { headers, ...sent });
    await answer.text();
    return answer.status;
  };
}

/** So many at a time, so that none is told to come back later. */
async function each<T>(count: number, work: (n: number) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  for (let n = 0; n < count; n += 100)
    done.push(...(await Promise.all(Array.from({ length: Math.min(100, count - n) }, (_, i) => work(n + i)))));
  return done;
}

test("100 visitors through a blog on another host are 100 views and no wrong 429", async () => {
  const own = await service();
  const visit = await hosts(own, own.site.header);
  for (let again = 0; again < 2; again++)
    expect(new Set(await each(100, (n) => visit("/api/posts/tides", addressOf(n))))).toEqual(new Set([200]));
  expect(await own.views()).toBe(100);
  const subscribed = each(30, (n) => visit("/api/newsletter/subscribe", addressOf(n), { email: `a${n}@example.com` }));
  expect(new Set(await subscribed)).toEqual(new Set([201]));
  const written = each(30, (n) => visit("/api/contact", addressOf(n), { ...message, email: `a${n}@example.com` }));
  expect(new Set(await written)).toEqual(new Set([201]));
});

test("without the scope they are one visitor: one view, and five forms for all of them", async () => {
  const own = await service();
  const { header } = await own.keyWith({});
  const visit = await hosts(own, header);
  await each(100, (n) => visit("/api/posts/tides", addressOf(n)));
  expect(await own.views()).toBe(1);
  const statuses = await each(30, (n) =>
    visit("/api/newsletter/subscribe", addressOf(n), { email: `a${n}@example.com` }),
  );
  expect(statuses.filter((status) => status === 201)).toHaveLength(5);
});

test("a visitor has five forms in ten minutes, through whatever site, or none", async () => {
  const { site, subscribe, keyWith } = await service();
  const other = await keyWith({ scopes: ["visitors"] });
  for (const header of [site.header, other.header])
    for (let n = 0; n < 2; n++) expect((await subscribe({ ...header, ...visitor("8.8.8.8") })).status).toBe(201);
  expect((await subscribe({}, "8.8.8.8")).status).toBe(201);
  const sixth = await subscribe({ ...site.header, ...visitor("::ffff:8.8.8.8") });
  expect([sixth.status, sixth.headers.get("ratelimit-policy")]).toEqual([429, '"subscribe";q=5;w=600']);
  expect((await subscribe({ ...site.header, ...visitor("8.8.4.4") })).status).toBe(201);
});

test("IPv6 counts by /64", async () => {
  const { site, subscribe } = await service();
  const statusOf = async (address: string) => (await subscribe({ ...site.header, ...visitor(address) })).status;
  for (let n = 1; n <= 5; n++) expect(await statusOf(`2a00:1450:0:1::${n}`)).toBe(201);
  expect([await statusOf("2a00:1450:0:1:ffff::"), await statusOf("2a00:1450:0:2::1")]).toEqual([429, 201]);
});

test("clicks count for the named visitor, and an Idempotency-Key is theirs", async () => {
  const { counters, db, get, post, site } = await service();
  for (const address of ["8.8.8.8", "8.8.4.4", "8.8.8.8"])
    await get("/api/projects/tide/visit", { ...site.header, ...visitor(address) }, "192.0.2.1");
  await counters.flush();
  expect(await look(db, "select clicks from projects")).toEqual([{ clicks: 2 }]);
  const write = async (address: string, words: string) => {
    const headers = { ...site.header, ...visitor(address), "idempotency-key": "1" };
    const body = { ...message, email: "ada@example.com", message: words };
    return (await post("/api/contact", body, headers, "192.0.2.1")).status;
  };
  expect([
    await write("8.8.8.8", "Hello, good morning."),
    await write("8.8.4.4", "Hello, good evening."),
    await write("8.8.8.8", "Hello, good evening."),
  ]).toEqual([201, 201, 409]);
});

test.each([
  ["8.8.8.8", "used"],
  ["2a00:1450::1", "used"],
  ["::ffff:8.8.8.8", "used"],
  ["", 'ignored; reason="address"'],
  ["8.8.8.8:443", 'ignored; reason="address"'],
  ["8.8.8.8, 8.8.4.4", 'ignored; reason="address"'],
  ["[2a00:1450::1]", 'ignored; reason="address"'],
  ["fe80::1%eth0", 'ignored; reason="address"'],
  ["ada.example.com", 'ignored; reason="address"'],
  ["10.0.0.7", 'ignored; reason="private"'],
  ["127.0.0.1", 'ignored; reason="private"'],
  ["::ffff:192.168.1.1", 'ignored; reason="private"'],
  ["100.64.0.1", 'ignored; reason="private"'],
  ["203.0.113.9", 'ignored; reason="private"'],
  ["fd00::1", 'ignored; reason="private"'],
  ["::1", 'ignored; reason="private"'],
])("the visitor %p is answered with %s, on each of the four endpoints", async (address, answer) => {
  const { get, post, site } = await service();
  const headers = { ...site.header, ...visitor(address) };
  const answers = [
    await get("/api/posts/tides", headers),
    await get("/api/projects/tide/visit", headers),
    await post("/api/newsletter/subscribe", { email: "ada@example.com" }, headers),
    await post("/api/contact", { ...message, email: "ada@example.com" }, headers),
  ];
  expect(answers.map((one) => one.headers.get("postroom-visitor"))).toEqual([answer, answer, answer, answer]);
});

test("an ignored visitor leaves the client's own address in place", async () => {
  const { keyWith, read, site, views } = await service();
  const { header } = await keyWith({});
  for (const headers of [
    { ...site.header, ...visitor("10.0.0.7") },
    { ...site.header, ...visitor("8.8.8.8:443") },
    { ...header, ...visitor("8.8.8.8") },
    { ...site.header, "postroom-visitor-agent": "Another" },
  ])
    await read({ "user-agent": firefox, ...headers }, "192.0.2.1");
  expect(await views()).toBe(1);
});

test("with no key, or one that is not accepted, nothing is taken from the headers, and nothing says so", async () => {
  const { clock, db, keyWith, now, read, views } = await service();
  const inactive = await keyWith({ scopes: ["visitors"] });
  await apiKeys.deactivate(db, inactive.id, { actor: "cli" }, now());
  const expired = await keyWith({ scopes: ["visitors"], expiresAt: new Date(clock.time) });
  const elsewhere = await keyWith({ scopes: ["visitors"], networks: ["198.51.100.0/24"] });
  const headers = [{}, { "x-api-key": "unknown" }, inactive.header, expired.header, elsewhere.header];
  for (const [n, header] of headers.entries()) {
    const answer = await read({ "user-agent": firefox, ...header, ...visitor(addressOf(n)) }, "192.0.2.1");
    expect([answer.status, answer.headers.get("postroom-visitor")]).toEqual([200, null]);
  }
  expect(await views()).toBe(1);
  expect(
    (await read({ ...elsewhere.header, ...visitor("8.8.8.8") }, "198.51.100.1")).headers.get("postroom-visitor"),
  ).toBe("used");
});

test("a key without the scope is told so, and its other calls are as before", async () => {
  const { keyWith, get, read } = await service();
  const { header } = await keyWith({});
  const told = async (headers: Record<string, string>) => (await read(headers)).headers.get("postroom-visitor");
  expect([await told({ ...header, ...visitor("8.8.8.8") }), await told(header), await told({})]).toEqual([
    ...['ignored; reason="scope"', null, null],
  ]);
  const keyed = await get("/api/v1/settings", { ...header, ...visitor("8.8.8.8") });
  expect([keyed.status, keyed.headers.get("postroom-visitor")]).toEqual([200, null]);
});

test("all visitors of a key together have 60 forms in ten minutes; who is above their own five uses up none", async () => {
  const { clock, site, subscribe, keyWith } = await service();
  const status = async (n: number, header = site.header) =>
    (await subscribe({ ...header, ...visitor(addressOf(n)) })).status;
  const spammer = await each(20, () => status(0));
  expect(spammer.filter((each) => each === 201)).toHaveLength(5);
  const others = await each(55, (n) => status(n + 1));
  expect(others.filter((each) => each !== 201)).toEqual([]);
  const refused = await subscribe({ ...site.header, ...visitor(addressOf(99)) });
  expect([refused.status, refused.headers.get("postroom-visitor"), refused.headers.get("ratelimit-policy")]).toEqual([
    ...[429, 'ignored; reason="limit"', '"visitor-forms";q=60;w=600'],
  ]);
  expect(await status(100, (await keyWith({ scopes: ["visitors"] })).header)).toBe(201);
  clock.time += 600_000;
  expect(await status(101)).toBe(201);
});

test("a restart does not forget the forms of a key; those that were refused do not count", async () => {
  const { config, db, now, site, subscribe } = await service();
  await each(20, () => subscribe({ ...site.header, ...visitor(addressOf(0)) }));
  await each(30, (n) => subscribe({ ...site.header, ...visitor(addressOf(n + 1)) }));
  await db.settled();
  const { attempt } = await openLimits({ config, db, now });
  const admitted = await each(40, async () => (await attempt(limits.visitorForms, site.id)).verdict.admitted);
  expect(admitted.filter(Boolean)).toHaveLength(25);
});

test("above the limit of the key, visitors it invents take up no memory and are not stored", async () => {
  const { db, site, subscribe } = await service();
  const statuses = await each(80, async (n) => (await subscribe({ ...site.header, ...visitor(addressOf(n)) })).status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  const hits = isOnPostgres ? "rate_limit_windows" : "rate_limit_hits";
  const clients = await look(db, `select count(*) n from ${hits} where "limit" = 'subscribe'`);
  expect(clients).toEqual([{ n: 60 }]);
});

test("all visitors of a key together have 3,000 views a minute", async () => {
  const { clock, read, site } = await service();
  const view = async (n: number) => {
    const answer = await read({ ...site.header, ...visitor(addressOf(n)) });
    return `${answer.status} ${answer.headers.get("postroom-visitor")}`;
  };
  expect(new Set(await each(3_000, view))).toEqual(new Set(["200 used"]));
  expect(await view(3_000)).toBe('429 ignored; reason="limit"');
  expect((await read({}, "192.0.2.1")).status).toBe(200);
  clock.time += isOnPostgres ? 65_000 : 60_000; // a block of requests expires five seconds later
  expect(await view(3_000)).toBe("200 used");
});

test("bots and prefetches are not counted: the agent is the visitor's, the purpose the call's own", async () => {
  const { read, site, views } = await service();
  await read({ ...site.header, ...visitor("8.8.8.8", "Googlebot/2.1") });
  await read({ ...site.header, ...visitor("8.8.8.8"), "sec-purpose": "prefetch" });
  expect(await views()).toBe(0);
  await read({ ...site.header, ...visitor("8.8.8.8"), "user-agent": "Googlebot/2.1" });
  expect(await views()).toBe(1);
});

test("the log has the caller, the key and the visitor's hash, and consent the key too; the key's use is on record", async () => {
  const { counters, db, logged, site, subscribe } = await service();
  await subscribe({ ...site.header, ...visitor("8.8.8.8") }, "192.0.2.1");
  const line = logged.findLast(({ event }) => event === "request");
  expect(line).toMatchObject({ peer: "192.0.2.1", onBehalf: site.id, visitor: expect.stringMatching(/^[\w-]{43}$/) });
  expect(JSON.stringify(logged)).not.toContain("8.8.8.8");
  await subscribe({}, "8.8.8.8");
  const [named, direct] = await look<{ network: string; user_agent: string; api_key_id: string }>(
    db,
    "select network, user_agent, api_key_id from subscriber_events where kind = 'subscribed' order by id",
  );
  expect([named?.api_key_id, direct?.api_key_id, named?.user_agent]).toEqual([site.id, null, firefox] as never);
  expect(named?.network).toBe(direct?.network ?? "");
  await counters.flush();
  expect((await apiKeys.byId(db, site.id))?.lastUsedAt).not.toBeNull();
  expect(await callersOf(db, site.id)).toMatchObject([
    { network: "192.0.2.0/24", route: "POST /api/newsletter/subscribe", outcome: "accepted" },
  ]);
});

test("what is not on behalf of visitors ignores them: sign-in, links of emails, the networks of keys", async () => {
  const { get, keyWith, post, site } = await service();
  const headers = { ...site.header, ...visitor("8.8.8.8") };
  const peer = nextPeer();
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) {
    const guess = { email: "owner@example.com", password: "wrong", next: "" };
    const more = { ...headers, ...visitor(addressOf(n)), "sec-fetch-site": "same-origin" };
    statuses.push((await post("/dashboard/sign-in", guess, more, peer)).status);
  }
  expect(statuses.at(-1)).toBe(429);
  expect(
    (await get("/api/newsletter/unsubscribe?email=a@b.example&token=x", headers)).headers.get("postroom-visitor"),
  ).toBe(null);
  const bound = await keyWith({ networks: ["8.8.8.8"] });
  expect((await get("/api/v1/settings", { ...bound.header, ...visitor("8.8.8.8") }, "192.0.2.1")).status).toBe(401);
});
