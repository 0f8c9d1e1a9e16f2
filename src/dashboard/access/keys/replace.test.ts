import { expect, test } from "bun:test";
import * as apiKeys from "../../../../db/access/keys/api-keys";
import { look } from "../../../../test/support/look";
import { testService } from "../../../../test/support/service";

const path = "/dashboard/api-keys";
const day = 86_400_000;
const text = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
const onceIn = (html: string) => /name="once" value="([^"]+)"/.exec(html)?.[1] ?? "";
const keyIn = (html: string) => /site_live_[0-9a-f]{32}/.exec(html)?.[0] ?? "";

async function service() {
  const own = await testService();
  const { db, clock, get, signIn } = own;
  let manager = await signIn();
  await manager.submit("/dashboard/first-steps", { firstSteps: "hidden" });
  const page = async (from = path) => text(await (await manager.get(from)).text());
  const generate = async (days = "") => {
    const once = onceIn(await (await manager.get(`${path}/new`)).text());
    return keyIn(await (await manager.submit(path, { name: "Blog", once, days })).text());
  };
  const replace = async (id: string, stops: string) => {
    const once = onceIn(await (await manager.get(`${path}/${id}/replace`)).text());
    const answer = await manager.submit(`${path}/${id}/replace`, { once, stops });
    return { once, answer, key: keyIn(await answer.text()) };
  };
  const status = async (key: string) => (await get("/api/v1/settings", { "x-api-key": key })).status;
  /** Days pass, and the manager signs in again. */
  const wait = async (days: number) => {
    clock.time += days * day;
    manager = await signIn();
  };
  const idOf = async (key: string) => {
    const row = (await apiKeys.list(db)).find(({ lastFour }) => key.endsWith(lastFour));
    return row?.id ?? "";
  };
  const submit = (to: string) => manager.submit(to);
  return {
    ...own,
    page,
    generate,
    replace,
    status,
    wait,
    idOf,
    submit,
    get manager() {
      return manager;
    },
  };
}

test("a key that expires works until then and not a moment longer, whatever is cached", async () => {
  const { clock, generate, page, status, wait } = await service();
  const key = await generate("30");
  expect(await status(key)).toBe(200);
  expect(await page()).toContain("In 30 days");
  await wait(16);
  expect(await page("/dashboard")).toContain("API keys that expire within 14 days: “Blog”.");
  clock.time += 14 * day - 1;
  expect(await status(key)).toBe(200);
  clock.time += 1;
  expect(await status(key)).toBe(401);
  await wait(0);
  expect(await page()).toMatch(/All 1 Active 0 Inactive 1 .*Blog .* Expired/);
  expect(await page("/dashboard")).not.toContain("API keys that expire");
  clock.time -= 2;
  expect(await status(key)).toBe(200); // the clock was ahead
});

test("a replaced key works a week longer beside the new one, and another week when it is given more time", async () => {
  const { clock, db, generate, idOf, page, replace, status, submit, wait } = await service();
  const old = await generate();
  const id = await idOf(old);
  expect(await page(`${path}/${id}/replace`)).toContain("In 7 days (28 Nov 2026, 12:00)");
  const { key } = await replace(id, "week");
  expect([await status(old), await status(key)]).toEqual([200, 200]);
  expect(await page()).toContain("Being replaced Stops 28 Nov 2026, 12:00");
  await wait(6);
  clock.time += day / 24; // the password was typed an hour ago
  expect((await submit(`${path}/${id}/extend`)).headers.get("location")).toStartWith("/dashboard/confirm");
  clock.time -= day / 24;
  await submit(`${path}/${id}/extend`);
  expect(await page()).toContain("The old key “Blog” works until 4 Dec 2026, 12:00.");
  await wait(6);
  expect([await status(old), await status(key)]).toEqual([200, 200]);
  await wait(1);
  expect([await status(old), await status(key)]).toEqual([401, 200]);
  await submit(`${path}/${id}/extend`);
  expect([await page(), await status(old)]).toEqual([expect.stringContaining("this key has stopped"), 401] as never);
  expect(await look(db, "select action, target from audit_events where action like 'api-key%' order by id")).toEqual([
    { action: "api-key.create", target: "Blog" },
    { action: "api-key.replace", target: "Blog" },
    { action: "api-key.extend", target: "Blog" },
  ]);
});

test("a leaked key stops now; the new one keeps the lifetime of the old", async () => {
  const { db, generate, idOf, replace, status } = await service();
  const old = await generate("90");
  const { key } = await replace(await idOf(old), "now");
  expect([await status(old), await status(key)]).toEqual([401, 200]);
  expect(
    await look(db, "select active, (expires_at - created_at) / 86400000 as days from api_keys order by id"),
  ).toEqual([
    { active: 0, days: 0 },
    { active: 1, days: 90 },
  ]);
});

test("one form makes one key, and a key is replaced once", async () => {
  const { db, generate, idOf, manager, replace } = await service();
  const id = await idOf(await generate());
  const { once } = await replace(id, "day");
  const again = await manager.submit(`${path}/${id}/replace`, { once, stops: "day" });
  expect([again.status, keyIn(await again.text())]).toEqual([303, ""]);
  expect((await replace(id, "day")).answer.status).toBe(303);
  expect((await manager.get(`${path}/${id}/replace`)).status).toBe(303);
  expect(await apiKeys.list(db)).toHaveLength(2);
});
