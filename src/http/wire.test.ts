import { afterAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { nextPeer, testService } from "../../test/support/service";
import { everything, look } from "../../test/support/look";

const service = await testService({ DATA_DIR: tmpdir(), CORS_ORIGINS: "https://friend.example" });
const { app, db, get, key, send } = service;
/** Called when a request has reached the service. */
let arrived = () => {};
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const answer = app.handle(request, nextPeer());
    arrived();
    return answer;
  },
});
afterAll(() => server.stop(true));

const routes = (await app.routes()).map(({ method, path }) => ({
  method,
  path: path.replace(/:\w+/g, "x").replace("*", "x"),
  template: path,
}));
const paths = [...new Set(routes.map(({ path }) => path))];
const keyed = await key();

const required: Record<string, RegExp> = {
  "content-security-policy": /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'; base-uri 'none'$/,
  "x-content-type-options": /^nosniff$/,
  "referrer-policy": /^(same-origin|no-referrer)$/,
  "cross-origin-opener-policy": /^same-origin$/,
  "cross-origin-resource-policy": /^(same-origin|cross-origin)$/,
  "permissions-policy": /camera=\(\)/,
  "x-request-id": /^[\w-]{36}$/,
};

/** How the response's headers differ from D38. */
function missing(response: Response): string[] {
  const lacks = Object.entries(required).filter(([name, value]) => !value.test(response.headers.get(name) ?? ""));
  const tells = ["server", "x-powered-by", "x-unrouted"].filter((name) => response.headers.has(name));
  return [...lacks.map(([name]) => `no ${name}`), ...tells.map((name) => `tells ${name}`)];
}

const big = "x".repeat(64 * 1024 + 1);
const json = { "content-type": "application/json" };

test("every response of every route has the headers of D38: valid, malformed, too large, with a key, with the wrong method", async () => {
  const problems: string[] = [];
  for (const { method, path } of routes) {
    const body = method === "GET" ? {} : { body: "{", headers: json };
    const asked: [string, RequestInit][] = [
      ["plain", { method }],
      ["broken", { method, ...body }],
      ["keyed", { method, ...body, headers: { ...json, ...keyed } }],
      ["large", { method: "POST", body: big, headers: json }],
      ["wrong method", { method: "PATCH" }],
      ["head", { method: "HEAD" }],
      ["options", { method: "OPTIONS" }],
      ["strange query", { method, ...body, headers: { ...json, ...keyed } }],
    ];
    for (const [name, init] of asked) {
      const response = await send(name === "strange query" ? `${path}?limit=%00&q=%ff` : path, init, nextPeer());
      problems.push(...missing(response).map((problem) => `${method} ${path} ${name} ${response.status}: ${problem}`));
      if (response.status >= 500 && response.status !== 503)
        problems.push(`${method} ${path} ${name}: ${response.status}`);
    }
  }
  expect(problems).toEqual([]);
  expect(routes.length).toBeGreaterThan(8);
});

test("with an https BASE_URL every response requires https", async () => {
  const secure = await testService({ BASE_URL: "https://example.com" });
  for (const path of ["/healthz", "/nothing", "/api/nothing"])
    expect((await secure.get(path)).headers.get("strict-transport-security")).toMatch(/^max-age=\d{8}/);
  expect((await get("/healthz")).headers.has("strict-transport-security")).toBe(false);
});

test("an unknown path is an envelope under /api and a page elsewhere", async () => {
  for (const path of ["/api/nothing", "/api/newsletter/nothing", "/api/v2/posts", "/api/"]) {
    const answer = await get(path);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { success: false, data: null, error: { code: "NOT_FOUND", message: "There is no resource at this URL." } },
    ]);
  }
  for (const path of ["/nothing", "/assets/nothing.css", "/.env", "/apis", "/..%2f..%2fetc/passwd"]) {
    const answer = await get(path);
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, 404, "text/html; charset=utf-8"]);
    expect(await answer.text()).toContain("Page not found");
    expect(missing(answer)).toEqual([]);
  }
});

test("in the dashboard a path leads to the page that it names, before those with an ID there", async () => {
  const { get } = await service.signIn();
  const pages = routes.filter(({ method, path }) => method === "GET" && /^\/dashboard\/.*[^/]$/.test(path));
  const segments = (path: string) => path.split("/");
  const fits = (path: string, template: string) =>
    segments(template).length === segments(path).length &&
    segments(template).every((segment, i) => segment.startsWith(":") || segment === segments(path)[i]);
  const named = pages
    .filter(({ template }) => !template.includes(":"))
    .filter(({ path }) => pages.some(({ template }) => template !== path && fits(path, template)));
  expect(named.length).toBeGreaterThan(10);
  for (const { path } of named)
    for (const same of [path, `${path}/`]) expect([same, (await get(same)).status]).not.toEqual([same, 404]);
  for (const path of ["/dashboard//newsletter", "/dashboard/newsletter//", "/dashboard/newslette%72"])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
});

const isAlso = (path: string, { template }: { template: string }) =>
  template.endsWith("/:id") && path === template.replace(":id", "batch");
/** The routes that a path leads to: `/batch` is also an `/:id`. */
const routesAt = (path: string) => routes.filter((route) => route.path === path || isAlso(path, route));

test("the wrong method is a 405 that says which are right", async () => {
  for (const path of paths) {
    const known = routesAt(path).map(({ method }) => method);
    const wrong = ["PATCH", "PUT", "DELETE", "POST", "GET"].filter((method) => !known.includes(method));
    for (const method of wrong.slice(0, 2)) {
      const answer = await send(path, { method });
      expect([method, path, answer.status]).toEqual([method, path, 405]);
      const allowed = (answer.headers.get("allow") ?? "").split(", ");
      const own = routes.filter((route) => route.path === path).map((route) => route.method);
      expect(allowed).toEqual([...new Set([...own, ...(own.includes("GET") ? ["HEAD"] : []), "OPTIONS"])].sort());
      if (path.startsWith("/api/"))
        expect(await answer.json()).toMatchObject({
          success: false,
          data: null,
          error: { code: "METHOD_NOT_ALLOWED" },
        });
      else expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    }
  }
});

test("HEAD is GET without the body, everywhere, and changes nothing", async () => {
  const changes = () => everything(db);
  const own = new Set(["x-request-id", "content-length", "ratelimit", "set-cookie", "date"]); // always differ
  const comparable = ({ status, headers }: Response) => [
    status,
    Object.fromEntries([...headers].filter(([name]) => !own.has(name))),
  ];
  for (const path of paths)
    for (const headers of [{}, keyed]) {
      await db.settled();
      const before = await changes();
      const head = await send(path, { method: "HEAD", headers });
      await db.settled();
      expect([path, await changes()]).toEqual([path, before]);
      expect(await head.text()).toBe("");
      if (routesAt(path).some((route) => route.method === "GET"))
        expect([path, comparable(head)]).toEqual([path, comparable(await send(path, { headers }))]);
      else if (!path.startsWith("/dashboard")) expect([path, head.status]).toEqual([path, 405]); // visitors are sent to sign in first
    }
});

test("HEAD by a manager changes nothing either: it updates no session, uses no token and shows no notice (D9)", async () => {
  const { app, clock, db, post, send, signIn } = await testService();
  const { headers, submit } = await signIn();
  await post("/api/contact", { name: "Ada", email: "ada@example.com", message: "Good morning to you." });
  const { id } = (await look<{ id: string }>(db, "select id from messages"))[0] ?? { id: "" };
  await submit("/dashboard/account/name", { name: "Olive" }); // leaves a notice for the next page
  clock.time += 10 * 60_000;
  await db.settled();
  const before = await everything(db);
  const reads = (await app.routes()).filter(({ method }) => method === "GET").map(({ path }) => path);
  const heard = new Set<number>();
  for (const path of reads.map((path) => path.replace(/:\w+/g, id).replace("*", "x"))) {
    heard.add((await send(path, { method: "HEAD", headers })).status);
    await db.settled();
    expect([path, await everything(db)]).toEqual([path, before]);
  }
  expect(heard.has(200)).toBe(true);
  const page = await (await send("/dashboard/account", { headers })).text();
  expect([page.match(/data-toast=/g)?.length, page.includes("Name saved.")]).toEqual([1, true]);
});

test.each(["identity", "gzip", "zstd"])(
  "over the wire HEAD announces the length that GET sends: %s",
  async (coding) => {
    const url = `http://127.0.0.1:${server.port}/openapi.json`;
    const headers = { "accept-encoding": coding };
    const sent = (await (await fetch(url, { headers, decompress: false })).arrayBuffer()).byteLength;
    expect((await fetch(url, { method: "HEAD", headers })).headers.get("content-length")).toBe(String(sent));
  },
);

/** Speaks HTTP by hand. Returns what arrives until nothing has arrived for two minutes. */
const speak = (text: string) =>
  new Promise<string>((resolve) => {
    let answer = "";
    const socket = connect(server.port ?? 0, "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => {
      answer += chunk;
      if (/\r\n\r\n[\s\S]+|content-length: 0/i.test(answer)) socket.end();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", () => resolve(answer));
    socket.setTimeout(120_000, () => socket.destroy());
  });

test("65,537 bytes are too many on every path, announced or in chunks", async () => {
  const chunk = (size: number) => `${size.toString(16)}\r\n${"x".repeat(size)}\r\n`;
  for (const path of paths) {
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
    const announced = await speak(`${head}Content-Length: ${big.length}\r\n\r\n${big}`);
    const chunked = await speak(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk(65_536)}${chunk(1)}0\r\n\r\n`);
    for (const answer of [announced, chunked]) {
      expect([path, answer.split("\r\n")[0]]).toEqual([path, "HTTP/1.1 413 Payload Too Large"]);
      expect(answer).toContain(path.startsWith("/api/") ? '"code":"PAYLOAD_TOO_LARGE"' : "<!doctype html>");
      expect(answer.toLowerCase()).toContain("content-security-policy: default-src 'none'");
    }
  }
});

test("a manager may send a CSV file of 32 MiB, no one else, and nowhere else", async () => {
  const { send, signIn } = await testService();
  const { headers, token } = await signIn();
  const path = "/dashboard/newsletter/import";
  const status = async (to: string, size: number, sent: Record<string, string>) => {
    const body = new FormData();
    body.set("_token", token);
    body.set("file", new File(["x".repeat(size)], "a.csv"));
    return (await send(to, { method: "POST", body, headers: sent }, nextPeer())).status;
  };
  const mebibyte = 2 ** 20;
  expect(await status(path, mebibyte, headers)).not.toBe(413);
  expect(await status(path, 33 * mebibyte, headers)).toBe(413);
  expect(await status("/dashboard/newsletter", mebibyte, headers)).toBe(413);
  expect(await status(path, mebibyte, {})).toBe(413);
  expect(await status(path, mebibyte, { cookie: `__Host-postroom=${"A".repeat(43)}` })).toBe(413);
});

test("65,536 bytes are not too many", async () => {
  const answer = await send("/api/contact", { method: "POST", body: big.slice(1), headers: json }, nextPeer());
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: "INVALID_JSON" } }]);
});

test("whatever a client calls us, the path is the path", async () => {
  const names = ["nas", "x", "a.b", "a-long-name.example", "127.0.0.1", "[::1]:80"];
  const strange = [
    "",
    "%%%",
    "[::1",
    "localhost:70000",
    "a/healthz?",
    "a#",
    "u:p@a",
    "a b",
    "a\\b",
    "é",
    "a\r\nHost: b",
  ];
  for (const host of [...names, ...strange])
    for (const [path, status] of [
      ["/healthz", "200 OK"],
      ["/api/newsletter/unsubscribe?email=a&token=b", "400 Bad Request"],
      ["/api/v1/posts", "401 Unauthorized"],
    ]) {
      const answer = await speak(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect([host, path, answer.split("\r\n")[0]]).toEqual([host, path ?? "", `HTTP/1.1 ${status}`]);
      expect(answer.toLowerCase()).toContain("x-request-id: ");
    }
  expect((await speak("GET /healthz HTTP/1.0\r\n\r\n")).split(" ")[1]).toBe("200"); // load balancers send this
});

test("a client that leaves in the middle of its body does no harm", async () => {
  const came = new Promise<void>((resolve) => (arrived = resolve));
  const socket = connect(server.port ?? 0, "127.0.0.1");
  socket.write("POST /api/contact HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel");
  await came;
  socket.destroy();
  expect((await speak("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")).split("\r\n")[0]).toBe("HTTP/1.1 200 OK");
});

test("bodies that never end take no one's place", async () => {
  const head = "POST /api/contact HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{";
  const slow = Array.from({ length: 500 }, () => connect(server.port ?? 0, "127.0.0.1"));
  await Promise.all(slow.map((socket) => new Promise((sent) => socket.write(head, sent))));
  expect((await speak("GET /api/posts/x HTTP/1.1\r\nHost: localhost\r\n\r\n")).split(" ")[1]).toBe("404");
  for (const socket of slow) socket.destroy();
});

const open = ["/api/newsletter/subscribe", "/api/contact", "/api/posts/x"];
const closed = ["/api/newsletter/unsubscribe", "/api/v1/posts", "/api/v1/storage/upload", "/dashboard", "/healthz"];

test.each<[origin: string, allowed: boolean]>([
  ["http://localhost:3000", true],
  ["https://friend.example", true],
  ["https://friend.example.evil.example", false],
  ["http://friend.example", false],
  ["https://friend.example:8443", false],
  ["null", false],
])("%s may call the public endpoints: %p; the others no one may", async (origin, allowed) => {
  for (const path of open) {
    const preflight = { origin, "access-control-request-method": "POST" };
    for (const [method, headers] of [
      ["OPTIONS", preflight],
      ["POST", { origin, ...json }],
      ["GET", { origin }],
    ] as const) {
      const { headers: answered } = await send(
        path,
        { method, headers, ...(method === "POST" && { body: "{" }) },
        nextPeer(),
      );
      expect([path, method, answered.get("access-control-allow-origin")]).toEqual([
        path,
        method,
        allowed ? origin : null,
      ]);
      expect(answered.get("vary")).toContain("Origin");
      expect(answered.has("access-control-allow-credentials")).toBe(false);
      const hint = `Origin ${origin} is not allowed; allow it under Settings, Set up, or in CORS_ORIGINS`;
      expect(answered.get("postroom-hint")).toBe(allowed || origin === "null" ? null : hint);
    }
  }
  for (const path of closed)
    for (const method of ["OPTIONS", "GET"]) {
      const headers = { origin, "access-control-request-method": "GET", ...keyed };
      const answer = await send(path, { method, headers });
      expect([path, [...answer.headers.keys()].filter((name) => name.startsWith("access-control-"))]).toEqual([
        path,
        [],
      ]);
    }
});

test("a request by someone else's id keeps ours", async () => {
  const ids = await Promise.all([get("/healthz", { "x-request-id": "theirs" }), get("/healthz")]);
  const [one, two] = ids.map(({ headers }) => headers.get("x-request-id"));
  expect(one).toMatch(/^[\w-]{36}$/);
  expect(one).not.toBe(two ?? "");
});

/** Sends these bytes and returns what comes back until the connection is closed or Bun’s idle timeout ends. */
const answerTo = (bytes: string) =>
  new Promise<string>((resolve) => {
    let text = "";
    const socket = connect(server.port ?? 0, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (chunk) => (text += String(chunk)));
    socket.on("error", () => resolve(text));
    socket.on("close", () => resolve(text));
  });

test.each([
  ["without a host", "GET / HTTP/1.1\r\n\r\n", "400 Bad Request"],
  ["with a header that is none", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", "400 Bad Request"],
  [
    "of two lengths",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "400 Bad Request",
  ],
  ["too long", `GET /?q=${"x".repeat(17_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, "431 Request Header Fields Too Large"],
  [
    "of too many headers",
    `GET / HTTP/1.1\r\nHost: a\r\n${"x: y\r\n".repeat(250)}\r\n`,
    "431 Request Header Fields Too Large",
  ],
  ["of another version", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", "505 HTTP Version Not Supported"],
])("a request %s is answered by the parser, which reveals nothing", async (_, bytes, status) => {
  expect(await answerTo(bytes)).toBe(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
});

test("a method that HTTP does not know closes the connection; one that it knows is a 405 of ours", async () => {
  expect(await answerTo("FROB / HTTP/1.1\r\nHost: a\r\n\r\n")).toBe("");
  for (const method of ["TRACE", "CONNECT", "PROPFIND"]) {
    const answer = await answerTo(`${method} /api/contact HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    expect(answer).toStartWith("HTTP/1.1 405 Method Not Allowed\r\n");
    expect(answer).toContain('"code":"METHOD_NOT_ALLOWED"');
  }
});
