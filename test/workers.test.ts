import { Database } from "bun:sqlite";
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fillWithPosts } from "./load/content";
import { freePort, postroom, startService, temporaryFolder } from "./processes";

setDefaultTimeout(30_000); // three processes start for some of these, and the machine may be busy

const two = { WORKERS: "2", APP_SECRET: "a-secret-for-two-workers-only-0123" };

const folder = temporaryFolder();
const keys = await fillWithPosts(folder.path, 3, 5);
let service = await startService(folder.path, two);
afterAll(async () => {
  await service.end();
  folder[Symbol.dispose]();
});

const query = <T>(sql: string) => {
  const sqlite = new Database(join(folder.path, "postroom.sqlite"), { readonly: true });
  const rows = sqlite.query<T, []>(sql).all();
  sqlite.close();
  return rows;
};
/** The requests, each on a connection of its own, so that both workers get some; so many at once. */
async function each<T>(count: number, ask: (n: number) => Promise<T>, atOnce = 50): Promise<T[]> {
  const answers: T[] = [];
  for (let from = 0; from < count; from += atOnce)
    answers.push(
      ...(await Promise.all(Array.from({ length: Math.min(atOnce, count - from) }, (_, i) => ask(from + i)))),
    );
  return answers;
}
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}${path}`, {
    headers: { ...headers, connection: "close" },
    redirect: "manual",
    decompress: false,
  });
const subscribe = (email: string, from: string) =>
  fetch(`${service.url}/api/newsletter/subscribe`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": from, connection: "close" },
    body: JSON.stringify({ email }),
  });
const count = (statuses: number[], status: number) => statuses.filter((each) => each === status).length;
const workersOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number);

test("two processes listen, and answer as one does", async () => {
  expect(workersOf(service.pid)).toHaveLength(2);
  const list = await get("/api/v1/posts", { "x-api-key": keys[0] ?? "" });
  expect([list.status, ((await list.json()) as { data: { count: number } }).data.count]).toEqual([200, 3]);
  expect(list.headers.get("ratelimit-policy")).toBe('"key";q=600;w=60');
  const etag = list.headers.get("etag") ?? "";
  expect((await get("/api/v1/posts", { "x-api-key": keys[0] ?? "", "if-none-match": etag })).status).toBe(304);
  expect((await get("/api/v1/posts")).status).toBe(401);
  expect((await get("/api/v1/posts?limit=0", { "x-api-key": keys[0] ?? "" })).status).toBe(400);
  expect((await get("/dashboard")).headers.get("location")).toStartWith("/dashboard/sign-in");
  const head = await fetch(`${service.url}/openapi.json`, { method: "HEAD" });
  const sent = (await (await get("/openapi.json")).arrayBuffer()).byteLength;
  expect([head.headers.get("content-length"), await head.text()]).toEqual([String(sent), ""]);
  const large = { method: "POST", body: "x".repeat(65_537), headers: { "content-type": "application/json" } };
  expect((await fetch(`${service.url}/api/contact`, large)).status).toBe(413);
  expect((await get("/docs", { "accept-encoding": "gzip" })).headers.get("content-encoding")).toBe("gzip");
});

/** Sends these bytes and returns the first line of the answer, or "nothing" after five seconds. */
const firstLine = (text: string) =>
  new Promise<string>((resolve) => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname, () => socket.write(text));
    const late = setTimeout(() => socket.destroy(), 5_000);
    socket.once("data", (data) => (resolve(String(data).split("\r\n")[0] ?? ""), socket.destroy()));
    socket.once("close", () => (clearTimeout(late), resolve("nothing")));
  });

test.each(["Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings", "Upgrade: websocket", "TE: trailers", "Trailer: x"])(
  "what a client asks of its connection is not asked of the office: %j",
  async (asks) => {
    const head = `POST /api/contact HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.77\r\n${asks}\r\n`;
    const body = "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    expect(await firstLine(head + body)).toBe("HTTP/1.1 400 Bad Request"); // {} is no message
  },
);

test("nobody tells the office who he is: not by a header, and not through its socket", async () => {
  const name = "x-postroom-peer";
  const answers = await each(8, (i) => {
    const headers = { "content-type": "application/json", [name]: `198.51.100.${i}`, connection: "close" };
    const body = JSON.stringify({ email: `peer${i}@example.com` });
    return fetch(`${service.url}/api/newsletter/subscribe`, {
      ...{ method: "POST", headers: { ...headers, "x-forwarded-for": "203.0.113.78" }, body },
    });
  });
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 429, 429, 429]);
  expect(statSync(join(folder.path, "office.sock")).mode & 0o077).toBe(0);
});

test("of 200 parallel requests of one client exactly five are admitted, also after a kill -9 of all", async () => {
  const flood = async () => {
    const answers = await each(200, (i) => subscribe(`flood${i}@example.com`, "203.0.113.9"), 200);
    return answers.map(({ status }) => status);
  };
  const first = await flood();
  expect([count(first, 201), count(first, 429)]).toEqual([5, 195]);
  await service.end("SIGKILL");
  service = await startService(folder.path, two, service.port);
  expect(count(await flood(), 201)).toBe(0);
});

test("a key has its 600 requests a minute with both together", async () => {
  const answers = await each(640, () => get("/api/v1/settings", { "x-api-key": keys[1] ?? "" }));
  const statuses = answers.map(({ status }) => status);
  expect([count(statuses, 200), count(statuses, 429)]).toEqual([600, 40]);
});

test("a key that the CLI deactivates is refused by both, and a setting that it changes is shown by both", async () => {
  const key = { "x-api-key": keys[2] ?? "" };
  const asked = async () => (await each(20, () => get("/api/v1/settings", key))).map(({ status }) => status);
  expect(count(await asked(), 200)).toBe(20);
  await postroom(folder.path, ["settings", "set", "siteTitle", "Two"], two);
  const shown = await each(20, async () => (await get("/api/v1/settings", key)).json());
  expect(
    shown.every((body) => (body as { data: { settings: { siteTitle?: string } } }).data.settings.siteTitle === "Two"),
  ).toBe(true);

  const [row] = query<{ id: string }>("select id from api_keys where name = 'key 2'");
  expect((await postroom(folder.path, ["keys", "deactivate", row?.id ?? ""], two)).code).toBe(0);
  expect(count(await asked(), 401)).toBe(20);
});

test("each mail is sent by exactly one, a visitor counts once, and the use of keys is written down", async () => {
  await each(40, (i) => subscribe(`reader${i}@example.com`, `198.51.100.${i}`));
  await each(40, () => get("/api/posts/post-0", { "user-agent": "Mozilla/5.0" }));
  const welcomes = "select count(*) n from outbox where state = 'simulated' and recipient like 'reader%'";
  while (query<{ n: number }>(welcomes)[0]?.n !== 40) await Bun.sleep(50);
  const { code, out } = await service.end();
  expect(code).toBe(0);
  const sent = out.split("\n").filter((line) => line.includes('"mail simulated"') && line.includes("reader"));
  expect(sent).toHaveLength(40);
  expect(new Set(sent.map((line) => JSON.parse(line).recipient)).size).toBe(40);
  expect(query("select views from posts where slug = 'post-0'")).toEqual([{ views: 1 }]);
  const used = query<{ name: string }>("select name from api_keys where last_used_at is not null");
  expect(used.map(({ name }) => name)).toEqual(expect.arrayContaining(["key 1", "key 2"]));
  expect(used.map(({ name }) => name)).not.toContain("key 4");
  service = await startService(folder.path, two, service.port);
});

test("a worker that dies is replaced, and the other goes on meanwhile", async () => {
  const [first = 0, second = 0] = workersOf(service.pid);
  process.kill(first, "SIGKILL");
  for (;;) {
    const now = workersOf(service.pid);
    expect(now).toContain(second);
    if (now.length === 2 && !now.includes(first)) break;
    await Bun.sleep(50);
  }
  expect((await get("/healthz")).status).toBe(200);
});

test("what the workers answered is in the figures of the one that is asked", async () => {
  const total = async () => {
    const text = await (await get("/metrics")).text();
    return Number(/requests_total\{method="GET",area="\/api\/v1",status="200"\} (\d+)/.exec(text)?.[1] ?? 0);
  };
  const before = await total();
  await each(20, () => get("/api/v1/projects", { "x-api-key": keys[3] ?? "" }));
  while ((await total()) < before + 20) await Bun.sleep(50);
  expect(await total()).toBe(before + 20);
});

test("a port that is taken is named, and workers without their office are gone", async () => {
  const elsewhere = temporaryFolder();
  const { code, err } = await postroom(elsewhere.path, ["serve"], { ...two, PORT: String(service.port) });
  expect([code, err]).toEqual([
    1,
    `postroom: PORT ${service.port} is in use by another program. Stop it, or set PORT.\n`,
  ]);
  elsewhere[Symbol.dispose]();
  await service.end("SIGKILL");
  while (await fetch(`${service.url}/healthz`).catch(() => undefined)) await Bun.sleep(20);
  service = await startService(folder.path, two, freePort());
});
