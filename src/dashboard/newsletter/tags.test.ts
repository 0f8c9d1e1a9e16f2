import { expect, test } from "bun:test";
import { addField } from "../../../db/newsletter/fields";
import { erase } from "../../../db/people/erase";
import * as subscribers from "../../../db/newsletter/subscribers";
import { ensureTags } from "../../../db/newsletter/tags";
import { addTopic } from "../../../db/newsletter/topics";
import { by } from "../../../test/support/broadcasts/broadcasts";
import { startedSequence } from "../../../test/support/broadcasts/sequences";
import { importer } from "../../../test/support/lists/importer";
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
  expect(await (await manager.get("/dashboard/audit")).text()).toContain("edited 3 subscribers");
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

/** A sequence of a tag, one of a topic, and one for who confirms. */
async function withSequences() {
  const site = await importer();
  const { db, now } = site;
  await ensureTags(db, ["VIP"], now());
  await addTopic(db, { name: "Recipes", sentence: "", isDefault: true }, by, now());
  await startedSequence(db, now(), { name: "Tagged", trigger: { trigger: "tag", of: "VIP" } });
  await startedSequence(db, now(), { name: "Cooking", trigger: { trigger: "topic", of: "recipes" } });
  await startedSequence(db, now(), { name: "Welcome", trigger: { trigger: "confirmed" } });
  const begun = async () =>
    (
      await look<{ email: string; name: string }>(
        db,
        `select email, sequences.name from sequence_people join sequences on sequences."row" = sequence_row
          join subscribers on subscribers."row" = subscriber_row order by email, sequences.name`,
      )
    ).map(({ email, name }) => `${email.split("@")[0]} ${name}`);
  return { ...site, begun };
}

const ticked = 'name="begin" value="yes" checked';
const asks = 'name="begin" value="yes"';

test("people who are changed or confirmed at once begin sequences only if that is ticked, and nobody who left does", async () => {
  const { db, now, manager, begun } = await withSequences();
  for (const name of ["ada", "bo", "cy"])
    await subscribers.subscribe(db, { email: `${name}@example.com` }, { via: "form" }, now());
  await subscribers.unsubscribe(db, "cy@example.com", { via: "link" }, now());
  await look(db, "delete from sequence_people"); // by the topic, which the form gave them
  const send = async (fields: Record<string, string>) =>
    (await manager.submit(`${path}/bulk`, { language: "same", all: "matching", asked: "3", ...fields })).text();
  const question = await send({ do: "change" });
  expect(question).toContain(asks);
  expect(question).not.toContain(ticked);
  const labels = { do: "change", confirmed: "yes", addTopic: "recipes" };
  await send({ ...labels, addTags: "VIP" });
  expect(await begun()).toEqual([]);
  await send({ ...labels, removeTags: "VIP", addTopic: "", begin: "yes" });
  expect(await begun()).toEqual([]);
  await send({ ...labels, addTags: "VIP", begin: "yes" });
  expect(await begun()).toEqual(["ada Tagged", "bo Tagged"]); // they have the topic already

  await look(db, "update subscribers set pending_at = 1");
  await look(db, "delete from sequence_people");
  const confirm = { do: "confirm", note: "They said so by phone" };
  expect(await send(confirm)).toContain(asks);
  await send({ ...confirm, confirmed: "yes", begin: "yes" });
  expect(await begun()).toEqual(
    ["ada", "bo"].flatMap((name) => ["Cooking", "Tagged", "Welcome"].map((sequence) => `${name} ${sequence}`)),
  );
});

test("an import begins sequences only if that is ticked, of tags and topics alone, and for nobody who left", async () => {
  const { bring, upload, post, begun } = await withSequences();
  const file = (people: string) => `email,tags,topics,state\n${people}`;
  const { upload: token, page, columns } = await upload(file("ada@example.com,VIP,recipes,active\n"));
  expect(page).toContain(asks);
  expect(page).not.toContain(ticked);
  const review = await (await post("review", { upload: token, columns, begin: "yes" })).text();
  expect(review).toContain("will get the emails of that sequence");
  expect(await (await post("columns", { upload: token })).text()).toContain(ticked); // it is remembered
  expect(await begun()).toEqual([]);
  await bring(file("bo@example.com,VIP,recipes,active\n"));
  expect(await begun()).toEqual([]);
  const more = "ada@example.com,VIP,recipes,active\ncy@example.com,VIP,recipes,unsubscribed\n";
  await bring(file(more), undefined, { begin: "yes" });
  expect(await begun()).toEqual(["ada Cooking", "ada Tagged"]);
});

test("without a sequence that a tag or topic begins, neither an import nor a change of many people asks about sequences", async () => {
  const { db, now, upload, manager } = await importer();
  await startedSequence(db, now(), {});
  await subscribers.subscribe(db, { email: "ada@example.com" }, { via: "form" }, now());
  expect((await upload("email,tags\nbo@example.com,VIP\n")).page).not.toContain(asks);
  const question = await manager.submit(`${path}/bulk`, { do: "change", all: "matching" });
  expect(await question.text()).not.toContain(asks);
});

test("a value of a field is one line, whatever a form sends", async () => {
  const { db, now, manager, idOf } = await withSubscribers("ada@example.com");
  await addField(db, { name: "City", key: "city", type: "text", options: [] }, { actor: "cli" }, now());
  const sure = { do: "change", ids: [await idOf("ada@example.com")], confirmed: "yes", asked: "1", language: "same" };
  const wrong = await manager.submit(`${path}/bulk`, { ...sure, field: "city", value: "Oslo\u0000" }, htmx);
  expect(await wrong.text()).toContain("Use one line of at most 200 characters.");
  await manager.submit(`${path}/bulk`, { ...sure, field: "city", value: "Oslo" }, htmx);
  expect(await look(db, "select text from field_values")).toEqual([{ text: "Oslo" }]);
});

test("tags have a column as soon as anyone has one, which says nothing of those without", async () => {
  const { db, now, manager } = await withSubscribers("bo@example.com");
  const list = async () => (await manager.get(path)).text();
  expect(await list()).not.toContain(">Tags</th>");
  await manager.submit(path, { email: "ada@example.com", name: "Ada", tags: "A, B, C, D", source: "blog" });
  const page = await list();
  expect(page).toContain(">Tags</th>");
  const cells = [...page.matchAll(/<td class="tags"[^>]*>([\s\S]*?)<\/td>/g)].map(([, cell = ""]) =>
    cell
      .replace(/<[^>]+>/g, " ")
      .replace(/\s+/g, " ")
      .trim(),
  );
  expect(cells).toEqual(["A B C +1 and D", "None"]);
  await subscribers.subscribe(db, { email: "cy@example.com", source: "blog" }, { via: "form" }, now());
  expect(await (await manager.get(`${path}?source=blog&q=cy`)).text()).toContain(">Tags</th>");
});

test("a person is listed by name, and by address where the list is sorted by that, or there is no name", async () => {
  const { manager, listed } = await withSubscribers("bo@example.com");
  await manager.submit(path, { email: "ada@example.com", name: "Ada Lovelace" });
  expect(await listed()).toEqual(["Ada Lovelace", "bo@example.com"]);
  expect(await listed("?sort=email")).toEqual(["ada@example.com", "bo@example.com"]);
});
