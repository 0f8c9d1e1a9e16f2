import { expect, test } from "bun:test";
import { look } from "../../../test/support/look";
import { segmentSentence } from "../../../views/dashboard/segments/sentence";
import type { Db } from "../../engine/open";
import { fold } from "../../lib/fold";
import { openDb } from "../../open";
import { batches, countSelected, list } from "../list";
import { segmentCondition } from "./condition";
import {
  allOf,
  type Condition,
  conditionsOf,
  type FieldCondition,
  freeze,
  isAboutField,
  readSegment,
  type Segment,
} from "./definition";
import { countPeople, lastRow, peopleInSegment } from "./people";
import { changeSegment, listSegments, removeSegment, saveSegment } from "./saved";
import { subscribers } from "../../schema/newsletter";

const start = Date.parse("2026-11-01T00:00:00Z");
const day = 86_400_000;
const now = new Date(start + 24 * day);
const terms = { now, zone: "UTC", language: "en" };
const broadcast = "019a0000-0000-7000-8000-000000000001";
const sequence = "01a1fbc7-6acf-7000-8000-000000000002";

const keys = ["019a0000-0000-7000-8000-0000000000a1", "019a0000-0000-7000-8000-0000000000a2"] as const;

type Person = {
  row: number;
  source: string | null;
  language: string | null;
  status: "active" | "unsubscribed" | "pending" | "suppressed";
  joined: number;
  confirmed: number | null;
  left: number | null;
  tags: string[];
  topics: string[];
  orders: number | null;
  city: string | null;
  got: boolean;
  key: string | null;
  /** The state in the sequence; undefined for who never began it. */
  place: number | undefined;
};

const pick = <Value>(n: number, of: readonly Value[]) => of[n % of.length] as Value;

/** People with every combination of facts, in a fixed disorder. */
const people: Person[] = Array.from({ length: 240 }, (_, i) => {
  const n = (i * 7_919) % 1_009;
  const status = pick(n, ["active", "active", "unsubscribed", "pending", "suppressed"] as const);
  return {
    row: i + 1,
    source: pick(n >> 1, [null, "blog", "shop", ""]),
    language: pick(n >> 2, [null, "en", "de", null]),
    status,
    joined: start + (n % 24) * day,
    confirmed: n % 3 ? null : start + (n % 20) * day,
    left: status === "unsubscribed" && n % 2 ? start + (n % 22) * day : null,
    tags: [...(n % 2 ? ["VIP"] : []), ...(n % 5 ? [] : ["Press"]), ...(i === 17 ? ["Rare"] : [])],
    topics: n % 3 === 1 ? ["recipes"] : [],
    orders: n % 2 ? null : n % 6,
    city: n % 5 === 1 ? "Águeda 100%" : n % 5 === 2 ? "Oslo" : null,
    got: n % 4 === 0,
    key: n % 7 ? null : pick(n, keys),
    place: pick(n, [0, 1, 2, 3, 4, undefined, undefined]),
  };
});

async function filled(): Promise<Db> {
  const db = await openDb(":memory:");
  for (const { row, source, language, status, joined, confirmed, left } of people)
    await look(
      db,
      `insert into subscribers (row, id, email, email_key, source, language, state, suppressed_at, pending_at,
        confirmed_at, unsubscribed_at, folded, created_at, updated_at)
        values (?1, ?2, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?2, ?10, 0)`,
      [
        row,
        `p${row}`,
        source,
        language,
        status === "unsubscribed" ? status : "active",
        status === "suppressed" ? 1 : null,
        status === "pending" ? 1 : null,
        confirmed,
        left,
        joined,
      ],
    );
  for (const [at, name] of ["VIP", "Press", "Rare"].entries()) {
    await look(db, "insert into audience_tags (row, name, folded, used_at) values (?, ?, ?, 0)", [
      at + 1,
      name,
      name.toLowerCase(),
    ]);
    for (const { row } of people.filter(({ tags }) => tags.includes(name)))
      await look(db, "insert into subscriber_tags (tag_row, subscriber_row) values (?, ?)", [at + 1, row]);
  }
  for (const [at, key] of ["orders", "city"].entries())
    await look(
      db,
      "insert into subscriber_fields (row, id, key, name, type, position, created_at) values (?1, ?2, ?2, ?2, ?3, ?1, 0)",
      [at + 1, key, key === "city" ? "text" : "number"],
    );
  const addValue =
    "insert into field_values (subscriber_row, field_row, text, folded, number) values (?1, ?2, ?3, ?4, ?5)";
  for (const { row, orders, city } of people) {
    if (orders !== null) await look(db, addValue, [row, 1, null, null, orders]);
    if (city !== null) await look(db, addValue, [row, 2, city, fold(city), null]);
  }
  const addEvent =
    "insert into subscriber_events (id, subscriber_id, kind, via, api_key_id, created_at) values (?, ?, ?, 'form', ?, 0)";
  for (const { row, key } of people) {
    const id = (await look<{ id: string }>(db, "select id from subscribers where row = ?", [row]))[0]?.id ?? "";
    if (key) await look(db, addEvent, [`s${row}`, id, pick(row, ["subscribed", "reactivated"]), key]);
    else await look(db, addEvent, [`s${row}`, id, "changed", keys[0]]); // what a program changed says nothing
  }
  await look(
    db,
    "insert into topics (row, id, slug, name, folded, position, created_at) values (1, 't', 'recipes', 'R', 'r', 1, 0)",
  );
  for (const { row, topics } of people)
    await look(db, "insert into subscriber_topics (topic_row, subscriber_row, chosen) values (1, ?, ?)", [
      row,
      topics.length,
    ]);
  await look(
    db,
    `insert into broadcasts (id, slug, kind, subject, archive, created_by, created_at, updated_at)
      values (?, 's', 'own', 's', 'none', 'm', 0, 0)`,
    [broadcast],
  );
  for (const { row, got } of people)
    await look(
      db,
      "insert into broadcast_recipients (broadcast_row, subscriber_row, batch_row, state) values (1, ?, 1, ?)",
      [row, got ? pick(row, [0, 1, 3]) : pick(row, [2, 4, 5])],
    );
  await look(
    db,
    `insert into sequences (row, id, name, folded, trigger, created_by, created_at, updated_at)
      values (1, ?, 'Course', 'course', 'subscribed', 'm', 0, 0)`,
    [sequence],
  );
  for (const { row, place } of people)
    if (place !== undefined)
      await look(
        db,
        "insert into sequence_people (sequence_row, subscriber_row, state, entered_at) values (1, ?, ?, 0)",
        [row, place],
      );
  return db;
}

function hasValue(person: Person, condition: FieldCondition): boolean {
  const value = condition.field === "fields.orders" ? person.orders : person.city;
  if (value === null) return condition.is === "empty" || condition.is === "not";
  switch (condition.is) {
    case "filled":
    case "empty":
      return condition.is === "filled";
    case "contains":
      return String(value).includes(condition.of);
    case "least":
      return Number(value) >= condition.of;
    default:
      return (value === condition.of) === (condition.is === "is");
  }
}

/** The meaning of each condition, said once more without SQL. */
function holds(person: Person, condition: Condition): boolean {
  if (isAboutField(condition)) return hasValue(person, condition);
  const { field, is } = condition;
  switch (field) {
    case "status":
      return condition.of.includes(person.status) === (is === "any");
    case "source":
      return condition.of.includes(person.source || null) === (is === "any");
    case "language":
      return (
        condition.of.some((one) => one === person.language || (!person.language && one === "en")) === (is === "any")
      );
    case "topic":
      return condition.of.some((slug) => person.topics.includes(slug)) === (is !== "none");
    case "tag": {
      const has = (name: string) => person.tags.some((tag) => tag.toLowerCase() === name.toLowerCase());
      return is === "every" ? condition.of.every(has) : condition.of.some(has) === (is === "any");
    }
    case "key":
      return condition.of.some((id) => id === person.key) === (is === "any");
    case "broadcast":
      return person.got === (is === "got");
    case "sequence":
      if (is === "never") return person.place === undefined;
      return is === "finished" ? person.place === 3 : person.place !== undefined && person.place < 3;
    default: {
      const at = person[field];
      if (is === "known" || is === "unknown") return (at !== null) === (is === "known");
      if (at === null || !("of" in condition)) return false;
      if (is === "within") return at >= now.getTime() - Number(condition.of) * day;
      const of = Date.parse(String(condition.of));
      return is === "from" ? at >= of : at < of;
    }
  }
}

const inSegment = (person: Person, { all, any }: Segment): boolean => {
  if (all)
    return all.every((node) => ("any" in node ? node.any.some((one) => holds(person, one)) : holds(person, node)));
  return (
    !any || any.some((node) => ("all" in node ? node.all.every((one) => holds(person, one)) : holds(person, node)))
  );
};

const conditions: Condition[] = [
  { field: "status", is: "any", of: ["active"] },
  { field: "status", is: "any", of: ["pending", "suppressed"] },
  { field: "source", is: "any", of: ["blog", null] },
  { field: "language", is: "any", of: ["en"] },
  { field: "language", is: "any", of: ["de"] },
  { field: "tag", is: "any", of: ["vip", "press"] },
  { field: "tag", is: "every", of: ["VIP", "Press"] },
  { field: "tag", is: "any", of: ["Rare"] },
  { field: "tag", is: "any", of: ["nothing"] },
  { field: "topic", is: "any", of: ["recipes"] },
  { field: "fields.orders", is: "least", of: 3 },
  { field: "fields.orders", is: "is", of: 4 },
  { field: "fields.city", is: "is", of: "Oslo" },
  { field: "fields.city", is: "contains", of: "0%" },
  { field: "fields.city", is: "filled" },
  { field: "key", is: "any", of: [keys[0]] },
  { field: "key", is: "any", of: [...keys] },
  { field: "joined", is: "from", of: "2026-11-10" },
  { field: "joined", is: "within", of: 5 },
  { field: "confirmed", is: "before", of: "2026-11-08" },
  { field: "confirmed", is: "known" },
  { field: "left", is: "from", of: "2026-11-10T00:00:00Z" },
  { field: "left", is: "known" },
  { field: "broadcast", is: "got", of: broadcast },
  { field: "sequence", is: "in", of: sequence },
  { field: "sequence", is: "finished", of: sequence },
  { field: "sequence", is: "never", of: sequence },
];
const opposite = (condition: Condition): Condition | undefined => {
  const is = { any: "none", got: "notGot", known: "unknown", is: "not", filled: "empty" }[condition.is as string];
  return is ? ({ ...condition, is } as Condition) : undefined;
};

const rowsOf = async (db: Db, segment: Segment) => {
  const rows: number[] = [];
  for await (const some of peopleInSegment(db, { segment: freeze(segment, terms) })) rows.push(...some);
  return rows;
};

test("every condition means the same counted, listed, selected and looked up again, and with its opposite is everyone", async () => {
  const db = await filled();
  const segments: Segment[] = conditions.flatMap((one) => {
    const other = opposite(one);
    return [{ v: 2 as const, all: [one] }, ...(other ? [{ v: 2 as const, any: [other] }] : [])];
  });
  for (const [at, one] of conditions.entries()) {
    const [two, three] = [pick(at + 3, conditions), pick(at + 7, conditions)];
    segments.push({ v: 2, all: [one, { any: [two, three] }] }, { v: 2, any: [{ all: [one, two] }, three] });
  }
  for (const segment of segments) {
    const expected = people.filter((person) => inSegment(person, segment)).map(({ row }) => row);
    const read = readSegment(JSON.stringify(segment)) ?? { v: 2 };
    const frozen = freeze(read, terms);
    const about = JSON.stringify(segment);
    expect([about, await rowsOf(db, read)]).toEqual([about, expected]);
    expect([about, await countPeople(db, { segment: frozen })]).toEqual([about, expected.length]);
    expect([about, await countSelected(db, { matching: { segment: frozen } })]).toEqual([about, expected.length]);
    const page = await list(db, { segment: frozen }, "-email", { page: 1, per: 25 });
    expect([about, page.total, page.isMore]).toEqual([about, expected.length, false]);
    const again = await db.read((orm) =>
      orm
        .select({ row: subscribers.row })
        .from(subscribers)
        .where(segmentCondition(freeze(frozen, { ...terms, now: new Date(0), language: "nl" })))
        .orderBy(subscribers.row)
        .all(),
    );
    expect([about, again.map(({ row }) => row)]).toEqual([about, expected]);
  }
  for (const one of conditions) {
    const other = opposite(one);
    if (!other) continue;
    const both = [...(await rowsOf(db, { v: 2, all: [one] })), ...(await rowsOf(db, { v: 2, all: [other] }))];
    expect(both.sort((a, b) => a - b)).toEqual(people.map(({ row }) => row));
  }
  await db.close();
});

test("a page, a search and an action keep to the segment", async () => {
  const db = await filled();
  const segment = freeze({ v: 2, all: [{ field: "tag", is: "any", of: ["Rare"] }] }, terms);
  expect((await list(db, { segment }, "joined", { page: 1, per: 25 })).rows.map(({ row }) => row)).toEqual([18]);
  expect((await list(db, { segment, q: "p18" }, "joined", { page: 1, per: 25 })).total).toBe(1);
  expect((await list(db, { segment, q: "p17" }, "joined", { page: 1, per: 25 })).total).toBe(0);
  const selected: number[] = [];
  for await (const batch of batches(db, { matching: { segment } })) selected.push(...batch.map(({ row }) => row));
  expect(selected).toEqual([18]);
  expect(await db.read(lastRow)).toBe(240);
  await db.close();
});

test("the seconds of a moment do not read like another condition", () => {
  const words = { broadcastOf: noName, sequenceOf: noName, keyOf: noName, topicOf: noName, fieldOf: noName };
  const joined = { field: "joined", is: "from", of: "2026-10-31T00:41:51.916Z" } as const;
  expect(segmentSentence({ v: 2, all: [joined] }, { reading: "UTC", ...words })).toBe(
    "People who joined since 31 Oct 2026, 00:41 (and 51.916 s)",
  );
});
const noName = () => undefined;

test("no two segments of different people read alike", async () => {
  const all = conditions.flatMap((one) => [one, opposite(one) ?? one]);
  const segments: Segment[] = [{}];
  for (const one of all)
    for (const two of all) {
      segments.push({ v: 2, all: [one, two] }, { v: 2, any: [one, two] });
      segments.push({ v: 2, all: [one, { any: [two, conditions[0] as Condition] }] });
      segments.push({ v: 2, any: [one, { all: [two, conditions[0] as Condition] }] });
    }
  const read = new Map<string, string>();
  for (const segment of segments) {
    const sentence = segmentSentence(segment, {
      reading: "UTC",
      broadcastOf: () => "“Rain”",
      sequenceOf: () => "Rain",
      keyOf: () => undefined,
      topicOf: () => undefined,
      fieldOf: () => undefined,
    });
    const same = read.get(sentence);
    const meaning = JSON.stringify(people.map((person) => inSegment(person, segment)));
    if (same !== undefined) expect([sentence, meaning]).toEqual([sentence, same]);
    read.set(sentence, meaning);
  }
  expect(
    segmentSentence(
      {
        v: 2,
        all: [
          { field: "source", is: "any", of: ["blog", null] },
          {
            any: [
              { field: "joined", is: "within", of: 30 },
              { field: "tag", is: "every", of: ["a", "b"] },
            ],
          },
        ],
      },
      {
        reading: "UTC",
        broadcastOf: () => undefined,
        sequenceOf: () => undefined,
        keyOf: () => undefined,
        topicOf: () => undefined,
        fieldOf: () => undefined,
      },
    ),
  ).toBe("People who came from “blog” or no source, and who joined in the last 30 days or have the tags “a” and “b”");
});

test("a segment that cannot be read completely is invalid, and the first shape is still read", () => {
  const one = { field: "tag", is: "any", of: ["a"] };
  const broken = [
    "",
    "null",
    "[]",
    "7",
    '{"v":2}',
    '{"v":3,"all":[]}',
    '{"v":2,"all":[]}',
    '{"v":2,"all":[{"all":[{"field":"left","is":"known"}]}]}',
    '{"v":2,"all":[{"any":[{"all":[]}]}]}',
    '{"v":2,"all":[{"field":"status","is":"any","of":["gone"]}]}',
    '{"v":2,"all":[{"field":"joined","is":"within","of":0}]}',
    '{"v":2,"all":[{"field":"joined","is":"from","of":"2026-02-30"}]}',
    '{"v":2,"all":[{"field":"joined","is":"known","of":1}]}',
    '{"v":2,"all":[{"field":"__proto__","is":"any","of":["a"]}]}',
    '{"v":2,"all":[{"field":"tag","is":"any","of":[]}]}',
    '{"v":2,"all":[{"field":"tag","is":"any","of":["a"],"more":1}]}',
    '{"v":2,"all":[{"field":"broadcast","is":"got","of":"x"}]}',
    '{"v":2,"all":[{"field":"sequence","is":"never","of":"x"}]}',
    '{"v":2,"all":[{"field":"key","is":"any","of":["x"]}]}',
    '{"v":2,"all":[{"field":"fields.Orders","is":"least","of":3}]}',
    '{"v":2,"all":[{"field":"fields.orders","is":"least","of":"3"}]}',
    '{"v":2,"all":[{"field":"fields.orders","is":"from","of":"2026-02-30"}]}',
    '{"v":2,"all":[{"field":"fields.orders","is":"filled","of":1}]}',
    JSON.stringify({
      v: 2,
      all: [{ any: Array.from({ length: 11 }, () => one) }, { any: Array.from({ length: 10 }, () => one) }],
    }),
    JSON.stringify({ v: 2, all: [{ ...one, of: ["x".repeat(9_000)] }] }),
    '{"anyOf":[]}',
    '{"anyOf":"blog"}',
    '{"anyOf":[1]}',
    '{"anyOf":[""]}',
    '{"joinedFrom":"soon"}',
    '{"joinedFrom":5}',
    '{"joinedFrom":"2026-02-28T12:00"}',
    '{"confirmedOnly":false}',
    '{"without":"x"}',
    '{"tags":["a"]}',
    '{"__proto__":1}',
  ];
  for (const json of broken) expect([json, readSegment(json)]).toEqual([json, undefined]);
  expect(readSegment('{"joinedFrom":"2026-11-03"}')).toEqual({
    v: 2,
    all: [{ field: "joined", is: "from", of: "2026-11-03T00:00:00Z" }],
  });
  expect(readSegment("{}")).toEqual({});
});

test("a day begins in the site's zone, and what is frozen does not change any more", () => {
  const segment: Segment = { v: 2, all: [{ field: "joined", is: "from", of: "2026-03-01" }] };
  const frozen = freeze(segment, { now, zone: "Europe/Oslo", language: "nb" });
  expect(conditionsOf(frozen)).toEqual([{ field: "joined", is: "from", of: "2026-02-28T23:00:00.000Z" }]);
  expect(freeze(readSegment(JSON.stringify(frozen)) ?? {}, terms)).toEqual(frozen);
  const mixed = allOf([{ field: "left", is: "unknown" }], {
    v: 2,
    any: [{ all: conditions.slice(0, 2) }, pick(3, conditions)],
  });
  expect(mixed.any?.every((node) => "all" in node && node.all[0]?.field === "left")).toBe(true);
});

test("drafts follow a saved segment, what is confirmed does not, and one in use is not deleted", async () => {
  const db = await filled();
  const by = { actor: "m@example.com" };
  const definition: Segment = { v: 2, all: [{ field: "tag", is: "any", of: ["VIP"] }] };
  const saved = await saveSegment(db, { name: "Friends", definition }, by, now);
  if (saved.outcome !== "saved") throw new Error(saved.outcome);
  expect(await saveSegment(db, { name: "FRIENDS", definition }, by, now)).toEqual({ outcome: "taken" });
  const { row, id, version } = saved.segment;
  const add =
    "insert into broadcasts (id, slug, kind, subject, archive, state, segment, segment_row, created_by, created_at, updated_at) values (?1, ?1, 'own', ?1, 'none', ?2, 'old', ?3, 'm', 0, 0)";
  for (const state of ["draft", "scheduled", "sent"]) await look(db, add, [state, state, row]);
  const changed: Segment = { v: 2, all: [{ field: "tag", is: "any", of: ["Press"] }] };
  expect((await changeSegment(db, { id, version }, { definition: changed }, by, now)).outcome).toBe("saved");
  expect(await changeSegment(db, { id, version }, { definition: changed }, by, now)).toEqual({ outcome: "conflict" });
  const segmentsOf = "select segment from broadcasts where segment_row is not null order by row";
  expect((await look<{ segment: string }>(db, segmentsOf)).map(({ segment }) => segment)).toEqual([
    JSON.stringify(changed),
    "old",
    "old",
  ]);
  expect(await removeSegment(db, id, by, now)).toEqual({ outcome: "used", broadcasts: 2 });
  await look(db, "update broadcasts set state = 'sent' where segment_row is not null");
  expect(await removeSegment(db, id, by, now)).toEqual({ outcome: "removed" });
  expect(await listSegments(db)).toEqual([]);
  await db.close();
});
