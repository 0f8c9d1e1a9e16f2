import { expect, test } from "bun:test";
import * as apiKeys from "../../db/access/keys/api-keys";
import { testService } from "../../test/support/service";

type Service = Awaited<ReturnType<typeof testService>>;

/** Every route behind the key, according to the router, so that new ones are tested too. */
const keyed = async ({ app }: Service) =>
  (await app.routes())
    .filter(({ path }) => path.startsWith("/api/v1/"))
    .map(({ method, path }) => ({ method, path: path.replace(/:\w+/g, "x") }));

async function credentials({ db, key, now, signIn }: Service) {
  const inactive = await apiKeys.generate(db, { prefix: "site", name: "Old" }, now());
  await apiKeys.deactivate(db, inactive.row.id, { actor: "cli" }, now());
  const active = (await key())["x-api-key"] ?? "";
  const { headers: session } = await signIn();
  const named = [{ field: "x-api-key", message: "Send the key in the header x-api-key. Authorization is not read." }];
  const [missing, invalid] = ["Missing API key", "Invalid or inactive API key"];
  return [
    { name: "none", headers: {}, message: missing },
    { name: "empty", headers: { "x-api-key": "" }, message: missing },
    { name: "blank", headers: { "x-api-key": "   " }, message: missing },
    { name: "in Authorization", headers: { authorization: `Bearer ${active}` }, message: missing, details: named },
    {
      name: "in the query",
      headers: {},
      query: `?x-api-key=${active}&api_key=${active}&key=${active}`,
      message: missing,
    },
    { name: "a manager's session", headers: session, message: missing },
    { name: "junk", headers: { "x-api-key": "' OR 1=1 --" }, message: invalid },
    { name: "unknown", headers: { "x-api-key": `site_live_${"0".repeat(32)}` }, message: invalid },
    { name: "deactivated", headers: { "x-api-key": inactive.key }, message: invalid },
    { name: "upper case", headers: { "x-api-key": active.toUpperCase() }, message: invalid },
    { name: "cut short", headers: { "x-api-key": active.slice(0, -1) }, message: invalid },
    { name: "twice", headers: { "x-api-key": `${active}, ${active}` }, message: invalid },
    { name: "its hash", headers: { "x-api-key": inactive.row.hash }, message: invalid },
  ];
}

test("the four keyed endpoints of the contract are there", async () => {
  const routes = (await keyed(await testService())).map(({ method, path }) => `${method} ${path}`);
  for (const route of ["posts", "projects", "settings"]) expect(routes).toContain(`GET /api/v1/${route}`);
  expect(routes).toContain("POST /api/v1/storage/upload");
});

test("without an active key every keyed route responds with 401 before anything else", async () => {
  const service = await testService();
  for (const { method, path } of await keyed(service))
    for (const { name, headers, query = "", message, details } of await credentials(service))
      for (const sent of requests(method)) {
        const separator = query ? "&" : "?";
        const answer = await service.send(`${path}${query}${sent.query ? separator + sent.query : ""}`, {
          method,
          ...(sent.body !== undefined && { body: sent.body }),
          headers: { ...sent.headers, ...headers } as Record<string, string>,
        });
        expect([method, path, name, answer.status, await answer.json()]).toEqual([
          ...[method, path, name, 401],
          { success: false, data: null, error: { code: "UNAUTHORIZED", message, ...(details && { details }) } },
        ] as never);
        expect(answer.headers.get("etag")).toBeNull();
      }
});

/** Requests that would be refused for other reasons, or answered from a cache, if the key were not checked first. */
function requests(method: string): { query?: string; body?: string; headers: Record<string, string> }[] {
  const json = { "content-type": "application/json" };
  if (method !== "POST")
    return [
      { headers: {} },
      { query: "limit=0&featured=maybe&cursor=!", headers: {} },
      { headers: { "if-none-match": "*" } },
    ];
  return [
    { body: "{}", headers: json },
    { body: "{", headers: json },
    { body: "", headers: json },
    { body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } },
    { body: "<a/>", headers: { "content-type": "text/xml" } },
  ];
}

test("no spelling of a path gets around the key", async () => {
  const service = await testService();
  for (const { method, path } of await keyed(service)) {
    const [, , , ...rest] = path.split("/");
    const tail = rest.join("/");
    for (const spelling of [
      `${path}/`,
      `/api//v1/${tail}`,
      `//localhost/api/v1/${tail}`,
      `/API/V1/${tail}`,
      `/api/v1/./${tail}`,
      `/api/v1/../v1/${tail}`,
      `/api/%761/${tail}`,
      `/api/v1%2f${tail}`,
      `/api/v1/${tail};a=b`,
      `/api/v1/${tail}%00`,
      `/api/v1/${tail}#x`,
    ]) {
      const headers = { "content-type": "application/json" };
      const body = method === "POST" ? { body: "{}" } : {};
      const { status } = await service.send(spelling, { method, headers, ...body });
      const isOut = [401, 404, 405].includes(status); // 405 where it spells another path, whose methods the document lists
      expect([spelling, isOut]).toEqual([spelling, true]);
    }
  }
});

test("a wrong method gets the allowed methods, and nothing more", async () => {
  const service = await testService();
  const answer = await service.send("/api/v1/posts", { method: "DELETE" });
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
});

test("keyed endpoints are not for browsers of other sites: no CORS (D41)", async () => {
  const { get, key } = await testService();
  const answer = await get("/api/v1/settings", { ...(await key()), origin: "http://localhost:3000" });
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, null]);
});
