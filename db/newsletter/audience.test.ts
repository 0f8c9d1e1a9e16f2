import { expect, test } from "bun:test";
import { look } from "../../test/support/look";
import { openDb } from "../open";
import { cleanUp } from "../ops/cleanup";
import { changePeople, type PersonChange } from "./change-people";
import { addField, allFields, countsOfFields, deleteField, editField, maxFields, valuesOf } from "./fields";
import { storedValue, valueOf } from "./field-values";
import { growthSince } from "./counts";
import { counts, remove } from "./list";
import { endPauses, maxPauseMs, pause, resume } from "./pause";
import { statusOf } from "./rules";
import * as subscribers from "./subscribers";
import { ensureTags } from "./tags";
import {
  addTopic,
  allTopics,
  archiveTopic,
  countsOfTopics,
  deleteTopic,
  editTopic,
  maxTopics,
  moveTopic,
  openTopics,
  topicsOf,
} from "./topics";

const now = new Date("2026-11-24T12:00:00Z");
const later = (days: number) => new Date(now.getTime() + days * 86_400_000);
const by = { actor: "m@example.com" };
const byThem = { via: "preferences" } as const;
const byManager = { via: "manager", actor: by.actor } as const;

async function withPeople(...emails: string[]) {
  const db = await openDb(":memory:");
  for (const email of emails) await subscribers.subscribe(db, { email }, { via: "form" }, now);
  const person = async (email: string) => {
    const subscriber = await subscribers.byEmail(db, email);
    if (!subscriber) throw new Error(`${email} is missing`);
    return subscriber;
  };
  const topic = async (name: string) => {
    await addTopic(db, { name, sentence: `About ${name}`, isDefault: false }, by, now);
    const topics = await db.read(allTopics);
    const last = topics.at(-1);
    if (!last) throw new Error("No topic");
    return last;
  };
  const change = async (
    email: string,
    wanted: Omit<PersonChange, "person">,
    origin: Parameters<typeof changePeople>[2],
  ) => {
    const { row, id } = await person(email);
    return db.write((orm) => changePeople(orm, [{ person: { row, id }, ...wanted }], origin, now));
  };
  const chosen = async (email: string) => {
    const { row } = await person(email);
    const mine = (await db.read((orm) => topicsOf(orm, [row]))).get(row) ?? [];
    return mine.map(({ topic: { slug }, chosen }) => `${chosen ? "+" : "-"}${slug}`);
  };
  const history = () =>
    look(db, "select kind, via, note from subscriber_events where kind <> 'subscribed' order by created_at, id");
  return { db, person, topic, change, chosen, history };
}

test("a topic that someone left is put back by nobody else, and the figures are those of the rows", async () => {
  const { db, topic, change, chosen, history } = await withPeople("ada@example.com", "bo@example.com");
  const [recipes, news] = [await topic("Recipes"), await topic("News")];
  await change("ada@example.com", { topics: { add: [recipes, news], remove: [] } }, byManager);
  await change("bo@example.com", { topics: { add: [recipes], remove: [] } }, byThem);
  expect(await db.read(countsOfTopics)).toEqual(
    new Map([
      [recipes.row, 2],
      [news.row, 1],
    ]),
  );
  await change("ada@example.com", { topics: { add: [], remove: [recipes] } }, byThem);
  await change("ada@example.com", { topics: { add: [], remove: [news] } }, byManager);
  expect(await chosen("ada@example.com")).toEqual(["-recipes"]);
  const again = await change("ada@example.com", { topics: { add: [recipes, news], remove: [] } }, byManager);
  expect([...again.ignored.values()]).toEqual([[recipes]]);
  expect(await chosen("ada@example.com")).toEqual(["-recipes", "+news"]);
  await change("ada@example.com", { topics: { add: [recipes], remove: [] } }, byThem);
  expect(await chosen("ada@example.com")).toEqual(["+recipes", "+news"]);
  expect(await history()).toEqual([
    { kind: "changed", via: "manager", note: "topics: +Recipes +News" },
    { kind: "changed", via: "preferences", note: "topics: +Recipes" },
    { kind: "changed", via: "preferences", note: "topics: −Recipes" },
    { kind: "changed", via: "manager", note: "topics: −News" },
    { kind: "changed", via: "manager", note: "topics: +News" },
    { kind: "changed", via: "preferences", note: "topics: +Recipes" },
  ]);
  await remove(db, { matching: {} }, by, now);
  await cleanUp(db, now);
  expect([...(await db.read(countsOfTopics)).values()]).toEqual([0, 0]);
  await db.close();
});

test("tags, topics, fields and language that change together are one event", async () => {
  const { db, topic, change, history, person } = await withPeople("ada@example.com");
  const recipes = await topic("Recipes");
  await addField(db, { key: "city", name: "City", type: "text", options: [] }, by, now);
  const [city] = await db.read(allFields);
  if (!city) throw new Error("No field");
  const wanted = {
    tags: { add: await ensureTags(db, ["VIP"], now), remove: [] },
    topics: { add: [recipes], remove: [] },
    fields: [{ field: city, value: storedValue(city, " Porto ") ?? null }],
    details: { language: "pt" },
  };
  expect((await change("ada@example.com", wanted, byManager)).changed.size).toBe(1);
  expect((await change("ada@example.com", wanted, byManager)).changed.size).toBe(0);
  expect(await history()).toEqual([
    { kind: "changed", via: "manager", note: "+VIP\ntopics: +Recipes\nfields: City\nlanguage: pt" },
  ]);
  expect(await person("ada@example.com")).toMatchObject({ language: "pt" });
  expect(
    await look(db, "select kind, cast(sum(count) as bigint) n from audience_counts group by kind order by kind"),
  ).toEqual([
    { kind: "field", n: 1 },
    { kind: "tag", n: 1 },
    { kind: "topic", n: 1 },
  ]);
  await db.close();
});

test("topics have an order, names that are taken once folded, and are deleted only if nobody ever had them", async () => {
  const { db, topic, change } = await withPeople("ada@example.com");
  const [recipes, news] = [await topic("Recipes"), await topic("News")];
  const input = { name: "RECIPES", sentence: "", isDefault: true };
  expect(await addTopic(db, input, by, now)).toEqual({ outcome: "taken" });
  expect(await editTopic(db, { id: news.id, ...input }, by, now)).toEqual({ outcome: "taken" });
  expect(await editTopic(db, { id: recipes.id, ...input }, by, now)).toEqual({ outcome: "saved", id: recipes.id });
  await moveTopic(db, news.id, -1);
  await moveTopic(db, news.id, -1); // is the first already
  expect((await db.read(allTopics)).map(({ slug, isDefault }) => [slug, isDefault])).toEqual([
    ["news", false],
    ["recipes", true],
  ]);
  await change("ada@example.com", { topics: { add: [news], remove: [] } }, byThem);
  await change("ada@example.com", { topics: { add: [], remove: [news] } }, byThem);
  expect(await deleteTopic(db, news.id, by, now)).toBe("used");
  await archiveTopic(db, { id: news.id, isArchived: true }, by, now);
  expect((await db.read(openTopics)).map(({ slug }) => slug)).toEqual(["recipes"]);
  expect(await deleteTopic(db, recipes.id, by, now)).toBe("deleted");
  for (let n = 1; n < maxTopics; n++) await topic(`Topic ${n}`);
  expect(await addTopic(db, { ...input, name: "One more" }, by, now)).toEqual({ outcome: "full" });
  await db.close();
});

test("a field holds values of its type alone; an option in use stays, and a deleted field takes its values with it", async () => {
  const { db, change, person } = await withPeople("ada@example.com");
  const types = ["text", "number", "date", "boolean", "choice"] as const;
  for (const type of types)
    await addField(db, { key: type, name: type, type, options: type === "choice" ? ["Red", "Blue"] : [] }, by, now);
  const fields = await db.read(allFields);
  const good = { text: "Porto", number: -3.5, date: "2026-02-28", boolean: false, choice: "blue" };
  const bad = { text: " ", number: Infinity, date: "2026-02-30", boolean: 1, choice: "Green" };
  for (const field of fields) {
    expect([field.key, storedValue(field, bad[field.type])]).toEqual([field.key, undefined]);
    const value = storedValue(field, good[field.type]);
    if (!value) throw new Error(`${field.key} is not valid`);
    await change("ada@example.com", { fields: [{ field, value }] }, byManager);
  }
  const { row } = await person("ada@example.com");
  const mine = (await db.read((orm) => valuesOf(orm, [row]))).get(row);
  const said = fields.map((field) => [field.key, valueOf(field, mine?.get(field.row) ?? { text: null, number: null })]);
  expect(Object.fromEntries(said)).toEqual({ ...good, choice: "Blue" });
  const choice = fields[4];
  if (!choice) throw new Error("No choice");
  expect(await editField(db, { id: choice.id, name: "Colour", options: ["Red"] }, by, now)).toEqual({
    outcome: "in-use",
    option: "Blue",
  });
  await editField(db, { id: choice.id, name: "Colour", options: ["blue", "Green"] }, by, now);
  expect((await db.read(allFields))[4]?.options).toEqual([
    { id: 2, name: "blue" },
    { id: 3, name: "Green" },
  ]);
  expect(await db.read(countsOfFields)).toEqual(new Map(fields.map((field) => [field.row, 1])));
  for (const { id } of fields) await deleteField(db, id, by, now);
  expect(await look(db, "select * from field_values")).toEqual([]);
  await cleanUp(db, now);
  expect([...(await db.read(countsOfFields)).values()]).toEqual([0, 0, 0, 0, 0]);
  for (let n = 0; n < maxFields; n++)
    await addField(db, { key: `f${n}`, name: "F", type: "text", options: [] }, by, now);
  expect(await addField(db, { key: "more", name: "F", type: "text", options: [] }, by, now)).toEqual({
    outcome: "full",
  });
  await db.close();
});

test("who pauses is not active until the pause ends, whatever becomes of them meanwhile", async () => {
  const { db, person, history } = await withPeople(
    "ada@example.com",
    "bo@example.com",
    "cy@example.com",
    "di@example.com",
  );
  const growth = async () => {
    const { active, days } = await growthSince(db, 0);
    return [active, days.reduce((n, d) => n + d.joined - d.unsubscribed - d.suppressed - d.deleted - d.paused, 0)];
  };
  for (const email of ["ada@example.com", "bo@example.com", "cy@example.com"]) {
    const { id } = await person(email);
    await db.write((orm) => pause(orm, { person: id, until: later(30) }, byThem, now));
  }
  expect(statusOf(await person("ada@example.com"))).toBe("paused");
  expect(await counts(db)).toEqual({ active: 1, unsubscribed: 0, pending: 0, paused: 3, suppressed: 0 });
  expect(await growth()).toEqual([1, 1]);
  await subscribers.unsubscribe(db, "bo@example.com", { via: "link" }, now);
  await remove(db, { ids: [(await person("cy@example.com")).id] }, by, now);
  expect(await counts(db)).toEqual({ active: 1, unsubscribed: 1, pending: 0, paused: 1, suppressed: 0 });
  expect(await growth()).toEqual([1, 1]);
  expect((await endPauses(db, later(29))).count).toBe(0);
  expect((await endPauses(db, later(30))).count).toBe(2);
  expect(await counts(db)).toEqual({ active: 2, unsubscribed: 1, pending: 0, paused: 0, suppressed: 0 });
  expect(await growth()).toEqual([2, 2]);
  const { id } = await person("di@example.com");
  await db.write((orm) => pause(orm, { person: id, until: later(1_000) }, byThem, now));
  expect((await person("di@example.com")).pausedUntil).toEqual(new Date(now.getTime() + maxPauseMs));
  expect(await db.write((orm) => resume(orm, [id], byThem, now))).toEqual([id]);
  expect(await db.write((orm) => resume(orm, [id], byThem, now))).toEqual([]);
  expect((await history()).filter(({ kind }) => kind === "resumed")).toHaveLength(3);
  await db.close();
});

test("who subscribes gets the topics they name, else those that are the default", async () => {
  const { db, topic, change, chosen } = await withPeople();
  const [recipes, news] = [await topic("Recipes"), await topic("News")];
  await editTopic(db, { id: news.id, name: "News", sentence: "", isDefault: true }, by, now);
  const subscribe = (email: string, topics?: string[]) =>
    subscribers.subscribe(db, { email, topics }, { via: "form" }, now);
  await subscribe("ada@example.com", ["recipes", "unknown"]);
  await subscribe("bo@example.com");
  await subscribe("cy@example.com", []);
  await subscribe("ada@example.com", ["news"]); // by anyone: changes nothing of an active address
  expect(await chosen("ada@example.com")).toEqual(["+recipes"]);
  expect([await chosen("bo@example.com"), await chosen("cy@example.com")]).toEqual([["+news"], []]);
  await change("bo@example.com", { topics: { add: [], remove: [news] } }, byThem);
  await subscribers.unsubscribe(db, "bo@example.com", { via: "link" }, now);
  await subscribe("bo@example.com");
  expect(await chosen("bo@example.com")).toEqual(["-news"]);
  await archiveTopic(db, { id: recipes.id, isArchived: true }, by, now);
  await subscribe("di@example.com", ["recipes"]);
  expect(await chosen("di@example.com")).toEqual([]);
  await db.close();
});

test("who leaves during a break and comes back gets email again, by the form or by the link", async () => {
  const { db, person, history } = await withPeople("ada@example.com", "bo@example.com");
  for (const email of ["ada@example.com", "bo@example.com"]) {
    const { id } = await person(email);
    await db.write((orm) => pause(orm, { person: id, until: later(60) }, byThem, now));
    await subscribers.unsubscribe(db, email, { via: "link" }, now);
  }
  await subscribers.subscribe(db, { email: "ada@example.com" }, { via: "form" }, later(1));
  await subscribers.subscribeAgain(db, "bo@example.com", { via: "page" }, later(1));
  expect(await counts(db)).toMatchObject({ active: 2, paused: 0 });
  expect((await history()).map(({ kind }) => kind).slice(-3)).toEqual(["reactivated", "reactivated", "resumed"]);
  await db.close();
});
