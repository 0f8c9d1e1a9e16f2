import { expect, test } from "bun:test";
import * as apiKeys from "../../../../db/access/keys/api-keys";
import { look } from "../../../../test/support/look";
import { testService } from "../../../../test/support/service";

const path = "/dashboard/api-keys";
const onceIn = (html: string) => /name="once" value="([^"]+)"/.exec(html)?.[1] ?? "";
const keyIn = (html: string) => /site_live_[0-9a-f]{32}/.exec(html)?.[0] ?? "";
const text = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
const checked = (html: string) =>
  [...html.matchAll(/<input type="checkbox"[^>]*name="scopes" value="([^"]+)"( checked)?/g)]
    .filter(([, , isChecked]) => isChecked)
    .map(([, scope]) => scope);

async function service(env: Record<string, string> = {}) {
  const own = await testService(env);
  const manager = await own.signIn();
  /** Fills in the form as browsers send it. */
  const generate = async (fields: Record<string, string | string[]>) => {
    const once = onceIn(await (await manager.get(`${path}/new`)).text());
    const answer = await manager.submit(path, { once, limited: "yes", name: "Blog", ...fields });
    const html = await answer.text();
    return { status: answer.status, html, header: { "x-api-key": keyIn(html) } };
  };
  const keys = () => apiKeys.list(own.db);
  const page = async (at: string) => (await manager.get(at)).text();
  return { ...own, manager, generate, keys, page };
}

test("the form has everything of before ticked, and a key made with it is limited in nothing", async () => {
  const { generate, keys, page } = await service();
  const form = await page(`${path}/new`);
  const before = ["content:read", "settings:read", "files:read", "files:write"];
  expect(checked(form)).toEqual(before);
  expect(text(form)).toContain("Your own address is 127.0.0.1");
  expect((await generate({ scopes: before })).status).toBe(201);
  expect(await keys()).toMatchObject([{ scopes: null, networks: null, expiresAt: null }]);
});

test("the list says of every key what it may do, also of one with the usual scopes", async () => {
  const { generate, page } = await service();
  await generate({ scopes: ["content:read", "settings:read", "files:read", "files:write"], networks: "192.0.2.0/24" });
  expect(text(await page(path))).toContain("content:read, settings:read, files:read, files:write, 192.0.2.0/24");
});

test("a key made with other scopes, networks and an end has these, and no others", async () => {
  const { clock, db, generate, get, keys, page } = await service();
  const networks = "192.0.2.0/24,  2001:db8::/48";
  const { header } = await generate({ scopes: ["visitors", "content:read"], networks, days: "30" });
  const [row] = await keys();
  const limits = { scopes: ["content:read", "visitors"], networks: ["192.0.2.0/24", "2001:db8::/48"] };
  expect(row).toMatchObject({ ...limits, expiresAt: new Date(clock.time + 30 * 86_400_000) });
  const status = async (at: string, peer?: string) => (await get(`/api/v1/${at}`, header, peer)).status;
  expect([await status("posts", "192.0.2.1"), await status("settings", "192.0.2.1"), await status("posts")]).toEqual([
    ...[200, 403, 401],
  ]);
  expect(text(await page(path))).toContain("content:read, visitors, 192.0.2.0/24, 2001:db8::/48");
  expect(text(await page(path))).toContain("Passes on the forms and views of visitors");
  expect(text(await page(`${path}/new`))).toContain(
    "pass on forms and views from your own server; limits and statistics count",
  );
  expect(await look(db, "select details from audit_events where action = 'api-key.create'")).toEqual([
    {
      details: JSON.stringify({
        scopes: "content:read, visitors",
        networks: "192.0.2.0/24, 2001:db8::/48",
        expires: "2026-12-21T12:00:00.000Z",
      }),
    },
  ]);
});

test.each([
  ["no scope", {}, "Choose at least one scope."],
  ["a scope there is not", { scopes: "files:delete" }, "Choose at least one scope."],
  ["what is no network", { scopes: "visitors", networks: "blog.example.com" }, "Enter networks such as 203.0.113.0/24"],
  [
    "a trusted proxy's network",
    { scopes: "visitors", networks: "127.0.0.1" },
    "These networks include a trusted proxy.",
  ],
])("%s is rejected, and the form comes back as it was filled in", async (_, fields, message) => {
  const { generate, keys } = await service();
  const { status, html } = await generate({ days: "90", ...fields });
  expect([status, text(html)]).toEqual([422, expect.stringContaining(message)] as never);
  expect(html).toContain('value="Blog"');
  expect(html).toMatch(/<option value="90" selected/);
  expect(checked(html)).toEqual("scopes" in fields && fields.scopes === "visitors" ? ["visitors"] : []);
  if ("networks" in fields) expect(html).toContain(`value="${fields.networks}"`);
  expect(await keys()).toEqual([]);
});

test("a key's page has its limits, and who still uses it once it is replaced", async () => {
  const { counters, generate, get, keys, manager, page } = await service();
  const { header } = await generate({ scopes: ["content:read", "settings:read", "files:read", "files:write"] });
  const old = (await keys())[0]?.id ?? "";
  expect(text(await page(`${path}/${old}`))).toMatch(/Scopes content:read : read posts.* Networks All Expires Never/);
  const once = onceIn(await page(`${path}/${old}/replace`));
  await manager.submit(`${path}/${old}/replace`, { once, stops: "month" });
  expect(text(await page(`${path}/${old}`))).toContain("works until 21 Dec 2026, 12:00. No one has used it since.");
  await get("/api/v1/posts", { ...header, "user-agent": "Cron <b>" }, "192.0.2.7");
  await counters.flush();
  const html = await page(`${path}/${old}`);
  expect(text(html)).toContain("The callers below still used it.");
  expect(text(html)).toMatch(/Cron &lt;b&gt; GET \/api\/v1\/posts 192\.0\.2\.0\/24 Accepted /);
  expect(html).not.toContain("Cron <b>");
});

test("refusals are on the key's page, and a key that is not there is a 404", async () => {
  const { counters, generate, get, keys, manager, page } = await service();
  const { header } = await generate({ scopes: "content:read", networks: "192.0.2.0/24" });
  const id = (await keys())[0]?.id;
  for (const [at, peer] of [
    ["posts", "198.51.100.1"],
    ["posts", "198.51.100.2"],
    ["settings", "192.0.2.1"],
  ])
    await get(`/api/v1/${at}`, header, peer);
  await counters.flush();
  const words = text(await page(`${path}/${id}`));
  expect(words).toMatch(/198\.51\.100\.0\/24 .*Refused: network 2 calls/);
  expect(words).toMatch(/192\.0\.2\.0\/24 .*Refused: scope 1 call /);
  const missing = await manager.get(`${path}/nothing`);
  expect([missing.status, text(await missing.text())]).toEqual([
    404,
    expect.stringContaining("This API key no longer exists."),
  ] as never);
});

test("limits for uploads are set with a key and shown on its page; what cannot be read is asked about", async () => {
  const { generate, keys, page } = await service();
  const scopes = ["files:write"];
  const uploads = { maxBytes: "10000000", types: "image/*, Application/PDF image/*", folder: " /inbox//new/ " };
  expect((await generate({ scopes, ...uploads })).status).toBe(201);
  const [key] = await keys();
  const limits = { maxBytes: 10_000_000, mimeTypes: ["image/*", "application/pdf"], folder: "inbox/new" };
  expect(key?.uploadLimits).toEqual(limits);
  const shown = text(await page(`${path}/${key?.id}`));
  expect(shown).toContain("at most 10 MB; image/*, application/pdf; in the folder inbox/new");
  for (const [wrong, message] of [
    [{ maxBytes: "1e9" }, "The size must be a whole number"],
    [{ types: "pictures" }, "Enter at most 20 types such as image/*"],
    [{ folder: "a/../b" }, "The folder must not contain .."],
  ] as const) {
    const { status, html } = await generate({ scopes, name: "Other", ...wrong });
    expect([wrong, status, text(html)]).toEqual([wrong, 422, expect.stringContaining(message)] as never);
  }
  expect(await keys()).toHaveLength(1);
});

test("a replaced key stops after a quiet day if the box is ticked, and its page says so", async () => {
  const { generate, keys, manager, page } = await service();
  await generate({ scopes: ["content:read"] });
  const id = (await keys())[0]?.id ?? "";
  const form = await page(`${path}/${id}/replace`);
  expect(form).toMatch(/name="quiet" value="yes" checked/);
  await manager.submit(`${path}/${id}/replace`, { once: onceIn(form), stops: "month", quiet: "yes" });
  expect((await keys()).find((key) => key.id === id)).toMatchObject({ endsWhenQuiet: true });
  expect(text(await page(`${path}/${id}`))).toContain("or until no one has used it for a day");
});
