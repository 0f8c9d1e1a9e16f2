import { expect, test } from "bun:test";
import * as apiKeys from "../../../../db/access/keys/api-keys";
import * as audit from "../../../../db/audit";
import { scopes } from "../../../../db/schema/scopes";
import { testService } from "../../../../test/support/service";
import { everything } from "../../../../test/support/look";

const path = "/dashboard/api-keys";
const htmx = { "hx-request": "true", "hx-request-type": "partial", "hx-current-url": `http://localhost:3000${path}` };
const minute = 60_000;
const day = 24 * 60 * minute;

async function service(env: Record<string, string> = {}) {
  const own = await testService(env);
  const manager = await own.signIn();
  /** Opens the form and sends it. */
  const generate = async (name: string, headers: Record<string, string> = {}, limits: Record<string, string> = {}) => {
    const once = onceIn(await (await manager.get(`${path}/new`)).text());
    return {
      once,
      answer: await manager.submit(path, { name, once, ...(limits.scopes && { limited: "yes" }), ...limits }, headers),
    };
  };
  const keys = () => apiKeys.list(own.db);
  const events = async () => (await audit.list(own.db, { group: "api-key" }, { page: 1, per: 50 })).events;
  return { ...own, manager, generate, keys, events };
}

const onceIn = (html: string) => /name="once" value="([^"]+)"/.exec(html)?.[1] ?? "";
const textIn = (html: string) => html.replaceAll("&#34;", '"').replaceAll("&quot;", '"');
const keyIn = (html: string) => /site_live_[0-9a-f]{32}/.exec(html)?.[0] ?? "";

test("a key is shown once, works immediately, and only its hash is stored", async () => {
  const { generate, keys, post, manager, db, logged } = await service();
  const { answer } = await generate("  Blog (production) ");
  const html = await answer.text();
  const key = keyIn(html);
  expect(answer.status).toBe(201);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(html).toContain("Copy your new key");
  expect(html).toContain("This is the only time the key for “<strong>Blog (production)</strong>” is shown");
  expect(key).toHaveLength("site_live_".length + 32);
  expect((await post("/api/v1/storage/upload", {}, { "x-api-key": key })).status).toBe(400);

  const [row] = await keys();
  expect(row).toMatchObject({ name: "Blog (production)", lastFour: key.slice(-4), active: true });
  expect(row?.createdBy).toBe(manager.manager.email);
  const list = await (await manager.get(path)).text();
  expect(list).toContain(`site_live_…${key.slice(-4)}`);
  const secret = key.slice("site_live_".length);
  expect(list).not.toContain(secret);
  expect(JSON.stringify(logged)).not.toContain(secret);
  expect(Buffer.from(await everything(db)).includes(secret)).toBe(false);
});

test("the examples ask this service, not the blog, for what the key may read, and leave the key in the environment", async () => {
  const { generate, config, get } = await service({ BLOG_URL: "https://blog.example.com" });
  for (const scope of scopes) {
    const html = await (await generate(`Blog ${scope}`, {}, { scopes: scope })).answer.text();
    const [, url] = new RegExp(`curl .*\\s+"${config.BASE_URL}(/api/v1[^"]*)"`).exec(textIn(html)) ?? [];
    expect([scope, url !== undefined]).toEqual([scope, scope !== "visitors"]);
    if (url) expect([url, (await get(url, { "x-api-key": keyIn(html) })).status]).toEqual([url, 200]);
    if (url) expect(html).toContain("process.env.POSTROOM_KEY");
    expect(html).toContain(`value="POSTROOM_KEY=${keyIn(html)}"`);
    expect(html.split(keyIn(html))).toHaveLength(3);
    expect(html).not.toContain("blog.example.com");
  }
});

test("with htmx the response is a dialog that stays open, and the list already has the new row", async () => {
  const { generate, keys } = await service();
  const { answer } = await generate("Blog", htmx);
  const html = await answer.text();
  const [row] = await keys();
  expect(answer.status).toBe(201);
  expect(answer.headers.get("hx-retarget")).toBe("#dialog");
  expect(html).toStartWith("<dialog");
  expect(html).toContain('data-dismiss="by-button"');
  expect(html).toContain('<hx-partial hx-target="#list" hx-swap="outerHTML">');
  expect(html).toContain(`id="key-${row?.id}"`);
});

test("reloading the page with the key makes no second one and says so", async () => {
  const { generate, keys, manager } = await service();
  const { once } = await generate("Blog");
  const again = await manager.submit(path, { name: "Blog", once });
  expect([again.status, again.headers.get("location")]).toEqual([303, path]);
  expect(await keys()).toHaveLength(1);
  const list = await (await manager.get(path)).text();
  expect(list).toContain("That key was already shown. Deactivate it and generate a new one if you did not save it.");
});

test("ten simultaneous submissions of one form create one key", async () => {
  const { keys, manager } = await service();
  const once = onceIn(await (await manager.get(`${path}/new`)).text());
  const answers = await Promise.all(Array.from({ length: 10 }, () => manager.submit(path, { name: "Blog", once })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(303)]);
  expect(await keys()).toHaveLength(1);
});

test("the form of one session makes no key in another", async () => {
  const { keys, manager, signIn } = await service();
  const other = await signIn({ email: "other@example.com" });
  const once = onceIn(await (await other.get(`${path}/new`)).text());
  expect((await manager.submit(path, { name: "Blog", once })).status).toBe(303);
  expect(await keys()).toEqual([]);
});

test.each([
  ["nothing", ""],
  ["blanks", "   "],
  ["61 characters", "x".repeat(61)],
  ["a line break", "a\nb"],
])("a name of %s is rejected, and is in the form as it was typed", async (_, name) => {
  const { generate, keys } = await service();
  const { answer, once } = await generate(name);
  const html = await answer.text();
  expect(answer.status).toBe(422);
  expect(html).toContain("Enter a name (up to 60 characters).");
  expect(html).toMatch(/aria-describedby="f-name-hint f-name-error"/);
  expect(onceIn(html)).not.toBe(once);
  expect(await keys()).toEqual([]);
});

test("a name of 60 characters beyond the basic plane is accepted", async () => {
  const { generate } = await service();
  expect((await generate("🔑".repeat(60))).answer.status).toBe(201);
});

test("a name belongs to one active key, in whatever case, and is free again afterwards", async () => {
  const { generate, keys, manager } = await service();
  await generate("Blog");
  const { answer } = await generate("BLOG");
  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain("Another active key already has this name. Choose a different name.");
  const [first] = await keys();
  await manager.submit(`${path}/${first?.id}/deactivate`);
  expect((await generate("BLOG")).answer.status).toBe(201);
});

test("a name is shown as text, whatever it says", async () => {
  const { generate, manager } = await service();
  const name = `"><img src=x onerror=alert(1)>`;
  for (const html of [await (await generate(name)).answer.text(), await (await manager.get(path)).text()]) {
    expect(html).not.toContain("<img src=x");
    expect(html).toContain("&lt;img src=x");
  }
});

test("the password is requested again if it was entered more than 15 minutes ago", async () => {
  const { clock, manager, keys } = await service();
  const once = onceIn(await (await manager.get(`${path}/new`)).text());
  clock.time += 16 * minute;
  const form = await manager.get(`${path}/new`);
  expect(form.headers.get("location")).toBe("/dashboard/confirm?next=%2Fdashboard%2Fapi-keys%2Fnew");
  expect((await manager.submit(path, { name: "Blog", once })).headers.get("location")).toStartWith(
    "/dashboard/confirm",
  );
  expect(await keys()).toEqual([]);
});

test("deactivating asks for confirmation, and says when the key was last used and what will happen", async () => {
  const { generate, keys, manager, db, clock } = await service();
  await generate("Blog");
  const id = (await keys())[0]?.id ?? "";
  const question = () => manager.get(`${path}/${id}/deactivate`).then((answer) => answer.text());
  expect(await question()).toContain("Never used. Requests with this key will fail immediately (401).");
  await db.write((orm) => apiKeys.recordUses(orm, new Map([[id, new Date(clock.time - 120 * minute)]])));
  const html = await question();
  expect(html).toContain("Deactivate “Blog”?");
  expect(html).toContain("Last used 2 hours ago.");
  expect((await keys())[0]?.active).toBe(true);
});

test("a deactivated key is refused from the next request on", async () => {
  const { generate, keys, manager, post } = await service();
  const key = keyIn(await (await generate("Blog")).answer.text());
  const id = (await keys())[0]?.id ?? "";
  const answer = await manager.submit(`${path}/${id}/deactivate`, {}, htmx);
  expect(await answer.text()).toContain("API key “Blog” deactivated.");
  const refused = await post("/api/v1/storage/upload", {}, { "x-api-key": key });
  expect(refused.status).toBe(401);
  expect(await refused.json()).toEqual({
    success: false,
    data: null,
    error: { code: "UNAUTHORIZED", message: "Invalid or inactive API key" },
  });
});

test("deactivating twice, or what is not there, says so and changes nothing", async () => {
  const { generate, keys, manager, clock, events } = await service();
  await generate("Blog");
  const id = (await keys())[0]?.id ?? "";
  await manager.submit(`${path}/${id}/deactivate`);
  const before = await keys();
  clock.time += minute;
  const again = await manager.submit(`${path}/${id}/deactivate`, {}, htmx);
  expect(await again.text()).toContain("API key “Blog” was already deactivated.");
  const missing = await manager.submit(`${path}/unknown/deactivate`, {}, htmx);
  expect(await missing.text()).toContain("This API key no longer exists.");
  expect(await keys()).toEqual(before);
  expect((await events()).map(({ action }) => action)).toEqual(["api-key.deactivate", "api-key.create"]);
});

test("both changes are audited with who did it and from where, and without the key", async () => {
  const { generate, keys, manager, events } = await service();
  const key = keyIn(await (await generate("Blog")).answer.text());
  const id = (await keys())[0]?.id ?? "";
  await manager.submit(`${path}/${id}/deactivate`);
  const happened = await events();
  for (const event of happened)
    expect(event).toMatchObject({ actor: manager.manager.email, address: "127.0.0.1", targetId: id, target: "Blog" });
  expect(JSON.stringify(happened)).not.toContain(key.slice(-32));
});

test("the list says which keys are not used", async () => {
  const { generate, keys, manager, db, clock, signIn } = await service();
  for (const name of ["Busy", "Idle", "Never"]) await generate(name);
  const used = async (name: string, daysFromNow: number) => {
    const id = (await keys()).find((key) => key.name === name)?.id ?? "";
    const at = new Date(clock.time + daysFromNow * day);
    await db.write((orm) => apiKeys.recordUses(orm, new Map([[id, at]])));
  };
  const stateOf = async (name: string, reader = manager) => {
    const row = (await (await reader.get(path)).text()).split("<tr ").find((text) => text.includes(`>${name}<`)) ?? "";
    return /class="when"[^>]*>(?:<[^>]+>)*([^<]+)/.exec(row)?.[1];
  };
  expect(await stateOf("Never")).toBe("Not used yet");
  await used("Idle", 0);
  await used("Busy", 33);
  clock.time += 34 * day;
  const later = await signIn();
  expect(await stateOf("Busy", later)).toBe("yesterday");
  expect(await stateOf("Idle", later)).toBe("Unused for 34 days");
  expect(await stateOf("Never", later)).toBe("Never used");
});

test("active and inactive keys are distinguished, and the inactive ones come last", async () => {
  const { generate, keys, manager } = await service();
  for (const name of ["Old laptop", "Blog"]) await generate(name);
  const old = (await keys()).find(({ name }) => name === "Old laptop");
  await manager.submit(`${path}/${old?.id}/deactivate`);
  await generate("Newest");
  const namesIn = async (query: string) =>
    [...(await (await manager.get(path + query)).text()).matchAll(/class="who">([^<]+)</g)].map(([, name]) => name);
  expect(await namesIn("")).toEqual(["Newest", "Blog", "Old laptop"]);
  expect(await namesIn("?sort=created")).toEqual(["Blog", "Newest", "Old laptop"]);
  expect(await namesIn("?status=active")).toEqual(["Newest", "Blog"]);
  expect(await namesIn("?status=inactive")).toEqual(["Old laptop"]);
});

test("with no key yet the page says what one is for", async () => {
  const { manager } = await service();
  expect(await (await manager.get(path)).text()).toContain("No keys yet");
});
