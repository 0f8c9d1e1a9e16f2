import { openDb } from "../../../db/open";

const openReal = openDb; // the preload puts something else in its place
const template = "postroom_template";

/** The URL of a database on the same server. */
export const urlOf = (server: string, database: string) =>
  Object.assign(new URL(server), { pathname: `/${database}` }).href;

/** Opens a migrated database. */
export const open = (url: string, maxSilenceMs?: number) => openReal(url, { connections: 3, maxSilenceMs });

/** Runs statements outside of a transaction, as the server's administrator. */
export async function administer(server: string, ...statements: string[]): Promise<void> {
  const admin = new Bun.SQL(urlOf(server, "postgres"), { max: 1 });
  try {
    for (const statement of statements) await admin.unsafe(statement);
  } finally {
    await admin.close();
  }
}

/** Makes the database that all others are copied from. */
export async function makeTemplate(server: string): Promise<void> {
  await administer(server, `drop database if exists ${template} with (force)`, `create database ${template}`);
  await (await open(urlOf(server, template))).close();
}

/** The databases of one test process, which are emptied and used again. */
export function databasesOn(server: string) {
  const idle: string[] = [];
  let made = 0;

  return {
    /** A database as the migrations left it. */
    async take(): Promise<string> {
      const used = idle.pop();
      if (used) {
        await empty(urlOf(server, used));
        return used;
      }
      const name = `test_${process.pid}_${made++}`;
      await administer(server, `create database ${name} template ${template}`);
      return name;
    },
    giveBack: (name: string) => void idle.push(name),
  };
}

/** Empties only tables that have rows, and restores what the migrations inserted. */
async function empty(url: string) {
  const sql = new Bun.SQL(url, { max: 1 });
  try {
    await sql.unsafe(emptying);
  } finally {
    await sql.close();
  }
}

const emptying = `do $$ declare name text; filled text[] := '{}'; has boolean; begin
  for name in select sequencename from pg_sequences where last_value is not null loop
    perform setval(quote_ident(name), 1, false);
  end loop;
  for name in select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not in ('migrations', 'versions') loop
    execute format('select exists (select from %I)', name) into has;
    if has then filled := filled || quote_ident(name); end if;
  end loop;
  execute 'truncate ' || array_to_string(filled, ', ') || ' cascade';
  insert into subscriber_counts values ('active', 0), ('unsubscribed', 0), ('mailable', 0), ('pending', 0), ('suppressed', 0), ('paused', 0);
  insert into post_counts values ('draft', 0), ('released', 0), ('trash', 0);
  update versions set version = 1, changed_at = now_ms();
end $$`;
