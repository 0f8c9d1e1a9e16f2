import { expect, test } from "bun:test";
import { connected, fillSite } from "../../test/support/client/connected";
import * as apiKeys from "../../db/access/keys/api-keys";
import { look } from "../../test/support/look";
import { compile } from "../../test/support/typescript";
import { clientFolder } from "../../test/support/client/build";
import { createClient, isPostroomError } from "./client";
import type { Cache, Entry, ResponseEvent } from "./client";
import { type OperationId, sleep } from "./request";
import { routes } from "./routes";
import { smoke } from "../../test/support/client/smoke";

/** Resolves with the error that the call rejects with. */
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => (isPostroomError(error) ? error : Promise.reject(error)),
  );

const failure = (status: number, code: string, headers: Record<string, string> = {}, details?: unknown) =>
  Response.json({ success: false, data: null, error: { code, message: "No.", details } }, { status, headers });

const settings = () => Response.json({ success: true, data: { count: 0, settings: {} }, error: null });

/** Serves these answers in turn, and then the last one. */
function inTurn(...answers: (() => Response)[]) {
  let next = 0;
  return () => answers[Math.min(next++, answers.length - 1)]?.();
}

test("every operation of the document is called by a method or by its name, and arrives where the service has it", async () => {
  await using site = await connected({ part: 5 * 2 ** 20 });
  await fillSite(site.service);
  await smoke(site.url, site.key);
  await site.client.uploads.list();
  const { _meta } = await site.client.uploads.create({ filename: "a", mimeType: "text/plain", size: 5 });
  await site.client.uploads.renewUrl(_meta.reservationId);
  await site.client.uploads.partUrls(_meta.reservationId, { from: 1, to: 2 });
  await site.client.uploads.reportFailure(_meta.reservationId, { status: 507, code: "XMinioStorageFull" });
  expect((await site.client.uploads.abort(_meta.reservationId)).state).toBe("aborted");
  await fetch(site.client.projects.visitUrl("project-1"), { redirect: "manual" });
  const methods = new Set(operationsOf(site.paths()));

  const pages = Object.keys(routes).filter((id) => !methods.has(id));
  expect(pages.sort()).toEqual([
    "confirmSubscription",
    "confirmSubscriptionPage",
    "downloadFile",
    "downloadRecord",
    "getArchive",
    "getArchivePage",
    "getArchiveSitemap",
    "getContactPage",
    "getDocument",
    "getMedia",
    "getMetrics",
    "getReference",
    "getReferenceList",
    "getReferenceMarkdown",
    "getReferencePage",
    "getRobots",
    "getSitemapPart",
    "getSubscribePage",
    "leave",
    "leavePage",
    "preferencesPage",
    "receiveProviderReport",
    "resendConfirmation",
    "savePreferences",
    "searchReference",
    "submitContactForm",
    "submitSubscribeForm",
    "subscribeAgain",
    "subscribeAgainPage",
    "unsubscribe",
    "unsubscribePage",
    "watchPreview",
  ]);
  for (const id of pages.filter(isOperation)) {
    const input = {
      path: { slug: "rain", id: "x", filename: "x", page: "1" },
      query: { email: "a", token: "b", b: "c", preview: "d" },
    };
    await site.client.call(id, input as never).catch((error: unknown) => {
      if (!isPostroomError(error)) throw error;
    });
  }
  expect(operationsOf(site.paths()).sort()).toEqual(pages);
});

const isOperation = (id: string): id is OperationId => id in routes;

/** The operations that these requests are. */
const operationsOf = (requests: string[]) =>
  requests.map((request) => {
    const { pathname } = new URL(request.split(" ")[1] ?? "", "http://localhost");
    const isOf = (template: string) => new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(pathname);
    const candidates = Object.entries(routes).filter(([, route]) => {
      const [method, template = ""] = route.split(" ");
      return request.startsWith(`${method} `) && isOf(template);
    });
    // A literal path, such as /newsletter/subscribe, comes before one with a name in it
    return candidates.sort(([, a], [, b]) => a.split("{").length - b.split("{").length)[0]?.[0] ?? request;
  });

test("an operation that has no method is called by its name: data, status, headers", async () => {
  await using site = await connected();
  const { data, status, headers } = await site.client.call("getRobots");
  expect([data.includes("User-agent"), status, headers.get("content-type")]).toEqual([
    true,
    200,
    "text/plain; charset=utf-8",
  ]);
  const answer = await site.client.call("getReadiness");
  expect(answer.data.status).toBe("ready");
});

test("pages follow each other, and each item comes once", async () => {
  await using site = await connected();
  await fillSite(site.service);
  const slugs = async (client: typeof site.client) => {
    const all: string[] = [];
    for await (const { slug } of client.posts.all({ limit: 2 })) all.push(slug);
    return all;
  };
  const five = ["post-1", "post-2", "post-3", "post-4", "post-5"];
  expect(await slugs(site.client)).toEqual(five);
  expect(site.paths()).toHaveLength(3);
});

test("who stops reading stops asking", async () => {
  await using site = await connected();
  await fillSite(site.service);
  for await (const { slug } of site.client.posts.all({ limit: 2 })) if (slug === "post-2") break;
  expect(site.paths()).toHaveLength(1);
});

test("what did not change is the same object, and is sent once", async () => {
  const events: ResponseEvent[] = [];
  await using site = await connected({ onResponse: (event) => events.push(event) });
  await fillSite(site.service);
  const [once, twice] = [await site.client.posts.get("post-1"), await site.client.posts.get("post-1")];
  expect(once).not.toBeNull();
  expect(once === twice).toBe(true);
  const [first, second] = [await site.client.projects.list(), await site.client.projects.list()];
  expect(first.items === second.items).toBe(true);
  expect([second.total, second.etag]).toEqual([3, first.etag]);
  expect(events.map(({ status, fromCache }) => [status, fromCache])).toEqual([
    [200, false],
    [304, true],
    [200, false],
    [304, true],
  ]);
});

test("the cache is bounded, and belongs to one key", async () => {
  await using site = await connected({ cache: 2 });
  await fillSite(site.service);
  const read = async (slug: string) => {
    await site.client.projects.get(slug);
    return site.requests.splice(0)[0]?.headers.has("if-none-match");
  };
  expect([await read("project-1"), await read("project-2"), await read("project-1")]).toEqual([false, false, true]);
  expect([await read("project-3"), await read("project-1"), await read("project-2")]).toEqual([false, true, false]);

  const entries = new Map<string, Entry>();
  const cache: Cache = { get: (key) => entries.get(key), set: (key, entry) => void entries.set(key, entry) };
  const { "x-api-key": other = "" } = await site.service.key("Other");
  for (const key of [site.key, other]) await createClient({ baseUrl: site.url, key, cache }).projects.get("project-1");
  expect(site.requests.map(({ headers }) => headers.has("if-none-match"))).toEqual([false, false]);
  expect(entries.size).toBe(2);
  expect([...entries.keys()].join().includes(site.key)).toBe(false);
});

test.each([
  [1, [false, true, false, false]],
  [0, [false, false, false, false]],
])("with a cache for %d answers, a request is conditional if it has the last one", async (cache, conditional) => {
  await using site = await connected({ cache });
  await fillSite(site.service);
  for (const slug of ["post-1", "post-1", "post-2", "post-1"]) await site.client.posts.get(slug);
  expect(site.requests.map(({ headers }) => headers.has("if-none-match"))).toEqual(conditional);
});

test("what must not be stored, or is longer than a MiB, is not kept", async () => {
  const answer =
    (headers: Record<string, string>, text = "") =>
    () =>
      Response.json({ success: true, data: { text }, error: null }, { headers: { etag: '"1"', ...headers } });
  for (const [intercept, isKept] of [
    [answer({}), true],
    [answer({ "cache-control": "no-store" }), false],
    [answer({}, "x".repeat(2 ** 20)), false],
  ] as const) {
    await using site = await connected({ intercept });
    for (let i = 0; i < 2; i++) await site.client.settings.get();
    expect(site.requests.map(({ headers }) => headers.has("if-none-match"))).toEqual([false, isKept]);
  }
});

test.each([
  [429, "RATE_LIMITED"],
  [500, "INTERNAL_ERROR"],
  [502, "UPLOAD_FAILED"],
  [503, "OVERLOADED"],
])("%d is tried again: after a quarter of a second, then after twice that", async (status, code) => {
  await using site = await connected({
    intercept: inTurn(
      () => failure(status, code),
      () => failure(status, code),
      settings,
    ),
  });
  expect((await site.client.settings.get()).count).toBe(0);
  expect(site.waits).toEqual([250, 500]);
});

test("after the second retry, the error says how often it was tried", async () => {
  await using site = await connected({ intercept: () => failure(503, "OVERLOADED", { "x-request-id": "r1" }) });
  const error = await errorOf(site.client.settings.get());
  expect(error).toMatchObject({ code: "OVERLOADED", status: 503, attempts: 3, requestId: "r1", retryAfter: 0 });
  expect([error?.name, error?.message, site.requests.length]).toEqual(["PostroomError", "No.", 3]);
  expect(await errorOf(site.client.settings.get({ retries: 0 }))).toMatchObject({ attempts: 1 });
});

const inAMinute = () => new Date(Date.now() + 60_000).toUTCString();

test.each<[string, () => string, number[], number]>([
  ["a number of seconds", () => "7", [7_000, 7_000], 7],
  ["half a minute", () => "30", [30_000, 30_000], 30],
  ["more than half a minute", () => "31", [], 31],
  ["a date", inAMinute, [], 60],
  ["a date that has passed", () => "Fri, 21 Nov 2025 12:00:00 GMT", [250, 500], 0],
  ["nonsense", () => "soon", [250, 500], 0],
  ["a very long number", () => "9".repeat(5_000), [], 86_400],
])("Retry-After with %s", async (_, header, waits, seconds) => {
  await using site = await connected({ intercept: () => failure(429, "RATE_LIMITED", { "retry-after": header() }) });
  const error = await errorOf(site.client.settings.get());
  expect(site.waits).toEqual(waits);
  if (error?.code !== "RATE_LIMITED") throw new Error("another error");
  expect(seconds === 60 ? [59, 60] : [seconds]).toContain(error.retryAfter);
});

test("what a second call would do twice is not tried again, unless a key names it", async () => {
  await using site = await connected({ intercept: () => failure(500, "INTERNAL_ERROR") });
  const form = { name: "Ada", email: "ada@example.com", message: "Hello, is this on?" };
  expect(await errorOf(site.client.contact.send(form))).toMatchObject({ attempts: 3 });
  const keys = site.requests.splice(0).map(({ headers }) => headers.get("idempotency-key"));
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(keys).size).toBe(1);
  await errorOf(site.client.contact.send(form, { idempotencyKey: "mine" }));
  expect(site.requests.splice(0).map(({ headers }) => headers.get("idempotency-key"))).toEqual([
    "mine",
    "mine",
    "mine",
  ]);
  expect(await errorOf(site.client.newsletter.subscribe({ email: "ada@example.com" }))).toMatchObject({ attempts: 3 });
  expect(await errorOf(site.client.call("resendConfirmation", { query: { email: "a", token: "b" } }))).toMatchObject({
    attempts: 1,
  });
  const operations = await (await site.service.get("/openapi.json")).json();
  const keyed = JSON.stringify(operations).match(/"name":"Idempotency-Key"/g);
  expect(keyed).toHaveLength(4); // createUpload, sendContactMessage, createSubscriber and createSubscribers
});

test.each([
  [400, "VALIDATION_ERROR"],
  [404, "METHOD_NOT_ALLOWED"],
  [409, "CONFLICT"],
  [507, "INSUFFICIENT_STORAGE"],
])("%d is not tried again", async (status, code) => {
  await using site = await connected({ intercept: () => failure(status, code) });
  expect(await errorOf(site.client.settings.get())).toMatchObject({ code, status, attempts: 1 });
  expect(site.waits).toEqual([]);
});

test("a network that fails is tried again, and then told", async () => {
  const site = await connected();
  await site.close();
  const error = await errorOf(site.client.settings.get());
  expect(error).toMatchObject({ code: "NETWORK", status: 0, attempts: 3 });
  expect(error?.cause).toBeInstanceOf(Error);
  expect(site.waits).toEqual([250, 500]);
});

test("no answer in time is TIMEOUT, also if only the beginning came", async () => {
  const never = () => new Promise<Response>(() => {});
  await using silent = await connected({ intercept: never, timeout: 50, retries: 0 });
  expect(await errorOf(silent.client.settings.get())).toMatchObject({ code: "TIMEOUT", status: 0 });
  const beginning = () =>
    new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{")) }), {
      headers: { "content-type": "application/json" },
    });
  await using slow = await connected({ intercept: beginning, timeout: 50, retries: 0 });
  expect(await errorOf(slow.client.settings.get())).toMatchObject({ code: "TIMEOUT" });
});

test("an abort rejects with its own reason, before, during and between attempts", async () => {
  const reason = new Error("enough");
  await using site = await connected({ intercept: () => failure(503, "OVERLOADED") });
  const get = (signal: AbortSignal) => site.client.settings.get({ signal }).catch((error: unknown) => error);
  expect(await get(AbortSignal.abort(reason))).toBe(reason);
  expect(site.requests).toHaveLength(0);

  const between = new AbortController();
  await using pausing = await connected({
    intercept: () => failure(503, "OVERLOADED"),
    platform: { sleep: (_, signal) => (between.abort(reason), signal?.throwIfAborted(), Promise.resolve()) },
  });
  const call = pausing.client.settings.get({ signal: between.signal }).catch((error: unknown) => error);
  expect(await call).toBe(reason);
  expect(pausing.requests).toHaveLength(1);

  const during = new AbortController();
  await using silent = await connected({
    intercept: () => {
      during.abort(reason);
      return new Promise<Response>(() => {});
    },
  });
  expect(await silent.client.settings.get({ signal: during.signal }).catch((error: unknown) => error)).toBe(reason);
});

test("a wait ends when it is over, or when it is aborted", async () => {
  const { signal } = new AbortController();
  await sleep(1, signal);
  const reason = new Error("enough");
  const controller = new AbortController();
  const waiting = sleep(1_000_000, controller.signal).catch((error: unknown) => error);
  controller.abort(reason);
  expect(await waiting).toBe(reason);
  expect(await sleep(1_000_000, controller.signal).catch((error: unknown) => error)).toBe(reason);
});

test("what no service said is UNEXPECTED_ANSWER with its status, and only its beginning is read", async () => {
  let sent = 0;
  const endless = () =>
    new Response(
      new ReadableStream({
        pull(controller) {
          sent += 65_536;
          controller.enqueue(new Uint8Array(65_536).fill(0x20));
        },
      }),
      { status: 400, headers: { "content-type": "application/json" } },
    );
  await using site = await connected({ intercept: endless });
  expect(await errorOf(site.client.settings.get())).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 400 });
  expect(sent).toBeLessThan(64 * 2 ** 20);

  const page = () => new Response("<h1>Sign in to the Wi-Fi</h1>", { headers: { "content-type": "text/html" } });
  await using captive = await connected({ intercept: page });
  expect(await errorOf(captive.client.settings.get())).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 200 });
  const bad = () => new Response("Bad gateway", { status: 502 });
  await using proxied = await connected({ intercept: bad });
  expect(await errorOf(proxied.client.settings.get())).toMatchObject({
    code: "UNEXPECTED_ANSWER",
    status: 502,
    attempts: 3,
  });
});

test("a redirect, such as to https, is not taken for an answer: nothing was stored, and no list is empty", async () => {
  const moved = () => new Response(null, { status: 301, headers: { location: "https://site.example/" } });
  await using site = await connected({ intercept: moved });
  const { contact, files, newsletter, posts, settings } = site.client;
  const message = { name: "Ada", email: "ada@example.com", message: "Hello, good morning." };
  for (const call of [
    () => newsletter.subscribe({ email: "ada@example.com" }),
    () => contact.send(message),
    () => posts.list(),
    () => posts.get("tides"),
    () => files.link("1"),
    () => settings.get(),
  ])
    expect(await errorOf(call())).toMatchObject({ code: "UNEXPECTED_ANSWER", status: 301 });
  const visit = await site.client.call("visitProject", { path: { slug: "tide" } }); // what it answers with
  expect([visit.status, visit.headers.get("location")]).toEqual([301, "https://site.example/"]);
});

test("details are those of the fields, and a refused scope is named", async () => {
  await using site = await connected();
  expect(await errorOf(site.client.newsletter.subscribe({ email: "ada" }))).toMatchObject({
    code: "VALIDATION_ERROR",
    status: 400,
    details: [{ field: "email", message: expect.any(String) }],
  });
  await using narrow = await connected({
    intercept: () =>
      failure(403, "FORBIDDEN", {}, [
        { field: "scope", message: "files:write" },
        "nonsense",
        null,
        { field: "mute" },
        { message: "homeless" },
      ]),
  });
  expect(await errorOf(narrow.client.settings.get())).toMatchObject({
    code: "FORBIDDEN",
    scope: "files:write",
    details: [{ field: "scope", message: "files:write" }],
  });
});

test("a name that leads elsewhere in a URL is the name of nothing", async () => {
  await using site = await connected();
  await fillSite(site.service);
  for (const name of ["", ".", ".."]) expect(await site.client.projects.get(name)).toBeNull();
  expect(site.requests).toEqual([]);
  expect(await site.client.posts.get("../v1/settings?x=1#y")).toBeNull();
  expect(site.paths()).toEqual(["GET /api/posts/..%2Fv1%2Fsettings%3Fx%3D1%23y"]);
});

test("the key goes to what needs it, and to nothing else", async () => {
  await using site = await connected();
  await fillSite(site.service);
  const sent = () => site.requests.splice(0).map(({ headers }) => headers.has("x-api-key"));
  await site.client.posts.get("post-1");
  await site.client.feeds.rss();
  expect(sent()).toEqual([false, false]);
  await site.client.settings.get();
  expect(sent()).toEqual([true]);
});

test("a visitor is named where a visit counts, and only with a key", async () => {
  await using site = await connected({ headers: { "x-site": "blog" } });
  await fillSite(site.service);
  const named = () =>
    site.requests
      .splice(0)
      .map(({ headers }) =>
        ["x-api-key", "postroom-visitor-address", "postroom-visitor-agent", "x-site", "postroom-visitor-referrer"].map(
          (name) => headers.get(name),
        ),
      );
  const seen = new Headers({ "user-agent": "Firefox", referer: "https://news.example/" });
  const ada = site.client.for({ address: "192.0.2.7", headers: seen });
  await ada.posts.get("post-1");
  expect(named()).toEqual([[site.key, "192.0.2.7", "Firefox", "blog", "https://news.example/"]]);
  await ada.settings.get();
  expect(named()).toEqual([[site.key, null, null, "blog", null]]);
  await site.client.posts.get("post-1");
  expect(site.requests[0]?.headers.has("if-none-match")).toBe(true); // the cache is shared
  expect(named()).toEqual([[null, null, null, "blog", null]]);
  await createClient({ baseUrl: site.url }).for({ address: "192.0.2.7" }).posts.get("post-1");
  expect(named()[0]?.slice(0, 3)).toEqual([null, null, null]);
});

test("two visitors of a site are two views, and a prefetch is none, if the key may name them", async () => {
  await using site = await connected();
  await fillSite(site.service);
  const { db, now, counters } = site.service;
  const views = async () => {
    await counters.flush();
    return (await look<{ views: number }>(db, "select views from posts where slug = 'post-1'"))[0]?.views;
  };
  const readBy = async (key: string) => {
    const client = createClient({ baseUrl: site.url, key, cache: 0 });
    const headers = new Headers({
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    });
    for (const address of ["8.8.8.8", "8.8.4.4", "8.8.8.8"]) await client.for({ address, headers }).posts.get("post-1");
    const prefetch = new Headers([...headers, ["sec-purpose", "prefetch"]]);
    const answer = await client
      .for({ address: "9.9.9.9", headers: prefetch })
      .call("getPost", { path: { slug: "post-1" } });
    return answer.headers.get("postroom-visitor");
  };
  const { key } = await apiKeys.generate(db, { prefix: "site", name: "Blog", scopes: ["visitors"] }, now());
  expect([await readBy(key), await views()]).toEqual(["used", 2]);
  expect([await readBy(site.key), await views()]).toEqual(['ignored; reason="scope"', 3]); // one more for the site itself
});

test("in a page, a key is refused unless one insists, and redirects are followed by the browser", async () => {
  const options = { baseUrl: "http://localhost:3000", key: "site_live_x" };
  Object.assign(globalThis, { document: {} });
  try {
    expect(() => createClient(options)).toThrow("Keys are for servers");
    expect(createClient({ ...options, inBrowser: true }).settings).toBeDefined();
  } finally {
    Reflect.deleteProperty(globalThis, "document");
  }
  const modes: unknown[] = [];
  const post = { slug: "new", content: "Text" };
  const visitors = createClient({
    baseUrl: "http://localhost:3000",
    async fetch(_, { redirect }) {
      modes.push(redirect);
      const hidden = Object.defineProperty(new Response(null), "type", { value: "opaqueredirect" });
      return redirect === "manual" ? hidden : Response.json({ success: true, data: post, error: null });
    },
  });
  expect((await visitors.posts.get("old"))?.slug).toBe("new");
  expect(modes).toEqual(["manual", "follow"]);
});

test("hooks see every attempt, and what the service hints at", async () => {
  const seen: unknown[] = [];
  await using site = await connected({
    onRequest: ({ attempt }) => seen.push(["request", attempt]),
    onResponse: ({ attempt, status, hint }) => seen.push(["response", attempt, status, hint]),
    intercept: inTurn(
      () => failure(503, "OVERLOADED"),
      () => undefined as never,
    ),
  });
  await site.client.posts.list({ page: 2 } as never);
  expect(seen).toEqual([
    ["request", 1],
    ["response", 1, 503, undefined],
    ["request", 2],
    ["response", 2, 200, '"page" is not read; use "cursor"'],
  ]);
});

test("what a hook or a cache throws is not taken for the network", async () => {
  const problem = new Error("The cache is away");
  const throws = () => {
    throw problem;
  };
  for (const options of [{ onRequest: throws }, { onResponse: throws }, { cache: { get: throws, set: throws } }]) {
    await using site = await connected(options);
    expect(await site.client.settings.get().catch((error: unknown) => error)).toBe(problem);
    expect(site.requests.length).toBeLessThan(2);
  }
});

test("posts and their feeds are read at blogUrl, and a path below a host is kept", async () => {
  const urls: string[] = [];
  const client = createClient({
    baseUrl: "https://site.example/postroom/",
    blogUrl: new URL("https://blog.example"),
    key: "k",
    async fetch(url) {
      urls.push(url);
      return settings();
    },
  });
  await client.settings.get();
  await client.posts.get("a");
  await client.feeds.rss();
  expect(urls).toEqual([
    "https://site.example/postroom/api/v1/settings",
    "https://blog.example/api/posts/a",
    "https://blog.example/rss.xml",
  ]);
});

const usage = `
import { createClient, isPostroomError, type PostroomError, type ErrorCode } from "./client";
const client = createClient({ baseUrl: "https://site.example", key: "k" });
export function told(error: unknown): string {
  if (!isPostroomError(error)) throw error;
  switch (error.code) {
    case "RATE_LIMITED": case "OVERLOADED": return error.retryAfter.toFixed();
    case "FORBIDDEN": return error.scope ?? "";
    case "INVALID_JSON": case "VALIDATION_ERROR": return error.details.map(({ field }) => field).join();
    case "UNAUTHORIZED": case "NOT_FOUND": case "METHOD_NOT_ALLOWED": case "CONFLICT": case "PAYLOAD_TOO_LARGE":
    case "INTERNAL_ERROR": case "UPLOAD_FAILED": case "INSUFFICIENT_STORAGE": case "STORAGE_REFUSED":
    case "NETWORK": case "TIMEOUT": case "UNEXPECTED_ANSWER": return error.message;
    default: { const none: never = error; return none; }
  }
}
type Codes = import("./schema").components["schemas"]["Error"]["code"];
export const all: Exclude<Codes, ErrorCode> extends never ? true : false = true;
export const status: Extract<PostroomError, { code: "CONFLICT" }>["status"] = 409;
export const title = async () => (await client.posts.list({ tag: "a" })).items[0]?.title.trim();
export const total = async (): Promise<number> => (await client.posts.list()).total;
export const people = async (): Promise<number | null> => (await client.newsletter.subscribers.list({ count: true })).total;
export const views = async () => (await client.call("getPost", { path: { slug: "a" } })).data.views + 1;
`;
const misuse = `
import { createClient } from "./client";
const visitors = createClient({ baseUrl: "https://site.example" });
export const a = visitors.settings;
export const b = visitors.newsletter.subscribe({ name: "Ada" });

export const d = visitors.call("getPost", { path: {} });
const { subscribers } = createClient({ baseUrl: "https://site.example", key: "k" }).newsletter;
export const e = subscribers.create({ email: "ada@example.com" });
export const f = async (): Promise<number> => (await subscribers.list()).total;
`;

test("every code of the document narrows under strict, and what needs a key does not exist without one", async () => {
  const files: Record<string, string> = { "/usage.ts": usage, "/misuse.ts": misuse };
  for (const name of ["client.ts", "request.ts", "upload.ts", "webhook.ts", "routes.ts", "schema.d.ts"])
    files[`/${name}`] = await Bun.file(`${clientFolder}/${name}`).text();
  expect(compile(files)).toEqual([
    expect.stringContaining("/misuse.ts:4 Property 'settings' does not exist"),
    expect.stringContaining("/misuse.ts:5 "),
    expect.stringContaining("/misuse.ts:7 "),
    expect.stringContaining("/misuse.ts:9 "),
    expect.stringContaining("/misuse.ts:10 "),
  ]);
});
