import { expect, test } from "bun:test";
import { erase } from "../../../db/people/erase";
import * as subscribers from "../../../db/newsletter/subscribers";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";

const path = "/dashboard/newsletter";
const htmx = { "hx-request": "true", "hx-request-type": "partial", "hx-current-url": `http://localhost:3000${path}` };

async function withSubscribers(...emails: string[]) {
  const service = await testService();
  const manager = await service.signIn();
  for (const email of emails) {
    service.clock.time += 1_000;
    await subscribers.subscribe(service.db, { email }, { via: "form" }, service.now());
  }
  service.clock.time += 1_000;
  const idOf = async (email: string) => (await subscribers.byEmail(service.db, email))?.id ?? "";
  const pageOf = async (email: string) => (await manager.get(`${path}/${await idOf(email)}`)).text();
  const tagsOf = async (email: string) =>
    [...(await pageOf(email)).matchAll(/href="[^"]*\?tag=[^"]*">([^<]+)</g)].map(([, tag]) => tag);
  const listed = async (query = "") => {
    const page = await (await manager.get(path + query)).text();
    return [...page.matchAll(/class="who"[^>]*>([^<]+)</g)].map(([, email]) => email);
  };
  return { ...service, manager, idOf, pageOf, tagsOf, listed };
}

test("a manager gives tags when adding someone and on the person's page, and finds people by them", async () => {
  const { manager, idOf, pageOf, tagsOf, listed } = await withSubscribers("bo@example.com");
  expect(await (await manager.get(path)).text()).not.toContain("All tags");
  await manager.submit(path, { email: "ada@example.com", tags: 'VIP, "Ships, boats"', language: "es" });
  expect(await tagsOf("ada@example.com")).toEqual(["Ships, boats", "VIP"]);
  expect(await pageOf("ada@example.com")).toContain("Español (Spanish)");

  const edit = `${path}/${await idOf("bo@example.com")}/edit`;
  await manager.submit(edit, { tags: "press, vip", hadTags: "" });
  expect(await tagsOf("bo@example.com")).toEqual(["press", "VIP"]);
  expect(await pageOf("bo@example.com")).toContain("Tags changed (+press +VIP) by Olive Owner");
  expect(await listed("?tag=VIP")).toEqual(["ada@example.com", "bo@example.com"]);
  expect(await listed("?tag=Press")).toEqual(["bo@example.com"]);
  expect(await listed(`?tag=${encodeURIComponent("Ships, boats")}&language=es`)).toEqual(["ada@example.com"]);
  expect(await listed("?tag=nothing")).toEqual([]);
});

test("saving a form changes only the tags that were changed in it, whatever others did in the meantime", async () => {
  const { manager, idOf, tagsOf } = await withSubscribers("bo@example.com");
  const edit = `${path}/${await idOf("bo@example.com")}/edit`;
  await manager.submit(edit, { tags: "one, two" });
  expect(await (await manager.get(edit)).text()).toContain('name="hadTags" value="one, two"');
  await manager.submit(edit, { tags: "one, two, three", hadTags: "one, two" });
  await manager.submit(edit, { tags: "ONE, four", hadTags: "one, two" });
  expect(await tagsOf("bo@example.com")).toEqual(["four", "one", "three"]);
  const wrong = await manager.submit(edit, { tags: "x".repeat(61), hadTags: "" }, htmx);
  expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining("1 to 60 characters") as never]);
  const many = Array.from({ length: 51 }, (_, n) => `t${n}`).join(",");
  expect((await manager.submit(edit, { tags: many }, htmx)).status).toBe(422);
  expect(await tagsOf("bo@example.com")).toEqual(["four", "one", "three"]);
});

test("tags and language of several are changed at once, after a question, and each has it on the timeline", async () => {
  const people = ["ada@example.com", "bo@example.com", "left@example.com"];
  const { db, now, manager, idOf, pageOf, tagsOf } = await withSubscribers(...people);
  await subscribers.unsubscribe(db, "left@example.com", { via: "page" }, now());
  const chosen = { do: "change", ids: await Promise.all(people.map(idOf)) };
  const question = await (await manager.submit(`${path}/bulk`, chosen, htmx)).text();
  expect(question).toContain("Change the tags and language of 3 subscribers?");
  expect(question).toMatch(/name="addTags".*name="removeTags".*<option value="same" selected>As it is/s);
  const sure = { ...chosen, confirmed: "yes", asked: "3" };
  const wrong = await (await manager.submit(`${path}/bulk`, { ...sure, addTags: "x".repeat(61) }, htmx)).text();
  expect(wrong).toContain("1 to 60 characters");
  const labels = { addTags: "VIP", removeTags: "unknown", language: "fr" };
  const done = await (await manager.submit(`${path}/bulk`, { ...sure, ...labels }, htmx)).text();
  expect(done).toContain("3 subscribers changed.");
  for (const email of people) expect(await tagsOf(email)).toEqual(["VIP"]);
  expect(await pageOf("left@example.com")).toMatch(
    /Unsubscribed.*Tags changed \(\+VIP\)|Tags changed \(\+VIP\).*Unsubscribed/s,
  );
  const again = await (await manager.submit(`${path}/bulk`, { ...sure, ...labels, language: "same" }, htmx)).text();
  expect(again).toContain("Nothing to change");
  await manager.submit(`${path}/bulk`, { ...sure, removeTags: "vip", language: "" }, htmx);
  expect(await look(db, "select state, language from subscribers order by email")).toEqual([
    { state: "active", language: null },
    { state: "active", language: null },
    { state: "unsubscribed", language: null },
  ]);
  expect(await tagsOf("ada@example.com")).toEqual([]);
  const entries = await look(db, "select action from audit_events where action like 'subscriber.%'");
  expect(entries).toEqual(Array(2).fill({ action: "subscriber.change" }));
});

test("tags are exported with everything else about a person, and erased with it, also where a tag names the address", async () => {
  const { db, now, manager, idOf } = await withSubscribers("ada@example.com", "bo@example.com");
  for (const email of ["ada@example.com", "bo@example.com"])
    await manager.submit(`${path}/${await idOf(email)}/edit`, { tags: "VIP, friend of ada@example.com" });
  const json = await (await manager.get("/dashboard/people/export.json?address=ada%40example.com")).json();
  expect(json).toMatchObject({ subscription: { tags: ["friend of ada@example.com", "VIP"], language: null } });
  const what = { id: Bun.randomUUIDv7(), email: "ada@example.com", scope: ["subscription" as const] };
  await erase(db, what, { actor: "m@example.com", via: "manager" }, now());
  expect(await look(db, "select name from audience_tags")).toEqual([{ name: "VIP" }]);
  expect(await look(db, "select count(*) as n from subscriber_tags")).toEqual([{ n: 1 }]);
  expect(JSON.stringify(await look(db, "select * from subscriber_events"))).not.toContain("friend of ada");
});
