/**
 * Preloaded by every test, so that a new service is cheap: its database is a copy of one that was migrated once, for a
 * thirtieth of the processor time. Whatever exists already is opened, and migrated, as the program does.
 */
import { Database } from "bun:sqlite";
import { mock } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { openConnection } from "../../db/engine/sqlite/open";
import { openDb } from "../../db/open";
import { sqliteOf } from "./look";

const openReal = openDb; // its name means the one below as soon as that is in its place
const isFile = (where: string) => where !== ":memory:" && !/^\w+:/.test(where);

let template: Promise<Buffer> | undefined;
/** The bytes of a new database after all migrations. */
async function migrate(): Promise<Buffer> {
  const db = await openReal(":memory:");
  const sqlite = sqliteOf(db);
  sqlite.run("VACUUM");
  const bytes = sqlite.serialize();
  await db.close();
  return bytes;
}

async function openMigrated(where: string, options?: Parameters<typeof openDb>[1]) {
  if (where === ":memory:") {
    const copy = Database.deserialize(await (template ??= migrate()), { strict: true });
    return openConnection(copy, where, () => Promise.resolve());
  }
  if (isFile(where) && !existsSync(where)) writeFileSync(where, await (template ??= migrate()));
  return openReal(where, options);
}

mock.module("../../db/open", () => ({ openDb: openMigrated }));

// Elysia asks for a collection of all garbage for every service: a fifth of the processor time of tests of routes
const { gc } = Bun;
Bun.gc = (isSynchronous) => (isSynchronous ? gc(true) : 0);
