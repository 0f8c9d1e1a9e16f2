import { expect, test } from "bun:test";
import * as apiKeys from "../../db/access/keys/api-keys";
import { testService } from "../../test/support/service";
import { everything, isOnPostgres } from "../../test/support/look";

const path = "/api/v1/settings";
const by = { actor: "owner@example.com" };

test("a key is the prefix, _live_ and 32 hexadecimal digits; only its hash and last four are kept", async () => {
  const { db, now } = await testService();
  const { key, row } = await apiKeys.generate(db, { prefix: "acme", name: "Blog" }, now());
  expect(key).toMatch(/^acme_live_[0-9a-f]{32}$/);
  expect(row).toMatchObject({
    name: "Blog",
    prefix: "acme_live_",
    lastFour: key.slice(-4),
    active: true,
    lastUsedAt: null,
  });
  expect((await everything(db)).includes(key.slice("acme_live_".length))).toBe(false);
});

test("KEY_PREFIX names the keys", async () => {
  const { key, get } = await testService({ KEY_PREFIX: "acme" });
  const header = await key();
  expect(header["x-api-key"]).toStartWith("acme_live_");
  expect((await get(path, header)).status).toBe(200);
});

test("deactivating refuses the very next request, permanently", async () => {
  const { db, get, now } = await testService();
  const { key, row } = await apiKeys.generate(db, { prefix: "site", name: "Blog" }, now());
  expect((await get(path, { "x-api-key": key })).status).toBe(200);
  expect(await apiKeys.deactivate(db, row.id, by, now())).toMatchObject({ isChanged: true, key: { active: false } });
  expect((await get(path, { "x-api-key": key })).status).toBe(401);
  expect(await apiKeys.deactivate(db, row.id, by, now())).toMatchObject({ isChanged: false });
  expect(await apiKeys.deactivate(db, "unknown", by, now())).toBeUndefined();
});

test("one key opens every keyed endpoint", async () => {
  const { get, key, post } = await testService();
  const header = await key();
  for (const name of ["posts", "projects", "settings"]) expect((await get(`/api/v1/${name}`, header)).status).toBe(200);
  expect((await post("/api/v1/storage/upload", {}, header)).status).toBe(400); // authorized first, then validated
});

test("lastUsedAt is the time of the last use once counters are written; HEAD leaves no trace", async () => {
  const { clock, counters, db, get, now, send } = await testService();
  const { key, row } = await apiKeys.generate(db, { prefix: "site", name: "Blog" }, now());
  const lastUsed = async () => {
    await counters.flush();
    return (await apiKeys.byId(db, row.id))?.lastUsedAt ?? null;
  };
  expect((await send(path, { method: "HEAD", headers: { "x-api-key": key } })).status).toBe(200);
  expect(await lastUsed()).toBeNull();
  await get(path, { "x-api-key": key });
  expect(await lastUsed()).toEqual(now());
  clock.time += 90_000;
  await get(path, { "x-api-key": key });
  await get(path, { "x-api-key": "unknown" });
  expect(await lastUsed()).toEqual(now());
});

test("above 600 requests in a minute a key waits, and no other key does", async () => {
  const { clock, get, key } = await testService();
  const [busy, quiet] = [await key("Busy"), await key("Quiet")];
  const first = await get(path, busy);
  expect([first.headers.get("ratelimit-policy"), first.headers.get("ratelimit")]).toEqual([
    '"key";q=600;w=60',
    '"key";r=599;t=60',
  ]);
  const others: Response[] = [];
  // More than that in parallel are told to retry
  for (const count of [199, 200, 200])
    others.push(...(await Promise.all(Array.from({ length: count }, () => get(path, busy)))));
  expect(others.map(({ status }) => status)).toEqual(Array(599).fill(200));

  const refused = await get(path, busy);
  expect([refused.status, await refused.json()]).toEqual([
    429,
    { success: false, data: null, error: { code: "RATE_LIMITED", message: expect.any(String) } },
  ] as never);
  expect([refused.headers.get("retry-after"), refused.headers.get("ratelimit")]).toEqual(["60", '"key";r=0;t=60']);
  expect((await get(path, quiet)).status).toBe(200);

  clock.time += isOnPostgres ? 65_000 : 60_000; // a block of requests expires five seconds later
  expect((await get(path, busy)).status).toBe(200);
});
