/** `npm run db:snapshot`: writes snapshot.sql, the tables of a new SQLite database, after a migration was added or edited. */
import { Database } from "bun:sqlite";
import { migrate } from "./migrate";

type SchemaObject = { type: string; name: string; sql: string };

/** A new database, made by each migration in turn. */
export async function migratedInTurn(): Promise<Database> {
  const sqlite = new Database(":memory:", { strict: true });
  await migrate(sqlite, { isFromSnapshot: false });
  return sqlite;
}

/** The statements that make the same tables with the same rows, and the hash of the newest migration. */
export function snapshotOf(sqlite: Database): string {
  const objects = sqlite
    .query<SchemaObject, []>(
      `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE '\\_\\_drizzle%' ESCAPE '\\'
      AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY rowid`,
    )
    .all();
  const of = (type: string) => objects.filter((object) => object.type === type);
  const rows = of("table").flatMap(({ name, sql }) =>
    sql.startsWith("CREATE VIRTUAL") ? [] : insertsInto(sqlite, name),
  );
  const inOrder = [...of("table"), ...of("index"), ...of("view"), ...of("trigger")].map(({ sql }) => sql);
  const newest = sqlite
    .query<{ hash: string }, []>("SELECT hash FROM __drizzle_migrations ORDER BY id DESC LIMIT 1")
    .get();
  const head = `-- The tables of a new database. Made by npm run db:snapshot from the migrations up to ${newest?.hash}`;
  return `${head}\n${[...inOrder, ...rows].join(";\n")};\n`;
}

function insertsInto(sqlite: Database, table: string): string[] {
  const all = sqlite.query<Record<string, string | number>, []>(`SELECT * FROM "${table}"`).all();
  return all.map((row) => {
    const values = Object.entries(row).map(([column, value]) =>
      column === "changed_at" ? "CAST(unixepoch('subsec') * 1000 AS INTEGER)" : sqlValue(value),
    );
    return `INSERT INTO "${table}" VALUES (${values.join(", ")})`;
  });
}

const sqlValue = (value: string | number) => (typeof value === "number" ? value : `'${value.replaceAll("'", "''")}'`);

if (import.meta.main) {
  const sqlite = await migratedInTurn();
  await Bun.write("db/migrations/snapshot.sql", snapshotOf(sqlite));
  sqlite.close();
}
