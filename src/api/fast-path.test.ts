import { expect, test } from "bun:test";
import * as apiKeys from "../../db/access/keys/api-keys";
import * as posts from "../../db/posts/posts";
import { testService } from "../../test/support/service";
import { isOnPostgres, look } from "../../test/support/look";

const paths = ["/api/v1/posts?limit=5", "/api/v1/projects", "/api/v1/settings"];

/** A service that answered each of the paths once, so that the next responses are prepared. */
async function service() {
  const made = await testService();
  const header = await made.key();
  for (const path of paths) await made.get(path, header);
  const ask = (path: string, headers = {}, method = "GET") =>
    made.app.handle(new Request(`http://localhost:3000${path}`, { method, headers: { ...header, ...headers } }));
  return { ...made, header, ask };
}

const own = new Set(["x-request-id", "ratelimit"]); // differ from response to response
const shown = async (response: Response) => ({
  status: response.status,
  headers: [...response.headers].filter(([name]) => !own.has(name)),
  body: await response.text(),
});

test("a prepared response is immediate, and equal to the ordinary one, header by header", async () => {
  for (const condition of [{}, { "if-none-match": "*" }])
    for (const path of paths) {
      const first = await testService();
      const slow = await shown(await first.get(path, { ...(await first.key()), ...condition }));
      const quick = (await service()).ask(path, condition);
      expect(quick instanceof Response).toBe(!isOnPostgres); // on PostgreSQL it first asks whether anything changed
      const { status, headers, body } = await shown(await quick);
      const dated = (text: string) => text.replace(/"updatedAt":"[^"]+"/, "");
      expect([path, status, dated(body)]).toEqual([path, slow.status, dated(slow.body)]);
      const comparable = ([name]: [string, string]) => path !== "/api/v1/settings" || name !== "etag"; // contains the time
      expect(headers.filter(comparable)).toEqual(slow.headers.filter(comparable));
    }
});

test("each response has its own ID and its own rate-limit headers", async () => {
  const { ask } = await service();
  const [one, two] = [await ask("/api/v1/settings"), await ask("/api/v1/settings")];
  expect(one.headers.get("ratelimit")).toBe('"key";r=596;t=60');
  expect(two.headers.get("ratelimit")).toBe('"key";r=595;t=60');
  expect(one.headers.get("x-request-id")).not.toBe(two.headers.get("x-request-id"));
});

test("it is logged, counted, and recorded as a use of its key", async () => {
  const { ask, counters, db, get, logged } = await service();
  await counters.flush();
  await look(db, "update api_keys set last_used_at = null");
  await ask("/api/v1/posts?limit=5");
  expect(logged.at(-1)).toMatchObject({ event: "request", method: "GET", path: "/api/v1/posts", status: 200 });
  const figures = await (await get("/metrics")).text();
  expect(figures).toContain('postroom_requests_total{method="GET",area="/api/v1",status="200"} 4\n');
  await counters.flush();
  expect((await apiKeys.list(db))[0]?.lastUsedAt).not.toBeNull();
});

test("rejected and unprepared requests take the ordinary way", async () => {
  const { ask, db, header, now } = await service();
  expect(await shown(await ask(paths[0] ?? "", {}, "HEAD"))).toMatchObject({ status: 200, body: "" });
  for (const headers of [{ "x-api-key": "" }, { "x-api-key": `${header["x-api-key"]}x` }])
    expect((await ask(paths[0] ?? "", headers)).status).toBe(401);
  await posts.save(db, { slug: "new", title: "New", published: true, publishedAt: now() }, now());
  expect(await (await ask(paths[0] ?? "")).json()).toMatchObject({ data: { count: 1 } });

  const [key] = await apiKeys.list(db);
  await apiKeys.deactivate(db, key?.id ?? "", { actor: "cli" }, now());
  for (const path of paths) expect((await ask(path)).status).toBe(401);
});

test("a scheduled post invalidates responses prepared before its time", async () => {
  const { ask, clock, db, now } = await service();
  const publishedAt = new Date(clock.time + 60_000);
  await posts.save(db, { slug: "soon", title: "Soon", published: true, publishedAt }, now());
  const count = async () => ((await (await ask(paths[0] ?? "")).json()) as { data: { count: number } }).data.count;
  expect([await count(), await count()]).toEqual([0, 0]);
  clock.time += 60_000;
  expect(await count()).toBe(1);
});

test("600 a minute are 600 a minute here too (D29)", async () => {
  const { ask } = await service();
  const statuses = await Promise.all(Array.from({ length: 610 }, async () => (await ask("/api/v1/settings")).status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(597); // three were used before
  expect(statuses.filter((status) => status === 429)).toHaveLength(13);
});
