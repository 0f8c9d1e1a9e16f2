import { expect, test } from "bun:test";
import { changePeople } from "../../../db/newsletter/change-people";
import { allFields } from "../../../db/newsletter/fields";
import * as subscribers from "../../../db/newsletter/subscribers";
import { allTopics, countsOfTopics } from "../../../db/newsletter/topics";
import { look } from "../../../test/support/look";
import { testService } from "../../../test/support/service";

const [topics, fields] = ["/dashboard/newsletter/topics", "/dashboard/newsletter/fields"];

test("managers add topics, order them, and archive those that people have; they cannot be deleted", async () => {
  const { db, now, signIn } = await testService();
  const manager = await signIn();
  const page = async () => (await manager.get(topics)).text();
  expect(await page()).toContain("No topics yet");
  await manager.submit(topics, { name: "Field notes", sentence: "Twice a month.", isDefault: "yes" });
  await manager.submit(topics, { name: "Workshops", sentence: "" });
  expect((await manager.submit(topics, { name: "FIELD NOTES" })).status).toBe(422);
  expect((await manager.submit(topics, { name: "", sentence: "x".repeat(161) })).status).toBe(422);
  await subscribers.subscribe(db, { email: "ada@example.com" }, { via: "form" }, now());
  const [notes, workshops] = await db.read(allTopics);
  if (!notes || !workshops) throw new Error("No topics");
  expect(notes).toMatchObject({ slug: "field-notes", sentence: "Twice a month.", isDefault: true });

  await manager.submit(`${topics}/${workshops.id}/up`, {});
  await manager.submit(`${topics}/${notes.id}/edit`, { name: "Notes", sentence: "Weekly." });
  expect((await db.read(allTopics)).map(({ slug, name, isDefault }) => [slug, name, isDefault])).toEqual([
    ["workshops", "Workshops", false],
    ["field-notes", "Notes", false],
  ]);
  await manager.submit(`${topics}/${notes.id}/delete`, {});
  expect(await page()).toContain("so it cannot be deleted.");
  await manager.submit(`${topics}/${workshops.id}/delete`, {});
  expect(await page()).toContain("Topic deleted.");
  await manager.submit(`${topics}/${notes.id}/archive`, {});
  expect((await db.read(allTopics)).map(({ name, archivedAt }) => [name, archivedAt])).toEqual([["Notes", now()]]);
  expect(await page()).toContain("Archived");
  await manager.submit(`${topics}/${notes.id}/restore`, {});
  expect((await db.read(allTopics))[0]?.archivedAt).toBeNull();
});

test("managers add fields, whose key and type stay, and delete them with their values", async () => {
  const { db, signIn } = await testService();
  const manager = await signIn();
  const add = (body: Record<string, string>) => manager.submit(fields, body);
  expect((await manager.get(fields)).status).toBe(200);
  await add({ name: "City", key: "city", type: "text", options: "" });
  await add({ name: "Size", key: "size", type: "choice", options: "Small, Large" });
  for (const wrong of [
    { name: "City", key: "city", type: "text" },
    { name: "City", key: "City", type: "text" },
    { name: "Size", key: "other", type: "choice", options: "" },
    { name: "Size", key: "other", type: "colour" },
  ])
    expect((await add(wrong)).status).toBe(422);
  expect(await (await manager.get(fields)).text()).toContain("{city}"); // how an email writes it
  const [city, size] = await db.read(allFields);
  if (!city || !size) throw new Error("No fields");
  expect(size.options).toEqual([
    { id: 1, name: "Small" },
    { id: 2, name: "Large" },
  ]);
  await manager.submit(`${fields}/${size.id}/edit`, { name: "Format", options: "Large, Huge", key: "x", type: "text" });
  expect((await db.read(allFields))[1]).toMatchObject({
    ...{ key: "size", name: "Format", type: "choice" },
    options: [
      { id: 2, name: "Large" },
      { id: 3, name: "Huge" },
    ],
  });
  expect(await (await manager.get(`${fields}/${city.id}/delete`)).text()).toContain("No one has a value.");
  await manager.submit(`${fields}/${city.id}/delete`, { confirmed: "yes" });
  expect((await db.read(allFields)).map(({ key }) => key)).toEqual(["size"]);
});

test("a manager sets the topics and fields of one person, whose page and file then show them", async () => {
  const { db, now, signIn } = await testService();
  const manager = await signIn();
  for (const name of ["Field notes", "Workshops"]) await manager.submit(topics, { name, sentence: "" });
  await manager.submit(fields, { name: "City", key: "city", type: "text", options: "" });
  await manager.submit(fields, { name: "Orders", key: "orders", type: "number", options: "" });
  await manager.submit(fields, { name: "Size", key: "size", type: "choice", options: "Small, Large" });
  await manager.submit(fields, { name: "Member", key: "member", type: "boolean", options: "" });
  await subscribers.subscribe(
    db,
    { email: "ada@example.com", name: "Ada Ferris", topics: ["workshops"] },
    { via: "form" },
    now(),
  );
  const ada = await subscribers.byEmail(db, "ada@example.com");
  const page = `/dashboard/newsletter/${ada?.id}`;
  const form = await (await manager.get(`${page}/edit`)).text();
  expect(form).toMatch(/name="topic-workshops"[^>]*checked/);
  expect(form).toContain('name="hadTopics" value="workshops"');
  const values = { name: "Ada Ferris", tags: "", hadTags: "", hadTopics: "workshops" };
  const wrong = await manager.submit(`${page}/edit`, { ...values, "field-orders": "many", "topic-workshops": "yes" });
  expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringContaining("Enter a number")]);
  const typed = { "field-city": "Porto", "field-orders": "3", "field-size": "large", "field-member": "yes" };
  await manager.submit(`${page}/edit`, { ...values, ...typed, "topic-field-notes": "yes" });
  const html = await (await manager.get(page)).text();
  expect(html).toContain("<h1>Ada Ferris</h1>");
  for (const [name, value] of [
    ["City", "Porto"],
    ["Orders", "3"],
    ["Size", "Large"],
    ["Member", "Yes"],
    ["Topics", "Field notes"],
  ])
    expect(html).toMatch(new RegExp(`<dt>${name}</dt><dd>${value}</dd>`));
  expect(html).toContain("opics changed (+Field notes −Workshops)");
  const file = await manager.get("/dashboard/people/export.json?address=ada%40example.com");
  expect(await file.json()).toMatchObject({
    format: "postroom-person/2",
    subscription: {
      topics: ["field-notes"],
      topicsLeft: [],
      sequences: [],
      fields: { city: "Porto", orders: 3, size: "Large", member: true },
      pausedUntil: null,
    },
  });
  await manager.submit(`${page}/edit`, {
    ...values,
    hadTopics: "field-notes",
    "topic-field-notes": "yes",
    "field-city": "",
  });
  const again = await (await manager.get(page)).text();
  expect(again).not.toContain("<dt>City</dt>");
  expect(again).toContain("<dt>Orders</dt>"); // the form did not have it
});

test("people who are selected get a topic, except who left it", async () => {
  const { db, now, signIn } = await testService();
  const manager = await signIn();
  await manager.submit(topics, { name: "Workshops", sentence: "" });
  const [workshops] = await db.read(allTopics);
  if (!workshops) throw new Error("No topic");
  const ids: string[] = [];
  for (const email of ["ada@example.com", "bo@example.com"]) {
    await subscribers.subscribe(db, { email, topics: ["workshops"] }, { via: "form" }, now());
    ids.push((await subscribers.byEmail(db, email))?.id ?? "");
  }
  const ada = await subscribers.byEmail(db, "ada@example.com");
  if (!ada) throw new Error("Ada is missing");
  const left = { person: ada, topics: { add: [], remove: [workshops] } };
  await db.write((orm) => changePeople(orm, [left], { via: "preferences" }, now()));
  const change = async (more: Record<string, string>) => {
    const form = { do: "change", language: "same", confirmed: "yes", asked: "1", ...more };
    for (const id of ids) await manager.submit("/dashboard/newsletter/bulk", { ...form, ids: id });
  };
  const chosen = () => db.read(countsOfTopics);
  expect(
    await (await manager.submit("/dashboard/newsletter/bulk", { do: "change", ids: ids[0] ?? "" })).text(),
  ).toContain("People who have left the topic do not get it back.");
  await change({ removeTopic: "workshops" });
  expect(await chosen()).toEqual(new Map([[workshops.row, 0]]));
  await change({ addTopic: "workshops" });
  expect(await chosen()).toEqual(new Map([[workshops.row, 1]])); // Bo
});

test("people who are selected get a value in a field at once, which has to fit, and an empty one takes it away", async () => {
  const { db, now, signIn } = await testService();
  const manager = await signIn();
  await manager.submit(fields, { name: "Orders", key: "orders", type: "number", options: "" });
  await manager.submit(fields, { name: "Member", key: "member", type: "boolean", options: "" });
  for (const email of ["ada@example.com", "bo@example.com"])
    await subscribers.subscribe(db, { email }, { via: "form" }, now());
  const change = async (field: string, value: string) => {
    const form = { do: "change", language: "same", confirmed: "yes", asked: "2", all: "matching", field, value };
    return (await manager.submit("/dashboard/newsletter/bulk", form)).text();
  };
  const stored = async () =>
    (await look<{ n: number }>(db, "select number n from field_values order by field_row, subscriber_row")).map(
      ({ n }) => n,
    );
  expect(await change("orders", "many")).toContain("Enter a number, such as 12 or 3.5.");
  expect(await change("member", "perhaps")).toContain("Choose yes or no.");
  expect(await stored()).toEqual([]);
  await change("orders", "3");
  await change("member", "Yes");
  expect(await stored()).toEqual([3, 3, 1, 1]);
  const notes = await look<{ note: string }>(db, "select note from subscriber_events where kind = 'changed'");
  expect(notes.map(({ note }) => note).sort()).toEqual([
    "fields: Member",
    "fields: Member",
    "fields: Orders",
    "fields: Orders",
  ]);
  await change("orders", "");
  expect(await stored()).toEqual([1, 1]);
});
