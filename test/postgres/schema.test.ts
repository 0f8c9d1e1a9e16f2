import { afterAll, beforeAll, expect, test } from "bun:test";
import { cp } from "node:fs/promises";
import { migrate } from "../../db/engine/postgres/migrate";
import { additionsTo } from "../../db/migrations/postgres/additions";
import { allTables } from "../../db/migrations/postgres/tables";
import { temporaryFolder } from "../support/processes";
import { administer, open, urlOf } from "../support/postgres/databases";

const server = process.env.TEST_DATABASE_URL ?? "";
const [migrated, described, upgraded] = ["schema_migrated", "schema_described", "schema_upgraded"];
/** What 0001_rules.sql makes and the tables of later files use. */
const vocabulary = "create function number_row() returns trigger language plpgsql as 'begin return new; end'";

/** What only the migrations create, and why. */
const byHand = [
  /^table (migrations|posts_short|rate_limit_windows)\b/, // bookkeeping, short fragments, limits of all processes
  /^index (migrations_pkey|rate_limit_windows_pkey|posts_short\w*|folders_above|posts_folded|subscribers_folded|subscriber_counts_state|audience_counts_ref|subscriber_days_day) /,
  /^constraint (migrations|posts_short|rate_limit_windows) /,
];
/** What they remove: subscribers are counted by differences, several for each state or day. */
const removed = [
  /^index (subscriber_counts|subscriber_days|audience_counts)_pkey /,
  /^constraint (subscriber_counts|subscriber_days|audience_counts) PRIMARY KEY/,
];

beforeAll(async () => {
  await administer(
    server,
    ...[migrated, described, upgraded].flatMap((name) => [
      `drop database if exists ${name}`,
      `create database ${name}`,
    ]),
  );
  await (await open(urlOf(server, migrated))).close();
  await execute(described, [vocabulary, ...additionsTo("", await allTables())]);
});
afterAll(() =>
  administer(server, ...[migrated, described, upgraded].map((name) => `drop database ${name} with (force)`)),
);

async function execute(database: string, statements: string[]): Promise<void> {
  await using sql = new Bun.SQL(urlOf(server, database), { max: 1 });
  for (const statement of statements) await sql.unsafe(statement);
}

/** Columns, constraints, indexes and the triggers that number rows, each as one line. */
async function shapeOf(database: string): Promise<string[]> {
  await using sql = new Bun.SQL(urlOf(server, database), { max: 1 });
  const lines: [string][] = await sql
    .unsafe(
      `select 'table ' || table_name || ' ' || column_name || ' ' || data_type || ' ' || coalesce(collation_name, '') || ' '
         || is_nullable || ' ' || is_identity || ' ' || coalesce(column_default, '')
         from information_schema.columns where table_schema = 'public'
       union all select 'index ' || indexname || ' ' || indexdef from pg_indexes where schemaname = 'public'
       union all select 'constraint ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid)
         from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'
       union all select 'numbered ' || tgrelid::regclass from pg_trigger where tgfoid = to_regproc('number_row')`,
    )
    .values();
  return lines.map(([line]) => line).sort();
}

test("what the migrations made is what db/schema describes", async () => {
  const [made, wanted] = [await shapeOf(migrated), await shapeOf(described)];
  expect(made.length).toBeGreaterThan(300);
  const removals = made.filter((line) => !wanted.includes(line) && !byHand.some((rule) => rule.test(line)));
  const missing = wanted.filter((line) => !made.includes(line) && !removed.some((rule) => rule.test(line)));
  expect({ "only in the migrations": removals, "only in db/schema": missing }).toEqual({
    "only in the migrations": [],
    "only in db/schema": [],
  });
});

test("what is generated brings an earlier database to what db/schema describes", async () => {
  const tables = await allTables();
  const now = additionsTo("", tables);
  const later = [
    /^create table "(erasures|broadcasts)"/,
    /^create (unique )?index \S+ on "(erasures|broadcasts)"/,
    /"broadcasts"/, // and what refers to it
    /^create index "messages_sender"/,
  ];
  const earlier = now
    .filter((statement) => !later.some((rule) => rule.test(statement)))
    .map((statement) => statement.replace('\n  "expires_at" bigint,', ""));
  await execute(upgraded, [vocabulary, ...earlier]);
  const added = additionsTo(`${earlier.join(";\n")};\n`, tables);
  expect(added).toContain('alter table "api_keys" add column "expires_at" bigint');
  await execute(upgraded, added);
  expect(await shapeOf(upgraded)).toEqual(await shapeOf(described));
});

test("a database gets the files that were added since, once, and keeps its rows", async () => {
  using folder = temporaryFolder();
  await cp(`${import.meta.dir}/../../db/migrations/postgres`, folder.path, { recursive: true });
  await Bun.write(`${folder.path}/9998_later.sql`, "alter table settings add column later bigint not null default 7");
  await using pool = new Bun.SQL(urlOf(server, migrated), { max: 1 });
  await pool.unsafe("insert into settings (key, value, updated_at) values ('a', '1', 0)");
  for (let i = 0; i < 2; i++) await migrate(pool, folder.path);
  expect(await pool.unsafe("select value, later::int from settings").values()).toEqual([["1", 7]]);
  await pool.unsafe("alter table settings drop column later; delete from settings");
  await pool.unsafe("delete from migrations where name = '9998_later.sql'");
});

test("a newer database is refused, and left alone", async () => {
  await using sql = new Bun.SQL(urlOf(server, migrated), { max: 1 });
  await sql.unsafe("insert into migrations (name) values ('9999_future.sql')");
  await expect(open(urlOf(server, migrated))).rejects.toThrow("newer version of Postroom");
  await sql.unsafe("delete from migrations where name = '9999_future.sql'");
  await (await open(urlOf(server, migrated))).close();
});

test("several processes that start simultaneously migrate once", async () => {
  await administer(server, "create database schema_together");
  const opened = await Promise.all(Array.from({ length: 5 }, () => open(urlOf(server, "schema_together"))));
  const names = await opened[0]?.read((orm) => orm.values("select count(*), count(distinct name) from migrations"));
  expect(names?.[0]?.[0]).toBe(names?.[0]?.[1]);
  await Promise.all(opened.map((db) => db.close()));
  await administer(server, "drop database schema_together with (force)");
});

test("a database whose letters end with ASCII is refused", async () => {
  const locale = "template template0 lc_collate 'C' lc_ctype 'C' locale_provider libc";
  await administer(server, `create database schema_ascii ${locale}`);
  await expect(open(urlOf(server, "schema_ascii"))).rejects.toThrow("LC_CTYPE");
  await administer(server, "drop database schema_ascii with (force)");
});
