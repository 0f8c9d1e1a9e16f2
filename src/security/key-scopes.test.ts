import { expect, test } from "bun:test";
import * as apiKeys from "../../db/access/keys/api-keys";
import { callersOf } from "../../db/access/keys/callers";
import { replaceKey } from "../../db/access/keys/expiry";
import type { Db } from "../../db/engine/open";
import { type Scope, scopes, scopesOfBefore } from "../../db/schema/scopes";
import { testService } from "../../test/support/service";
import { look } from "../../test/support/look";
import { createCounters } from "../telemetry/counters";
import type { OpenApi } from "../openapi/responses";

/** Every keyed route and its scope. */
const table: Record<Scope, string[]> = {
  "content:read": [
    "GET /api/v1/posts",
    "GET /api/v1/projects",
    "GET /api/v1/projects/{slug}",
    "GET /api/v1/newsletter/broadcasts",
    "GET /api/v1/newsletter/broadcasts/{slug}",
  ],
  "settings:read": ["GET /api/v1/settings"],
  "files:read": [
    "GET /api/v1/storage/files",
    "GET /api/v1/storage/files/{id}",
    "GET /api/v1/storage/files/{id}/download",
    "POST /api/v1/storage/files/{id}/link",
  ],
  "files:write": [
    "POST /api/v1/storage/upload",
    "GET /api/v1/storage/uploads",
    "GET /api/v1/storage/uploads/{id}",
    "POST /api/v1/storage/uploads/{id}/parts",
    "POST /api/v1/storage/uploads/{id}/url",
    "POST /api/v1/storage/uploads/{id}/complete",
    "POST /api/v1/storage/uploads/{id}/failed",
    "DELETE /api/v1/storage/uploads/{id}",
    "PATCH /api/v1/storage/files/{id}",
    "DELETE /api/v1/storage/files/{id}",
  ],
  "newsletter:read": ["GET /api/v1/subscribers", "GET /api/v1/subscribers/{id}"],
  "newsletter:write": [
    "POST /api/v1/subscribers",
    "POST /api/v1/subscribers/batch",
    "PATCH /api/v1/subscribers/{id}",
    "DELETE /api/v1/subscribers/{id}",
  ],
  visitors: [],
};

async function service(env: Record<string, string> = {}) {
  const own = await testService(env);
  const { db, now } = own;
  let made = 0;
  const generate = async (limits: apiKeys.KeyLimits = {}) => {
    const { key, row } = await apiKeys.generate(db, { prefix: "site", name: `Key ${made++}`, ...limits }, now());
    return { header: { "x-api-key": key }, id: row.id };
  };
  /** Calls a route of the table. */
  const call = (route: string, headers: Record<string, string>, body?: string) => {
    const [method = "", path = ""] = route.replace(/\{\w+\}/, "x").split(" ");
    return own.send(path, { method, headers, ...(body !== undefined && { body }) });
  };
  const callers = async (id: string) => {
    await own.counters.flush();
    return callersOf(db, id);
  };
  return { ...own, generate, call, callers };
}

test("each keyed endpoint needs the scope that the document names, and no other", async () => {
  const { generate, call, get } = await service();
  const document = (await (await get("/openapi.json")).json()) as OpenApi;
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { security, description }]) => {
      const [scope] = security.flatMap(({ apiKey = [] }) => apiKey);
      if (scope) expect(description).toEndWith(`Needs the scope \`${scope}\`.`);
      return scope ? [`${scope}: ${method.toUpperCase()} ${path}`] : [];
    }),
  );
  const expected = scopes.flatMap((scope) => table[scope].map((route) => `${scope}: ${route}`));
  expect(documented.sort()).toEqual(expected.sort());

  for (const scope of scopes) {
    const { header } = await generate({ scopes: [scope] });
    for (const [needed, routes] of Object.entries(table))
      for (const route of routes) {
        const { status } = await call(route, header);
        const isImplied = scope === "newsletter:write" && needed === "newsletter:read";
        expect([scope, route, status === 403]).toEqual([scope, route, needed !== scope && !isImplied]);
      }
  }
});

test("a key without scopes, as all of before, opens what it opened then: content, settings and files", async () => {
  const { call, db, key } = await service();
  const header = await key();
  expect(await look(db, "select scopes, networks from api_keys")).toEqual([{ scopes: null, networks: null }]);
  for (const scope of scopes)
    for (const route of table[scope]) {
      const { status } = await call(route, header);
      expect([route, status === 403]).toEqual([route, !scopesOfBefore.includes(scope)]);
    }
});

test("what a scope refuses is 403 with the scope's name, whatever was sent, and counts for the quota", async () => {
  const { generate, call, send } = await service();
  const { header } = await generate({ scopes: ["content:read"] });
  for (const body of ["{", "{}", JSON.stringify({ filename: "a.txt", mimeType: "text/plain", size: 1 })]) {
    const refused = await call("POST /api/v1/storage/upload", { ...header, "content-type": "application/json" }, body);
    expect([refused.status, await refused.json()]).toEqual([
      403,
      {
        success: false,
        data: null,
        error: {
          code: "FORBIDDEN",
          message: "This key lacks the scope files:write.",
          details: [{ field: "scope", message: "files:write" }],
        },
      },
    ] as never);
  }
  const fourth = await send("/api/v1/settings", { method: "HEAD", headers: header });
  expect([fourth.status, await fourth.text(), fourth.headers.get("ratelimit")]).toEqual([403, "", '"key";r=596;t=60']);
});

test("a prepared response is not for a key that lacks its scope, or is used elsewhere", async () => {
  const { generate, get, key } = await service();
  const path = "/api/v1/posts?limit=5";
  const everything = await key();
  const { header: narrow } = await generate({ scopes: ["files:read"] });
  const { header: bound } = await generate({ networks: ["192.0.2.0/24"] });
  for (let n = 0; n < 2; n++)
    expect([
      (await get(path, everything)).status,
      (await get(path, narrow)).status,
      (await get(path, bound, "198.51.100.1")).status,
      (await get(path, bound, "192.0.2.7")).status,
    ]).toEqual([200, 403, 401, 200]);
});

test("a key is accepted from its networks only, behind trusted proxies too", async () => {
  const { generate, get } = await service();
  const { header } = await generate({ networks: ["192.0.2.0/24", "2001:db8::/48"] });
  const status = async (peer: string, forwarded?: string) =>
    (await get("/api/v1/settings", { ...header, ...(forwarded && { "x-forwarded-for": forwarded }) }, peer)).status;
  expect([await status("192.0.2.255"), await status("::ffff:192.0.2.1"), await status("2001:db8::1")]).toEqual([
    ...[200, 200, 200],
  ]);
  expect([await status("192.0.3.1"), await status("2001:db8:1::1"), await status("127.0.0.1")]).toEqual([
    ...[401, 401, 401],
  ]);
  expect([await status("127.0.0.1", "192.0.2.1"), await status("198.51.100.1", "192.0.2.1")]).toEqual([200, 401]);
});

test("unknown, inactive, expired and used elsewhere: one 401, byte for byte", async () => {
  const { clock, db, generate, get, now } = await service();
  const inactive = await generate();
  await apiKeys.deactivate(db, inactive.id, { actor: "cli" }, now());
  const expired = await generate({ expiresAt: new Date(clock.time + 1) });
  const elsewhere = await generate({ networks: ["192.0.2.0/24"] });
  clock.time += 1;
  const seen = new Set<string>();
  for (const { header } of [{ header: { "x-api-key": "unknown" } }, inactive, expired, elsewhere]) {
    const answer = await get("/api/v1/settings", header);
    answer.headers.delete("x-request-id");
    seen.add(JSON.stringify([answer.status, [...answer.headers], await answer.text()]));
  }
  expect([...seen]).toEqual([expect.stringContaining("Invalid or inactive API key")]);
});

test("who still uses a replaced key is on record: network, agent and endpoint, once each; refusals too", async () => {
  const { callers, clock, db, generate, get, now } = await service();
  const old = await generate({ networks: ["192.0.2.0/24"], scopes: ["content:read"] });
  const { id } = old;
  await replaceKey(db, { id, prefix: "site", stopsAt: new Date(clock.time + 86_400_000) }, { actor: "cli" }, now());
  const ask = (path: string, agent: string, peer = "192.0.2.7") =>
    get(path, { ...old.header, "user-agent": agent }, peer);
  for (let n = 0; n < 3; n++) await ask("/api/v1/posts", "Blog");
  await ask("/api/v1/posts", "Cron");
  clock.time += 1_000;
  await ask("/api/v1/settings", "Blog");
  await ask("/api/v1/posts", "Thief", "198.51.100.9");
  const shown = (await callers(id)).map(({ network, agent, route, outcome, calls }) =>
    [network, agent, route, outcome, calls].join(" "),
  );
  const posts = "GET /api/v1/posts";
  expect(shown.slice(0, 3).sort()).toEqual([
    "192.0.2.0/24 Blog GET /api/v1/settings accepted 1",
    "192.0.2.0/24 Blog GET /api/v1/settings scope 1",
    `198.51.100.0/24 Thief ${posts} network 1`,
  ]);
  expect(shown.slice(3).sort()).toEqual([
    `192.0.2.0/24 Blog ${posts} accepted 3`,
    `192.0.2.0/24 Cron ${posts} accepted 1`,
  ]);
});

test("of each key the twenty latest callers are kept, however many there are", async () => {
  const { callers, clock, counters, db, generate, get } = await service();
  const { header, id } = await generate({ networks: ["192.0.2.0/24"] });
  for (let n = 0; n < 50; n++) {
    clock.time += 1_000;
    await get("/api/v1/posts", { ...header, "user-agent": `Agent ${n}` }, "198.51.100.9");
    if (n % 7 === 0) await counters.flush();
  }
  const kept = await callers(id);
  expect(await look(db, "select count(*) n from api_key_callers")).toEqual([{ n: 20 }]);
  expect([kept.length, kept[0]?.agent, kept.at(-1)?.agent]).toEqual([20, "Agent 49", "Agent 30"]);
});

test("calls during a write that fails are added to those it had, up to a thousand callers", async () => {
  const { clock, db, generate, log, now } = await service();
  const { id } = await generate();
  const refused = (agent: string) => {
    const request = new Request("http://localhost:3000/", { headers: { "user-agent": agent } });
    counters.keyRefused({ id }, now().getTime(), { request, route: "GET /", address: "192.0.2.7" }, "network");
  };
  let isLocked = true;
  const write: Db["write"] = (work, how) => {
    if (!isLocked) return db.write(work, how);
    for (const agent of ["Agent 0", "One too many"]) refused(agent);
    return Promise.reject(new Error("The database is locked"));
  };
  const counters = createCounters({
    config: { BASE_URL: "", BLOG_URL: "", CORS_ORIGINS: new Set() },
    db: { ...db, write },
    log,
    now,
  });
  for (let n = 0; n < 1_000; n++) refused(`Agent ${n}`);
  clock.time += 1_000;
  await counters.flush();
  isLocked = false;
  await counters.flush();
  const [latest, ...others] = await callersOf(db, id);
  expect([latest?.agent, latest?.calls]).toEqual(["Agent 0", 2]);
  expect(others.map(({ agent }) => agent)).not.toContain("One too many");
});

test("a replaced key passes its scopes and networks on", async () => {
  const { db, generate, now } = await service();
  const { id } = await generate({ networks: ["192.0.2.0/24"], scopes: ["content:read", "visitors"] });
  const made = await replaceKey(db, { id, prefix: "site", stopsAt: now() }, { actor: "cli" }, now());
  expect(made?.row).toMatchObject({ networks: ["192.0.2.0/24"], scopes: ["content:read", "visitors"] });
});

test("what a key is limited to is on record", async () => {
  const { db, now } = await service();
  const limits = { networks: ["192.0.2.0/24"], scopes: ["visitors" as const], expiresAt: new Date("2027-01-01") };
  await apiKeys.generateFor(db, { actor: "cli" }, { prefix: "site", name: "Blog", ...limits }, now());
  const [event] = await look<{ details: string }>(db, "select details from audit_events");
  expect(JSON.parse(event?.details ?? "")).toEqual({
    scopes: "visitors",
    networks: "192.0.2.0/24",
    expires: "2027-01-01T00:00:00.000Z",
  });
});
