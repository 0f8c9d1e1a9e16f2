import { describe, expect, test } from "bun:test";
import { openDb } from "../../../db/open";
import type { Db } from "../../../db/engine/open";
import { importAll, type ImportedSubscriber } from "../../../db/newsletter/import";
import { addField, allFields } from "../../../db/newsletter/fields";
import { type FieldValue, storedValue } from "../../../db/newsletter/field-values";
import { suppress } from "../../../db/suppressions/suppressions";
import { addTopic, allTopics } from "../../../db/newsletter/topics";
import { everything, lookAt } from "../../../test/support/look";
import { labelsOfSite } from "./labels";
import { exportCsv, importCsv, recognised } from "./subscribers";

const now = new Date("2026-11-23T12:00:00Z");
const by = { actor: "Olive Owner" };
const origin = { via: "import" as const };
const terms = { revive: false, define: true, origin };

const bring = async (db: Db, file: string, more: object = {}) => {
  const source = await recognised(() => new Blob([file]).stream(), "list.csv", await labelsOfSite(db));
  return importCsv(db, source, { ...terms, ...more }, now);
};

async function csvOf(db: Db): Promise<string> {
  let csv = "";
  for await (const lines of exportCsv(db)) csv += lines;
  return csv;
}

const odd = ["Ships, boats", "=1+1", "Café", 'a "b"', "'+x", "−3", "unsubscribed?", "@home", "Ärger; Wut"];
const topicNames = ["Ships, boats", "=1+1", "Café", "Paused"];
const languages = ["es", "pt", undefined, "nl"];
const each = <T>(list: readonly T[], at: number): T => list[at % list.length] ?? never();
function never(): never {
  throw new Error("An empty list");
}

/** A site with tags, topics, fields of all types, languages and pauses, and 120 people who have some of each. */
async function site(): Promise<Db> {
  const db = await openDb(":memory:");
  for (const name of topicNames) await addTopic(db, { name, sentence: "", isDefault: false }, by, now);
  for (const type of ["text", "number", "date", "boolean", "choice"] as const)
    await addField(db, { key: `my_${type}`, name: `My ${type}`, type, options: ["One", "Two, or so"] }, by, now);
  const [topics, fields] = await db.read(async (orm) => [await allTopics(orm), await allFields(orm)] as const);
  const values = (n: number): FieldValue[] => [
    each(odd, n),
    n % 2 ? n / 8 : -n,
    `2026-0${1 + (n % 9)}-11`,
    n % 2 === 0,
    each(["One", "Two, or so"], n),
  ];
  const people = Array.from({ length: 120 }, (_, n): ImportedSubscriber => ({
    email: `p${n}@example.com`,
    name: n % 4 ? null : each(odd, n),
    state: n % 11 ? "active" : "unsubscribed",
    createdAt: new Date(now.getTime() - n * 3_600_000),
    language: languages[n % 4],
    tags: odd.filter((_tag, at) => (n + at) % 3 === 0),
    topics: {
      chosen: topics.filter((_topic, at) => (n + at) % 3 === 0),
      left: topics.filter((_topic, at) => (n + at) % 3 === 1),
    },
    fields: fields.flatMap((field, at) => {
      const value = (n + at) % 4 ? storedValue(field, values(n)[at]) : undefined;
      return value ? [{ field, value }] : [];
    }),
    pausedUntil: n % 5 === 1 ? new Date(now.getTime() + n * 3_600_000) : undefined,
  }));
  await importAll(db, people, { revive: false, origin }, now);
  return db;
}

test("an export that is imported into an empty site is the same export again, and the second time changes nothing", async () => {
  const csv = await csvOf(await site());
  expect(csv.split("\r\n")[0]).toEndWith(
    "tags,topics,topics_left,paused_until,field.my_text,field.my_number,field.my_date,field.my_boolean,field.my_choice,time_zone",
  );
  const db = await openDb(":memory:");
  const planned = await bring(db, csv, { dryRun: true });
  expect(await lookAt(db, "select count(*) from topics")).toEqual([[0]]);
  expect(planned).toMatchObject({ new: 120, newTags: odd.length, newTopics: 4, newFields: 5, leftOutValues: 0 });
  expect(planned.made.topics.toSorted()).toEqual(topicNames.toSorted());
  expect(await bring(db, csv)).toEqual(planned);
  expect(await csvOf(db)).toBe(csv);
  const counts = "select state, count from subscriber_counts order by state";
  expect(await lookAt(db, counts)).toEqual(await lookAt(await site(), counts));
  expect(await bring(db, csv, { update: true })).toMatchObject({ new: 0, newTopics: 0, newFields: 0 });
  expect(await csvOf(db)).toBe(csv);
});

describe("topics and fields of a file", () => {
  const file = 'email,topics,City,Orders\na@x.org,"Recipes, News",Köln,3\nb@x.org,recipes,,many\n';
  const columns = ["email", "topics", "new:text", "new:number"] as const;
  const chosen = async (db: Db, more: object = {}) => {
    const { open, plan } = await recognised(() => new Blob([file]).stream(), "list.csv", await labelsOfSite(db));
    return importCsv(db, { open, plan: { ...plan, columns: [...columns] } }, { ...terms, ...more }, now);
  };

  test("are made only if that was wanted, and counted before; a value that does not fit is left out", async () => {
    const db = await openDb(":memory:");
    const counts = { newTopics: 2, newFields: 2, leftOutValues: 1, leftOutTopics: 0, invalid: 0 };
    const planned = await chosen(db, { dryRun: true });
    expect(planned).toMatchObject({ new: 2, ...counts });
    expect(planned.made).toEqual({ tags: [], topics: ["Recipes", "News"], fields: ["City", "Orders"] });
    expect(await chosen(db, { define: false, dryRun: true })).toMatchObject({
      newTopics: 0,
      leftOutTopics: 2,
      newFields: 0,
      leftOutValues: 3,
    });
    expect(await chosen(db)).toEqual(planned);
    expect(await csvOf(db)).toContain('a@x.org,,,active,2026-11-23T12:00:00.000Z,,,"Recipes, News",,,Köln,3,\r\n');
    expect(await lookAt(db, "select slug from topics order by position")).toEqual([["recipes"], ["news"]]);
    expect(await lookAt(db, "select action from audit_events where action like '%.add' order by action")).toEqual([
      ["field.add"],
      ["field.add"],
      ["topic.add"],
      ["topic.add"],
    ]);
  });

  test("change no one who is here already, and make nothing for them, unless that was chosen: then what they left stays left", async () => {
    const db = await openDb(":memory:");
    await addTopic(db, { name: "Recipes", sentence: "", isDefault: false }, by, now);
    const [topic = never()] = await db.read(allTopics);
    const person = (email: string, left: boolean): ImportedSubscriber => ({
      email,
      state: "active",
      createdAt: now,
      topics: left ? { chosen: [], left: [topic] } : { chosen: [], left: [] },
    });
    await importAll(db, [person("a@x.org", true), person("b@x.org", false)], { revive: false, origin }, now);
    const before = await csvOf(db);
    expect(await chosen(db)).toMatchObject({ already: 2, newTopics: 0, newFields: 0 });
    expect(await csvOf(db)).toBe(before);
    expect(
      await lookAt(
        db,
        "select (select count(*) from topics) as topics, (select count(*) from subscriber_fields) as fields",
      ),
    ).toEqual([[1, 0]]);
    expect(await chosen(db, { update: true })).toMatchObject({ already: 2, newTopics: 1, newFields: 2 });
    const rows = (await csvOf(db)).split("\r\n").map((row) => row.split("Z,")[1]);
    expect(rows.slice(1, 3)).toEqual([",,News,Recipes,,Köln,3,", ",,Recipes,,,,,"]);
  });

  test("bring no one back who left, is suppressed or was erased, and language is ours or the site's", async () => {
    const db = await openDb(":memory:");
    await bring(db, "email,status\nleft@x.org,unsubscribed\nhard@x.org,active\n");
    await db.write((orm) => suppress(orm, { email: "hard@x.org", reason: "manual" }, { via: "manager" }, now));
    const again = "email,topics,language\nleft@x.org,News,es\nhard@x.org,News,tlh\nnew@x.org,News,pt-BR\n";
    expect(await bring(db, again, { update: true })).toMatchObject({ new: 1, keptUnsubscribed: 1, otherLanguage: 1 });
    expect(
      await lookAt(
        db,
        "select email, state, case when suppressed_at is null then 1 else 0 end as mailed, language from subscribers order by email",
      ),
    ).toEqual([
      ["hard@x.org", "active", 0, null],
      ["left@x.org", "unsubscribed", 1, "es"],
      ["new@x.org", "active", 1, "pt"],
    ]);
  });

  test("beyond what a site may have are left out and counted, and refuse no one", async () => {
    const db = await openDb(":memory:");
    const names = Array.from({ length: 30 }, (_, n) => `Topic ${n}`).join(",");
    const cells = Array.from({ length: 14 }, (_, n) => `field.f${n}`);
    const wide = `email,topics,${cells.join(",")}\na@x.org,"${names}",${cells.map(() => "x").join(",")}\n`;
    const planned = await bring(db, wide, { dryRun: true });
    expect(planned).toMatchObject({ new: 1, newTopics: 20, leftOutTopics: 10, newFields: 10, leftOutValues: 4 });
    expect(await bring(db, wide)).toEqual(planned);
    expect(
      await lookAt(db, "select (select count(*) from topics) as topics, (select count(*) from field_values) as fields"),
    ).toEqual([[20, 10]]);
  });
});

test("JSON in a cell may be as deep, wide or broken as it likes: what can be read is a column, and nothing else happens", async () => {
  const db = await openDb(":memory:");
  const cells = [
    `{"a":`.repeat(1_500) + "1" + "}".repeat(1_500),
    JSON.stringify(Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`k${n}`, n]))),
    '{"city":"Köln","city":"Bonn","__proto__":{"x":1},"nul":"a\\u0000b","half":"\\ud800"}',
    "{broken",
    `{"long":"${"x".repeat(500)}"}`,
    '{"status":"unsubscribed"}',
  ];
  const rows = cells.map((cell, n) => `p${n}@x.org,"${cell.replaceAll('"', '""')}"`);
  const report = await bring(db, `email,attributes\n${rows.join("\n")}\n`);
  expect(report).toMatchObject({ new: 6, invalid: 0, newFields: 10, newUnsubscribed: 0 });
});

test("a moment is its day in a field of dates, and stays whole in any other", async () => {
  const db = await openDb(":memory:");
  await addField(db, { key: "met", name: "Met", type: "date", options: [] }, by, now);
  await addField(db, { key: "note", name: "Note", type: "text", options: [] }, by, now);
  const cells = ["2026-11-20", "2026-11-20T23:30:00Z", "2026-11-20 23:30"];
  await bring(db, `email,field.met,field.note\n${cells.map((cell, n) => `p${n}@x.org,${cell},${cell}`).join("\n")}\n`);
  const rows = (await csvOf(db)).trim().split("\r\n").slice(1);
  expect(rows.map((row) => row.split(",").slice(-3, -1)).toSorted()).toEqual(
    cells.map((cell) => ["2026-11-20", cell]).toSorted(),
  );
});

test("two new columns of one name become two fields, the second with a number", async () => {
  const db = await openDb(":memory:");
  const text = "email,Plan A,plan-a\np@example.com,one,two\n";
  const { open, plan } = await recognised(() => new Blob([text]).stream(), "list.csv", await labelsOfSite(db));
  const columns = ["email", "new:text", "new:text"] as const;
  await importCsv(db, { open, plan: { ...plan, columns: [...columns] } }, terms, now);
  expect((await db.read(allFields)).map(({ key }) => key).sort()).toEqual(["plan_a", "plan_a_2"]);
});

test("what cannot be read becomes no tag, topic or name of a field", async () => {
  const db = await openDb(":memory:");
  const damaged = (text: string) => Buffer.from(text, "latin1"); // in a file that is UTF-8 otherwise
  const bytes = Buffer.concat([
    Buffer.from("email,name,tags,topics,field."),
    damaged("gr\u00f6\u00dfe"),
    Buffer.from("\nb@example.com,Zoë Müller,Bücher,Künste,Länge\na@example.com,Åse,VIP;"),
    damaged("Fam\u00fcly,K\u00fcnste,1"),
    Buffer.from("\n"),
  ]);
  const open = () => new Blob([bytes]).stream();
  const source = await recognised(open, "list.csv", { fields: [], topics: [] });
  const terms = { revive: false, define: true, origin: { via: "import" as const } };
  const report = await importCsv(db, source, terms, now);
  expect(report).toMatchObject({ new: 2, invalid: 0, newTags: 2, leftOutTags: 1, newTopics: 1, leftOutTopics: 1 });
  expect(await everything(db)).not.toContain("\ufffd");
  await db.close();
});
