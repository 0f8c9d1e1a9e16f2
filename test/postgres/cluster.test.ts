import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { startEmbeddedNode } from "../../src/storage/embedded/node";
import { createLog } from "../../src/platform/log";
import { previewLink, unsubscribeLink } from "../../src/security/links";
import { openStream } from "../support/event-stream";
import { startCluster } from "../support/postgres/cluster";
import { postroom, temporaryFolder } from "../support/processes";
import { testTimeoutMs } from "../support/within";

setDefaultTimeout(testTimeoutMs);

const folder = temporaryFolder();
const manager = { MANAGER_EMAIL: "ada@example.com", MANAGER_PASSWORD: "correct horse battery" };
let cluster: Awaited<ReturnType<typeof startCluster>>;
let node: Awaited<ReturnType<typeof startEmbeddedNode>>;
let key = "";
let firstHolder: unknown;

const [first, second] = [0, 1].map(
  (n) =>
    (path: string, options: RequestInit = {}) =>
      fetch((cluster.services[n]?.url ?? "") + path, { redirect: "manual", ...options }),
) as [typeof fetch, typeof fetch];
/** The first value of the first row. */
async function ask(text: string): Promise<unknown> {
  await using sql = new Bun.SQL(cluster.url, { max: 1 });
  const rows: unknown[][] = await sql.unsafe(text, []).values();
  return rows[0]?.[0];
}
const holder = () => ask("select holder from jobs where name = 'storage'");
const cliWith = (env: Record<string, string>, ...args: string[]) =>
  postroom("/nonexistent", args, { ...cluster.env, ...env });
const cli = (...args: string[]) => cliWith({}, ...args);
const json = (body: object) => ({
  method: "POST",
  body: JSON.stringify(body),
  headers: { "content-type": "application/json", "x-api-key": key },
});

beforeAll(async () => {
  const origins = new Set<string>();
  node = await startEmbeddedNode({ folder: folder.path, port: 0, origins, log: createLog("silent") });
  cluster = await startCluster(process.env.TEST_DATABASE_URL ?? "", 1, {
    ...manager,
    MINIO_ENDPOINT: node.endpoint,
    MINIO_ACCESS_KEY: node.accessKey,
    MINIO_SECRET_KEY: node.secretKey,
    MINIO_BUCKET: node.bucket,
  });
  while (!(firstHolder = await holder())) await Bun.sleep(20);
  await cluster.add();
  key = (await cli("keys", "create", "blog")).out.trim();
});
afterAll(async () => {
  await cluster?.stop();
  await node?.close();
  folder[Symbol.dispose]();
});

const form = (fields: Record<string, string>) => ({
  method: "POST",
  body: new URLSearchParams(fields),
  headers: { origin: "http://localhost:3000" },
});

/** Signs in at the first process. Returns how to send forms to the second one. */
async function signIn() {
  const signedIn = await first(
    "/dashboard/sign-in",
    form({ email: manager.MANAGER_EMAIL, password: manager.MANAGER_PASSWORD }),
  );
  expect(signedIn.status).toBe(303);
  const cookie = (signedIn.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const page = await second("/dashboard/account", { headers: { cookie } });
  expect(page.status).toBe(200);
  const [, token = ""] = /name="_token" value="([^"]+)"/.exec(await page.text()) ?? [];
  async function submit(path: string, fields: Record<string, string>): Promise<Response> {
    const sent = form({ _token: token, ...fields });
    const response = await second(path, { ...sent, headers: { ...sent.headers, cookie } });
    expect(response.status).toBe(303);
    return response;
  }
  return { cookie, submit };
}

test("who signs in at one process works at the other, and sees there what was said at the first", async () => {
  const { cookie, submit } = await signIn();
  await submit("/dashboard/account/name", { name: "Ada Lovelace" });
  const told = await (await first("/dashboard/account", { headers: { cookie } })).text();
  expect(told).toContain("Ada Lovelace");
  expect(told).toContain("Name saved.");
});

test("a subscriber of one process leaves by a link that the other serves", async () => {
  const email = "grace@example.com";
  expect((await first("/api/newsletter/subscribe", json({ email }))).status).toBe(201);
  expect((await second("/api/newsletter/subscribe", json({ email }))).status).toBe(200);
  const link = unsubscribeLink(
    { APP_SECRET: cluster.env.APP_SECRET ?? "", APP_SECRET_PREVIOUS: [], BASE_URL: cluster.services[1]?.url ?? "" },
    email,
  );
  expect((await fetch(link)).status).toBe(200);
  expect((await first("/api/newsletter/subscribe", json({ email }))).status).toBe(201); // subscribed again
});

test("the next request sees changes by other processes: a deactivated key, a new post, a setting", async () => {
  const list = (at: typeof fetch) => at("/api/v1/settings", { headers: { "x-api-key": key } });
  for (const at of [first, second, first, second]) expect((await list(at)).status).toBe(200);
  await cli("settings", "set", "siteTitle", "Ada’s Notes");
  for (const at of [first, second]) expect(await (await list(at)).text()).toContain("Ada’s Notes");

  const other = (await cli("keys", "create", "other")).out.trim();
  const ask = (at: typeof fetch) => at("/api/v1/posts", { headers: { "x-api-key": other } });
  for (const at of [first, second, first, second]) expect((await ask(at)).status).toBe(200);
  const id = /^(\S+)\tother\t/m.exec((await cli("keys", "list")).out)?.[1] ?? "";
  expect((await cli("keys", "deactivate", id)).code).toBe(0);
  for (const at of [first, second]) expect((await ask(at)).status).toBe(401);
});

test("a preview that listens to one process hears of each draft that the other saves", async () => {
  const { submit } = await signIn();
  const { headers } = await submit("/dashboard/posts/new", { title: "Tides" });
  const at = headers.get("location") ?? "";
  const id = at.split("/").pop() ?? "";
  const page = `${cluster.services[0]?.url}/api/posts/tides/preview-events`;
  const { APP_SECRET = "" } = cluster.env;
  const managerId = String(await ask("select id from managers"));
  const stream = await openStream(previewLink({ APP_SECRET }, { id, page }, managerId, 1, new Date()).url);
  await stream.until("id: 1");
  for (const version of [1, 2]) {
    await submit(at, { title: "Tides", slug: "tides", content: `High water ${version}`, version: String(version) });
    await stream.until(`id: ${version + 1}`);
  }
  await stream.leave();
});

test("a command with another APP_SECRET is refused, unless it lists that of the processes", async () => {
  const APP_SECRET = "another-secret-of-at-least-32-characters";
  const refused = await cliWith({ APP_SECRET }, "keys", "create", "sealed elsewhere");
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("is used with another APP_SECRET. Set the")]);
  const previous = { APP_SECRET, APP_SECRET_PREVIOUS: cluster.env.APP_SECRET ?? "" };
  for (const listed of [await cliWith(previous, "keys", "list"), await cli("keys", "list")]) {
    expect([listed.code, listed.err]).toEqual([0, ""]);
    expect(listed.out).toContain("blog");
    expect(listed.out).not.toContain("sealed elsewhere");
  }
});

test("both processes count a visitor's requests together", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? first : second)(
        "/api/contact",
        json({ name: "Ada", email: "a@example.com", message: `Hello, ${i}, how are you?` }),
      ),
    ),
  );
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(15);
});

test("an upload begun at the process that sweeps is finished by the other when the first is killed", async () => {
  const before = await holder();
  const sweeping = before === firstHolder ? 0 : 1;
  const wanted = json({ filename: "lamp.txt", mimeType: "text/plain", size: 5 });
  const reserved = await (sweeping ? second : first)("/api/v1/storage/upload", wanted);
  const { data } = (await reserved.json()) as { data: { uploadUrl: string } };
  const revive = await cluster.kill(sweeping);
  const put = { method: "PUT", body: "12345", headers: { "content-type": "text/plain" } };
  expect((await fetch(data.uploadUrl, put)).status).toBe(200);
  await ask("update jobs set until = 1 where name = 'storage'"); // a lease lasts 15 seconds
  while ((await ask("select state from uploads")) !== "completed") await Bun.sleep(100);
  expect(await holder()).not.toBe(before);
  await revive();
});

test("one process is killed under load, and no one behind the proxy notices", async () => {
  const statuses: number[] = [];
  let isOver = false;
  const visitor = async (n: number) => {
    for (let i = 0; !isOver || i < 20; i++) {
      const body = json({ email: `v${n}-${i}@example.com` });
      const headers = { ...body.headers, "x-forwarded-for": `198.51.${n}.${i % 250}` };
      statuses.push((await fetch(`${cluster.proxy.url}/api/newsletter/subscribe`, { ...body, headers })).status);
    }
  };
  const load = Promise.all([0, 1, 2, 3].map(visitor));
  await cluster.replace(1);
  const answered = statuses.length;
  while (statuses.length < answered + 40) await Bun.sleep(5);
  await cluster.replace(0);
  isOver = true;
  await load;
  expect(statuses.length).toBeGreaterThanOrEqual(80);
  expect(statuses.filter((status) => status !== 201 && status !== 200)).toEqual([]);
  await using sql = new Bun.SQL(cluster.url, { max: 1 });
  const [counts]: [bigint, bigint][] = await sql
    .unsafe(
      `select (select count(*) from subscribers where email like 'v%'),
         (select count(distinct recipient) from outbox where kind = 'welcome' and recipient like 'v%' having count(*) = count(distinct recipient))`,
      [],
    )
    .values();
  expect(counts?.map(Number)).toEqual([statuses.length, statuses.length]);
});
