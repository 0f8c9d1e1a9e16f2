import { expect, spyOn, test } from "bun:test";
import { look } from "../../test/support/look";
import { testService } from "../../test/support/service";

const token = "a-token-of-sixteen-or-more";

test("the liveness check responds", async () => {
  const { get } = await testService();
  const answer = await get("/healthz");
  expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }]);
});

test("ready means that the database accepts a write, there is space, and no email waits too long", async () => {
  const { get } = await testService();
  const answer = await get("/readyz");
  expect([answer.status, await answer.json()]).toEqual([
    200,
    {
      status: "ready",
      checks: {
        database: { ok: true },
        disk: expect.objectContaining({ ok: true }),
        storage: { ok: true },
        broadcasts: { ok: true },
        mail: { ok: true },
      },
    },
  ]);
});

test("a database that does not respond is a 503 too", async () => {
  const { db, get } = await testService();
  using _ = spyOn(db, "probe").mockReturnValue(new Promise(() => undefined));
  const answer = await get("/readyz");
  const { checks } = (await answer.json()) as { checks: { database: unknown } };
  expect([answer.status, checks.database]).toEqual([503, { ok: false, detail: "failed" }]);
});

test("a closed database is a 503, and the reason is only logged", async () => {
  const { db, get, logged } = await testService();
  await db.close();
  const answer = await get("/readyz");
  expect([answer.status, await answer.json()]).toEqual([
    503,
    {
      status: "not ready",
      checks: {
        database: { ok: false, detail: "failed" },
        disk: expect.objectContaining({ ok: true }),
        storage: { ok: false, detail: "failed" },
        broadcasts: { ok: false, detail: "failed" },
        mail: { ok: false, detail: "failed" },
      },
    },
  ]);
  expect(logged.filter(({ event }) => event === "not ready")).toHaveLength(4);
});

test("an email that waits longer than 15 minutes is a 503, checked again a second later", async () => {
  const { clock, get, post } = await testService();
  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  expect((await get("/readyz")).status).toBe(200);
  clock.time += 15 * 60_000;
  const answer = await get("/readyz");
  expect([answer.status, await answer.json()]).toMatchObject([
    503,
    { checks: { mail: { ok: false, detail: "an email has been queued for more than 15 minutes" } } },
  ]);
});

test("a broadcast without a response for 15 minutes is a 503, unless it is paused or has nothing to do", async () => {
  const { clock, db, get, now } = await testService();
  const times = [clock.time, clock.time, clock.time];
  await look(
    db,
    `insert into broadcasts (id, slug, kind, subject, archive, created_by, created_at, updated_at, settled_at, state, ceiling)
     values ('b', 'b', 'own', 'News', 'none', 'm', ?, ?, ?, 'sending', 10)`,
    times,
  );
  const status = async () => ((clock.time += 1_000), (await get("/readyz")).status);
  clock.time += 15 * 60_000 - 1_000;
  expect(await status()).toBe(200);
  expect(await status()).toBe(503);
  await look(db, "update broadcasts set rest_until = ?", [now().getTime() + 60_000]);
  expect(await status()).toBe(200);
  expect(await (await get("/metrics")).text()).toContain("postroom_broadcasts_paused 1");
  await look(db, "update broadcasts set rest_until = null, cursor = 10");
  expect(await status()).toBe(200);
});

test("asking a hundred times a second writes once", async () => {
  const { db, get } = await testService();
  using probe = spyOn(db, "probe");
  await get("/readyz");
  await Promise.all(Array.from({ length: 100 }, () => get("/readyz")));
  expect(probe).toHaveBeenCalledTimes(1);
});

test("a program on this machine reads the figures, each family once", async () => {
  const { get, post } = await testService();
  await post("/api/newsletter/subscribe", { email: "ada@example.com" });
  const answer = await get("/metrics", {}, "::1");
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  const lines = (await answer.text()).split("\n");
  expect(lines).toContain('postroom_subscribers{state="active"} 1');
  expect(lines).toContain("postroom_mails_queued 1");
  const families = lines.filter((line) => line.startsWith("# TYPE"));
  expect(families).toHaveLength(new Set(families).size);
  for (const line of lines.filter((text) => text && !text.startsWith("#")))
    expect(line).toMatch(/^postroom_[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?[\d.]+$/);
});

test.each<[string, string, Record<string, string>, Record<string, string>, number]>([
  ["from elsewhere, no token set", "192.0.2.1", {}, {}, 404],
  ["through a proxy on this machine", "127.0.0.1", { "x-forwarded-for": "192.0.2.1" }, {}, 404],
  ["through a proxy that says it is nobody", "127.0.0.1", { "x-forwarded-for": "127.0.0.1" }, {}, 404],
  ["from elsewhere without the token", "192.0.2.1", {}, { METRICS_TOKEN: token }, 401],
  ["with a wrong token", "192.0.2.1", { authorization: `Bearer ${token}x` }, { METRICS_TOKEN: token }, 401],
  ["with the token", "192.0.2.1", { authorization: `Bearer ${token}` }, { METRICS_TOKEN: token }, 200],
])("figures %s", async (_, peer, headers, env, status) => {
  const { get } = await testService(env);
  expect((await get("/metrics", headers, peer)).status).toBe(status);
});

test("a result from the future is not reused: the clock has been corrected", async () => {
  const { clock, db, get } = await testService();
  clock.time += 86_400_000;
  expect((await get("/readyz")).status).toBe(200);
  clock.time -= 86_400_000;
  await db.close();
  expect((await get("/readyz")).status).toBe(503);
});

test("a recipient has one outcome in the metrics, and reports come on top", async () => {
  const { db, get } = await testService();
  const counters = {
    claimed: 10,
    accepted: 5,
    failed: 1,
    uncertain: 1,
    simulated: 0,
    skipped: 1,
    delivered: 4,
    bounced: 1,
  };
  await look(
    db,
    `insert into broadcasts (id, slug, kind, subject, archive, created_by, created_at, updated_at, state, ${Object.keys(counters).join(", ")})
       values ('b', 'b', 'own', 'b', 'none', 'x', 1, 1, 'sending', ${Object.values(counters).join(", ")})`,
  );
  const lines = (await (await get("/metrics")).text()).matchAll(/broadcast_recipients\{outcome="(\w+)"\} (\d+)/g);
  const of = Object.fromEntries([...lines].map(([, outcome, n]) => [outcome, Number(n)]));
  expect(of).toMatchObject({ claimed: 2, accepted: 5, delivered: 4 });
  expect(
    ["claimed", "accepted", "failed", "uncertain", "simulated", "skipped"].reduce(
      (sum, name) => sum + (of[name] ?? 0),
      0,
    ),
  ).toBe(10);
});
