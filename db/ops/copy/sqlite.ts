import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { indexAll } from "../../posts/search/search.sqlite";
import { compatibility } from "../migrate";
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

/** Opens a database file that no one else is using. */
export function sqliteSide(file: string): Source & Target {
  if (!existsSync(file)) throw new Error(`There is no database ${file}.`);
  const sqlite = new Database(file, { readwrite: true, create: false });
  let triggers: { name: string; sql: string }[] = [];

  return {
    compatibility: async () => compatibility(sqlite),
    isInUse: async () => false, // the caller holds the lock of DATA_DIR
    begin: async () => void sqlite.run("begin"),
    rows: (table) => rowsOf(sqlite, table),
    async filledTable(tables) {
      return tables.find(({ name }) => !derived.has(name) && sqlite.query(`select 1 from "${name}" limit 1`).get())
        ?.name;
    },
    async prepare(tables) {
      sqlite.run("pragma foreign_keys = off");
      sqlite.run("begin immediate");
      // they would count again what is copied as counts
      triggers = sqlite
        .query<{ name: string; sql: string }, []>("select name, sql from sqlite_schema where type = 'trigger'")
        .all();
      for (const { name } of triggers) sqlite.run(`drop trigger "${name}"`);
      for (const { name } of tables) if (derived.has(name)) sqlite.run(`delete from "${name}"`);
    },
    async insert(table, batch) {
      const marks = table.columns.map(() => "?").join(", ");
      const statement = sqlite.query(`insert into "${table.name}" (${namesOf(table)}) values (${marks})`);
      for (const row of batch) statement.run(...row);
    },
    async finish(last) {
      if (last) sqlite.run(last);
      for (const { sql } of triggers) sqlite.run(sql);
      sqlite.run("insert into subscribers_search (subscribers_search) values ('rebuild')");
      indexAll(sqlite);
      if (sqlite.query("pragma foreign_key_check").get())
        throw new Error("A row refers to another one that is missing.");
      sqlite.run("commit");
      sqlite.run("pragma optimize");
      sqlite.run("pragma wal_checkpoint(truncate)");
    },
    async close() {
      if (sqlite.inTransaction) sqlite.run("rollback");
      sqlite.close();
    },
  };
}

async function* rowsOf(sqlite: Database, table: CopiedTable): AsyncGenerator<Row[]> {
  const isFull = batches();
  let batch: Row[] = [];
  const text = `select ${namesOf(table)} from "${table.name}" order by ${orderOf(table)}`;
  for (const record of sqlite.query<Record<string, Value>, []>(text).iterate()) {
    const row = Object.values(record);
    batch.push(row);
    if (!isFull(row.reduce<number>((sum, value) => sum + sizeOf(value), 0))) continue;
    yield batch;
    batch = [];
  }
  if (batch.length) yield batch;
}

const sizeOf = (value: Value) => (typeof value === "object" || typeof value === "string" ? (value?.length ?? 0) : 0);
