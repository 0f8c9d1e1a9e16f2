import type { ReservedSQL, SQL } from "bun";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ormOver } from "../../engine/postgres/dialect";
import { indexAll } from "../../posts/search/search.postgres";
import { compare } from "../migrate";
import { isAnyRunning } from "../leases";
import {
  batches,
  type CopiedTable,
  derived,
  namesOf,
  orderOf,
  type Row,
  type Source,
  type Target,
  type Value,
} from "./copy";

const migrations = join(import.meta.dir, "../../migrations/postgres");

const noTimeouts = { statement_timeout: 0, idle_in_transaction_session_timeout: 0 };

/** Opens a PostgreSQL database for one transaction, which may take hours: unless it is finished, nothing has happened. */
export async function postgresSide(url: string): Promise<Source & Target> {
  const pool = new Bun.SQL(url, { max: 2, bigint: true, connectionTimeout: 3, connection: noTimeouts });
  const connection = await pool.reserve();
  const run = async (text: string) => void (await connection.unsafe(text));
  let isOpen = false;
  let filled: CopiedTable[] = [];

  return {
    compatibility: () => compatibility(connection),
    isInUse: () => isAnyRunning(ormOn(pool), new Date()),
    async begin() {
      await run("begin isolation level repeatable read");
      isOpen = true;
    },
    rows: (table) => rowsOf(connection, table),
    async filledTable(tables) {
      for (const { name } of tables)
        if (!derived.has(name) && (await connection.unsafe(`select 1 from "${name}" limit 1`, []).values()).length)
          return name;
      return;
    },
    async prepare(tables) {
      await run("begin");
      isOpen = true;
      filled = tables;
      for (const { name } of tables) await run(`alter table "${name}" disable trigger user`);
      for (const { name } of tables) if (derived.has(name)) await run(`delete from "${name}"`);
    },
    insert: (table, batch) => insert(connection, table, batch),
    async finish(last) {
      if (last) await run(last);
      for (const { name, hasRow } of filled) {
        await run(`alter table "${name}" enable trigger user`);
        if (hasRow)
          await run(
            `select setval(pg_get_serial_sequence('${name}', 'row'), (select coalesce(max("row"), 0) + 1 from "${name}"), false)`,
          );
      }
      await indexAll(ormOn(connection));
      await run("commit");
      isOpen = false;
      await run("analyze"); // without statistics, a search would read every text
    },
    async close() {
      if (isOpen) await run("rollback").catch(() => undefined);
      connection.release();
      await pool.close({ timeout: 1 });
    },
  };
}

const ormOn = (sql: SQL) => ormOver((text, params) => sql.unsafe(text, params).values());

async function compatibility(connection: SQL) {
  const [table] = await connection.unsafe("select to_regclass('migrations')::text", []).values();
  const done: [string][] = table?.[0] ? await connection.unsafe("select name from migrations", []).values() : [];
  const names = (await readdir(migrations)).filter((name) => name.endsWith(".sql"));
  return compare(done.flat(), names);
}

/** In batches, with a cursor. Counts of subscribers are kept there as differences, and as sums everywhere else. */
async function* rowsOf(connection: ReservedSQL, table: CopiedTable): AsyncGenerator<Row[]> {
  const text = summed.has(table.name)
    ? `select ${sumsOf(table)} from "${table.name}" group by ${orderOf(table)} order by ${orderOf(table)}`
    : `select ${namesOf(table)} from "${table.name}" order by ${orderOf(table)}`;
  await connection.unsafe(`declare copied no scroll cursor for ${text}`);
  for await (const count of countsOf(connection, text)) {
    const batch: unknown[][] = await connection.unsafe(`fetch ${count} from copied`, []).values();
    yield batch.map((row) => row.map(plain));
  }
  await connection.unsafe("close copied");
}

/** How many rows the batches have. Another cursor reads the sizes first, because a batch arrives as a whole. */
async function* countsOf(connection: ReservedSQL, text: string): AsyncGenerator<number> {
  const isFull = batches();
  let count = 0;
  await connection.unsafe(`declare sizes no scroll cursor for select octet_length(each::text) from (${text}) each`);
  for (;;) {
    const sizes: [number][] = await connection.unsafe("fetch 1000 from sizes", []).values();
    for (const [size] of sizes) {
      count++;
      if (!isFull(Number(size))) continue;
      yield count;
      count = 0;
    }
    if (!sizes.length) break;
  }
  if (count) yield count;
  await connection.unsafe("close sizes");
}

const summed = new Set(["subscriber_counts", "subscriber_days", "audience_counts"]);
const sumsOf = ({ columns, key }: CopiedTable) =>
  columns.map(({ name }) => (key.includes(name) ? `"${name}"` : `sum("${name}")::bigint`)).join(", ");

const plain = (value: unknown): Value => (typeof value === "bigint" ? Number(value) : (value as Value));

/** As one JSON text, which the server converts to the types of its columns. */
async function insert(connection: SQL, table: CopiedTable, batch: Row[]): Promise<void> {
  const objects = batch.map((row) =>
    Object.fromEntries(table.columns.map(({ name }, at) => [name, textOf(row[at] ?? null)])),
  );
  await connection.unsafe(
    `insert into "${table.name}" (${namesOf(table)}) overriding system value
     select ${namesOf(table)} from json_populate_recordset(null::"${table.name}", $1::text::json)`,
    [JSON.stringify(objects)],
  );
}

const textOf = (value: Value) => (value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value);
