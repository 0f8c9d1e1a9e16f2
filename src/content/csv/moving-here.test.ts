import { describe, expect, test } from "bun:test";
import { openDb } from "../../../db/open";
import { look } from "../../../test/support/look";
import { dateForms, layouts, listOf, saved } from "../../../test/support/lists/programs";
import { importCsv, recognised, refusedCsv } from "./subscribers";

const now = new Date("2026-11-23T12:00:00Z");
const terms = { revive: false, define: true, consent: "Signed up on the old site", origin: { via: "import" as const } };
const open = (bytes: Uint8Array<ArrayBuffer>) => () => new Blob([bytes]).stream();

type Stored = { email: string; name: string; state: string; joined: number };

/** Imports a file, and returns what is stored. */
async function bring(bytes: Uint8Array<ArrayBuffer>, name: string) {
  const db = await openDb(":memory:");
  const source = await recognised(open(bytes), name);
  const report = await importCsv(db, source, terms, now);
  let refused = "";
  for await (const line of refusedCsv(source, now)) refused += line;
  const rows: Stored[] = await look(db, "select email, name, state, created_at as joined from subscribers");
  await db.close();
  return { report, rows, refused: refused.split("\r\n").slice(1, -1), plan: source.plan };
}

/** Brings a list as a program writes it, and compares everyone with what really happened to them. */
async function check(program: string, count: number, form: string, encoding: string) {
  const written = listOf(program, count, dateForms[form] ?? String);
  const { rows, refused, report } = await bring((saved[encoding] ?? never)(written.text), written.name);
  const stored = new Map(rows.map((row) => [row.email, row]));
  const expected = written.people.filter(({ truth }) => truth === "subscribed" || truth === "left");
  const wrong = expected.filter(({ email, first, last, truth, joined }) => {
    const row = stored.get(email);
    const isRight = row?.state === (truth === "left" ? "unsubscribed" : "active") && row.name === `${first} ${last}`;
    return !isRight || row.joined !== joined.getTime();
  });
  const others = written.people.flatMap(({ truth }, at) =>
    truth === "subscribed" || truth === "left" ? [] : [at + 2],
  );
  expect([program, form, encoding, wrong.slice(0, 3), rows.length]).toEqual([
    program,
    form,
    encoding,
    [],
    expected.length,
  ]);
  expect([program, form, refused.map((line) => Number(line.split(",")[0]))]).toEqual([program, form, others]);
  for (const line of refused)
    expect(line).toMatch(/^\d+,status (is not known as|says that the subscription was never)/);
  expect([report.invalid, report.undated]).toEqual([others.length, 0]);
}

function never(): never {
  throw new Error("There is no such encoding");
}

const [programs, forms, encodings] = [Object.keys(layouts), Object.keys(dateForms), Object.keys(saved)];
const each = <T>(list: T[], at: number): T => list[at % list.length] ?? never();
const pairs = programs.flatMap((program, n) =>
  encodings.map((encoding, at) => [program, each(forms, n + at), encoding] as const),
);
const rows = Number(process.env.LIST_ROWS ?? 2_000); // R17 is judged with 5,000
const long = programs.map((program, n) => [program, each(forms, n), each(encodings, n)] as const);

const [tags, some] = [
  ["Editors", "VIP"],
  ["city text", "orders number"],
];
/** What each program's list has besides names, statuses and dates. */
const brought: Record<string, { tags?: string[]; topics?: string[]; fields?: string[] }> = {
  mailchimp: { tags, topics: ["Recipes", "News"], fields: ["company text", "zip_code text"] },
  ghost: { tags: ["Imported", "VIP"], fields: some },
  listmonk: { fields: [...some, "shop_member boolean"] },
  buttondown: { tags, fields: ["city text", "joined_by text"] },
  beehiiv: { tags, fields: ["city text"] },
  kit: { tags, fields: some },
};

describe("a list from another program", () => {
  test.each(long)(
    "of thousands, as %s writes it, with %s dates, in %s: no one who left is active, and no name is damaged",
    (program, form, encoding) => check(program, rows, form, encoding),
  );

  test("is read the same in each encoding, and with each form of dates", async () => {
    for (const [program, form, encoding] of pairs) await check(program, 80, form, encoding);
  });

  test.each(programs)(
    "brings what %s keeps of people along: tags, topics and fields, and nothing else",
    async (program) => {
      const { text, name } = listOf(program, 40, (date) => date.toISOString());
      const db = await openDb(":memory:");
      const source = await recognised(open(saved["utf-8"]?.(text) ?? never()), name);
      const { made, leftOutTags, leftOutValues } = await importCsv(db, source, terms, now);
      const fields: { key: string; type: string; count: number }[] = await look(
        db,
        `select key, type, count(*) as count from subscriber_fields f join field_values on field_row = f."row"
        group by key, type order by min(f."row")`,
      );
      const labels = { tags: made.tags, topics: made.topics, fields: fields.map(({ key, type }) => `${key} ${type}`) };
      const none = { tags: [], topics: [], fields: [] };
      expect({ ...none, ...labels }).toEqual({ ...none, ...brought[program] });
      expect([made.fields.length, leftOutTags, leftOutValues]).toEqual([fields.length, 0, 0]);
      await db.close();
    },
  );
});
