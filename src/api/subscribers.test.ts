import { expect, test } from "bun:test";
import { addByHand, edit } from "../../db/newsletter/edit";
import { addField, allFields } from "../../db/newsletter/fields";
import { listByRow } from "../../db/newsletter/by-row";
import { pauseFor } from "../../db/newsletter/preferences";
import { saveSegment } from "../../db/newsletter/segments/saved";
import * as subscribers from "../../db/newsletter/subscribers";
import { addTopic } from "../../db/newsletter/topics";
import { suppress } from "../../db/suppressions/suppressions";
import { testService } from "../../test/support/service";

const path = "/api/v1/subscribers";
const by = { actor: "cli" };

type Person = { id: string; email: string; status: string; updatedAt: string };
type List = { count: number; subscribers: Person[] };

async function start() {
  const service = await testService();
  const headers = await service.key("Shop", ["newsletter:read"]);
  const ask = async <T>(url: string) => {
    const answer = await service.get(url, headers);
    const { data, error } = (await answer.json()) as { data: T; error: { code: string; details?: object[] } | null };
    return { answer, status: answer.status, data, error };
  };
  const list = (query = "") => ask<List>(path + query);
  const emails = async (query = "") => (await list(query)).data.subscribers.map(({ email }) => email);
  const add = async (...names: string[]) => {
    for (const name of names)
      await subscribers.subscribe(service.db, { email: `${name}@example.com` }, { via: "form" }, service.now());
  };
  return { ...service, headers, ask, list, emails, add };
}
const at = (name: string) => `${name}@example.com`;

test("a program reads a subscriber with everything that the site knows", async () => {
  const { ask, db, list, now } = await start();
  await addTopic(db, { name: "Recipes", sentence: "", isDefault: false }, by, now());
  await addTopic(db, { name: "News", sentence: "", isDefault: true }, by, now());
  await addField(db, { name: "Orders", key: "orders", type: "number", options: [] }, by, now());
  const [field] = await db.read(allFields);
  const ada = { email: "Ada@Example.com", name: "Ada Ferris", source: "fair", language: "es" };
  await addByHand(db, { ...ada, tags: ["VIP"] }, { ...by, welcome: false }, now());
  const { id = "" } = (await subscribers.byEmail(db, ada.email)) ?? {};
  const fields = field ? [{ field, value: { text: null, number: 3 } }] : [];
  const topics = { add: ["recipes"], remove: ["news"] };
  await edit(db, { id, details: ada, topics, fields }, by, now());
  const moment = "2026-11-21T12:00:00.000Z";
  const person = {
    id,
    ...ada,
    status: "active",
    timeZone: null,
    tags: ["VIP"],
    topics: ["recipes"],
    fields: { orders: 3 },
    consent: null,
    joinedAt: moment,
    confirmedAt: null,
    unsubscribedAt: null,
    pausedUntil: null,
    suppression: null,
    updatedAt: moment,
  };
  const one = await ask<Person>(`${path}/${id}`);
  expect([one.status, one.data, one.answer.headers.get("cache-control")]).toEqual([200, person, "no-store"] as never);
  expect((await list()).data).toEqual({ count: 1, subscribers: [person] } as never);
  expect((await ask(`${path}/${Bun.randomUUIDv7()}`)).error?.code).toBe("NOT_FOUND");
});

test("everyone is listed once, page after page, and who joins meanwhile comes last", async () => {
  const { add, ask, list } = await start();
  await add("a", "b", "c", "d", "e");
  const pages: string[][] = [];
  let url = `${path}?limit=2`;
  for (let n = 0; url; n++) {
    const { answer, data } = await ask<List>(url);
    pages.push(data.subscribers.map(({ email }) => email));
    expect(answer.headers.has("x-total-count")).toBe(false);
    if (n === 0) await add("f");
    url = /<http:\/\/localhost:3000([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1] ?? "";
  }
  expect(pages).toEqual([["a", "b"].map(at), ["c", "d"].map(at), ["e", "f"].map(at)]);
  expect((await list("?limit=1&count=true")).answer.headers.get("x-total-count")).toBe("6");
});

test("a program asks by address, words, time of change and segment, and for the number", async () => {
  const { add, clock, db, emails, list, now } = await start();
  await add("ada", "bea", "cleo");
  const seen = now().toISOString();
  clock.time += 60_000;
  await subscribers.unsubscribe(db, at("bea"), { via: "link" }, now());
  const later = now().toISOString();
  expect(await emails("?email=ADA@example.com")).toEqual([at("ada")]);
  expect(await emails("?email=nobody@example.com")).toEqual([]);
  expect(await emails("?q=cle")).toEqual([at("cleo")]);
  expect(await emails(`?updatedSince=${seen}`)).toEqual(["ada", "bea", "cleo"].map(at));
  expect(await emails(`?updatedSince=${later}`)).toEqual([at("bea")]);
  expect(await emails(`?updatedSince=${encodeURIComponent("2026-11-21T14:01:00+02:00")}`)).toEqual([at("bea")]);
  const left = {
    v: 2 as const,
    all: [{ field: "status" as const, is: "any" as const, of: ["unsubscribed" as const] }],
  };
  const saved = await saveSegment(db, { name: "Gone", definition: left }, by, now());
  const id = saved.outcome === "saved" ? saved.segment.id : "";
  expect(await emails(`?segment=${id}`)).toEqual([at("bea")]);
  expect(await emails(`?segment=${encodeURIComponent(JSON.stringify(left))}&q=ada`)).toEqual([]);
  for (const [query, total] of [
    ["?count=true", "3"],
    [`?count=true&segment=${id}`, "1"],
    ["?count=true&q=a&limit=1", "1"], // one or two characters begin the address
    ["?count=true&email=ada@example.com", "1"],
  ] as const)
    expect([query, (await list(query)).answer.headers.get("x-total-count")]).toEqual([query, total]);
});

test("what cannot be understood is refused, and never means everyone", async () => {
  const { add, list } = await start();
  await add("ada");
  for (const query of [
    `segment=${Bun.randomUUIDv7()}`,
    "segment={",
    `segment=${encodeURIComponent('{"v":2,"all":[{"field":"mood","is":"any","of":["good"]}]}')}`,
    "email=ada",
    "updatedSince=yesterday",
    "updatedSince=2026-11-21T12:00:00", // in which zone?
    "count=yes",
    "limit=101",
    "cursor=nothing",
  ]) {
    const { status, error } = await list(`?${query}`);
    const [field] = query.split("=");
    expect([query, status, error?.details]).toEqual([query, 400, [expect.objectContaining({ field })]] as never);
  }
});

test("the status says what counts, and why an address gets no email", async () => {
  const { add, ask, db, list, now } = await start();
  await add("left", "bounced", "paused");
  await subscribers.unsubscribe(db, at("left"), { via: "link" }, now());
  await db.write((orm) => suppress(orm, { email: at("bounced"), reason: "bounce" }, { via: "provider" }, now()));
  const until = new Date(now().getTime() + 86_400_000);
  await pauseFor(db, { email: at("paused"), origin: { via: "preferences" }, now: now() }, until);
  const { data } = await list();
  expect(data.subscribers).toMatchObject([
    { status: "unsubscribed", unsubscribedAt: now().toISOString(), suppression: null },
    { status: "suppressed", suppression: { reason: "bounce", at: now().toISOString() } },
    { status: "paused", pausedUntil: until.toISOString() },
  ] as never);
  const [, bounced] = data.subscribers;
  expect((await ask<Person>(`${path}/${bounced?.id}`)).data).toEqual(bounced as never);
});

test("a page that looks for its people for too long ends, and the next one goes on from there", async () => {
  const { db, now } = await start();
  for (let n = 0; n < 3; n++) await subscribers.subscribe(db, { email: `${n}@example.com` }, { via: "form" }, now());
  await db.write((orm) => orm.run('update subscribers set "row" = "row" + 5000 where email_key <> \'0@example.com\''));
  let time = 0;
  const slow = () => (time += 250); // milliseconds for each window of 5,000 rows
  const filter = { updatedSince: new Date(0) };
  const first = await listByRow(db, filter, { limit: 10 }, slow);
  expect([first.people.length, first.next]).toEqual([1, 5_000]);
  const second = await listByRow(db, filter, { limit: 10, after: first.next }, slow);
  expect([second.people.length, second.next]).toEqual([2, undefined]);
});
