import { expect, test } from "bun:test";
import { look } from "../../test/support/look";
import { openDb } from "../open";
import { list, relabel, remove } from "./list";
import type { SubscriberFilter } from "./search";
import * as subscribers from "./subscribers";
import { ensureTags, listTags, maxTags, tagsNamed, tagsOf } from "./tags";

const now = new Date("2026-11-24T12:00:00Z");
const later = (days: number) => new Date(now.getTime() + days * 86_400_000);
const by = { actor: "m@example.com" };
const matching = { matching: {} };
const named = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix} ${n}`);

async function withPeople(...emails: string[]) {
  const db = await openDb(":memory:");
  for (const email of emails) await subscribers.subscribe(db, { email }, { via: "form" }, now);
  const tags = async (email: string) => {
    const row = (await subscribers.byEmail(db, email))?.row ?? 0;
    return ((await db.read((orm) => tagsOf(orm, [row]))).get(row) ?? []).map(({ name }) => name);
  };
  const give = (add: string[], taken: string[] = [], at = now) =>
    relabel(db, { selection: matching, labels: { add, remove: taken } }, by, at);
  const history = () => look(db, "select note from subscriber_events where kind = 'changed' order by created_at, id");
  return { db, tags, give, history };
}

test("names that are equal when folded are one tag, in its first spelling; what changes no one is not on record", async () => {
  const { db, tags, give, history } = await withPeople("ada@example.com");
  expect(await give(["Straße", "VIP", "STRASSE", ""])).toMatchObject({ count: 1 });
  expect(await tags("ada@example.com")).toEqual(["Straße", "VIP"]);
  expect(await give(["vip"])).toMatchObject({ count: 0 });
  expect(await give(["Press"], ["vip", "unknown"], later(1))).toMatchObject({ count: 1 });
  expect(await tags("ada@example.com")).toEqual(["Press", "Straße"]);
  expect(await give(["Press"], ["PRESS"])).toMatchObject({ count: 0 }); // both: it stays
  expect(await history()).toEqual([{ note: "+Straße +VIP" }, { note: "+Press −VIP" }]);
  expect(await look(db, "select count(*) as n from audit_events")).toEqual([{ n: 2 }]);
  await db.close();
});

test("a site has at most 200 tags and a person 50; unused ones make place, but not on the day they were used", async () => {
  const { db, tags, give } = await withPeople("ada@example.com");
  await give(named("mine", 60));
  expect(await tags("ada@example.com")).toHaveLength(50);
  expect(await ensureTags(db, named("other", 150), now)).toHaveLength(140);
  expect(await ensureTags(db, ["one more"], now)).toEqual([]);
  expect(await listTags(db)).toHaveLength(50); // of those that someone has
  expect(await ensureTags(db, ["one more", "mine 7"], later(2))).toHaveLength(2);
  expect(await tags("ada@example.com")).toHaveLength(50);
  expect(await ensureTags(db, named("new", 200), later(2))).toHaveLength(maxTags - 51);
  await db.close();
});

test("unused tags go when places are needed, but not within a day of their last use: a commit may be giving them", async () => {
  const { db } = await withPeople();
  const exists = async (name: string) => (await db.read((orm) => tagsNamed(orm, [name]))).length > 0;
  const all = named("unused", maxTags);
  await ensureTags(db, all, now);
  await ensureTags(db, ["unused 7"], later(0.6));
  expect(await ensureTags(db, ["new"], later(1))).toEqual([]);
  expect(await exists("unused 0")).toBe(true);
  expect(await ensureTags(db, ["new"], later(1.1))).toHaveLength(1);
  expect([await exists("unused 0"), await exists("unused 7")]).toEqual([false, true]);
  await db.close();
});

test("two processes that make the same tags at once make them once", async () => {
  const { db } = await withPeople();
  const names = named("tag", 20);
  await Promise.all([names, names.toReversed(), names].map((each) => ensureTags(db, each, now)));
  expect(await look(db, "select count(*) as n from audience_tags")).toEqual([{ n: 20 }]);
  await db.close();
});

test("who is deleted takes the tags along, and a new person with the same row has none of them", async () => {
  const { db, tags, give } = await withPeople("ada@example.com", "bo@example.com");
  await give(["VIP"]);
  await remove(db, { matching: { q: "bo@example" } }, by, now);
  await subscribers.subscribe(db, { email: "cy@example.com" }, { via: "form" }, now);
  expect([await tags("ada@example.com"), await tags("cy@example.com")]).toEqual([["VIP"], []]);
  await remove(db, matching, by, now);
  expect(await look(db, "select * from subscriber_tags")).toEqual([]);
  expect(await listTags(db)).toEqual([]);
  await db.close();
});

test("a filter by tag finds the same people, with every other filter, whether few or more than 10,000 have it", async () => {
  const { db } = await withPeople();
  for (let last = 1_000; last <= 12_000; last += 1_000)
    // each statement ends in the five seconds that one may take
    await look(
      db,
      `with recursive n(i) as (select ${last - 999} union all select i + 1 from n where i < ${last})
        insert into subscribers (id, email, email_key, folded, state, language, created_at, updated_at)
        select 'id' || i, 'p' || i || '@x.org', 'p' || i || '@x.org', 'p' || i || '@x.org',
          case when i % 3 = 0 then 'unsubscribed' else 'active' end, case when i % 4 = 0 then 'es' end, i, i from n`,
    );
  const [few, many] = await ensureTags(db, ["few", "many"], now);
  await look(db, "insert into subscriber_tags select ?, row from subscribers where created_at % 1000 = 0", [
    few?.row ?? 0,
  ]);
  for (let first = 1_000; first < 12_000; first += 1_000)
    await look(
      db,
      `insert into subscriber_tags select ?, row from subscribers where created_at > ${first} and created_at <= ${first + 1_000}`,
      [many?.row ?? 0],
    );
  const found = async (filter: SubscriberFilter) => {
    const { rows, total, isMore } = await list(db, filter, "joined", { page: 1, per: 3 });
    return [rows.map(({ createdAt }) => createdAt.getTime()), total, isMore];
  };
  expect(await found({ tag: "FEW" })).toEqual([[1_000, 2_000, 3_000], 12, false]);
  expect(await found({ tag: "few", status: "active" })).toEqual([[1_000, 2_000, 4_000], 8, false]);
  expect(await found({ tag: "few", status: "unsubscribed", language: "es" })).toEqual([
    [3_000, 6_000, 9_000],
    4,
    false,
  ]);
  expect(await found({ tag: "few", q: "p2000@" })).toEqual([[2_000], 1, false]);
  expect(await found({ tag: "many" })).toEqual([[1_001, 1_002, 1_003], 10_000, true]);
  expect(await found({ tag: "many", status: "active" })).toEqual([[1_001, 1_003, 1_004], 7_333, false]);
  expect(await found({ tag: "many", q: "p2000@", language: "es" })).toEqual([[2_000], 1, false]);
  expect(await found({ tag: "none", status: "active" })).toEqual([[], 0, false]);
  await db.close();
});
