import { afterAll, beforeAll, expect, test } from "bun:test";
import { allTables, statementsFor } from "../../db/migrations/postgres/tables";
import { administer, open, urlOf } from "../support/postgres/databases";

const server = process.env.TEST_DATABASE_URL ?? "";
const [migrated, described] = ["schema_migrated", "schema_described"];

/** What only the migrations create, and why. */
const byHand = [
  /^table (migrations|posts_short|rate_limit_windows)\b/, // bookkeeping, short fragments, limits of all processes
  /^index (migrations_pkey|rate_limit_windows_pkey|posts_short\w*|folders_above|posts_folded|subscribers_folded|subscriber_counts_state|subscriber_days_day) /,
  /^constraint (migrations|posts_short|rate_limit_windows) /,
];
/** What they remove: subscribers are counted by differences, several for each state or day. */
const removed = [/^index subscriber_(counts|days)_pkey /, /^constraint subscriber_(counts|days) PRIMARY KEY/];

beforeAll(async () => {
  await administer(
    server,
    ...[migrated, described].flatMap((name) => [`drop database if exists ${name}`, `create database ${name}`]),
  );
  await (await open(urlOf(server, migrated))).close();
  await using sql = new Bun.SQL(urlOf(server, described), { max: 1 });
  for (const statement of statementsFor(await allTables())) await sql.unsafe(statement);
});
afterAll(() => administer(server, ...[migrated, described].map((name) => `drop database ${name} with (force)`)));

/** Columns, constraints and indexes, each as one line. */
async function shapeOf(database: string): Promise<string[]> {
  await using sql = new Bun.SQL(urlOf(server, database), { max: 1 });
  const lines: [string][] = await sql
    .unsafe(
      `select 'table ' || table_name || ' ' || column_name || ' ' || data_type || ' ' || coalesce(collation_name, '') || ' '
         || is_nullable || ' ' || is_identity || ' ' || coalesce(column_default, '')
         from information_schema.columns where table_schema = 'public'
       union all select 'index ' || indexname || ' ' || indexdef from pg_indexes where schemaname = 'public'
       union all select 'constraint ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid)
         from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'`,
    )
    .values();
  return lines.map(([line]) => line).sort();
}

test("what the migrations made is what db/schema describes", async () => {
  const [made, wanted] = [await shapeOf(migrated), await shapeOf(described)];
  expect(made.length).toBeGreaterThan(300);
  expect(made.filter((line) => !wanted.includes(line) && !byHand.some((rule) => rule.test(line)))).toEqual([]);
  expect(wanted.filter((line) => !made.includes(line) && !removed.some((rule) => rule.test(line)))).toEqual([]);
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
