import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readMigrationFiles } from "drizzle-orm/migrator";
import { join } from "node:path";
import { temporaryFolder } from "../../test/support/processes";
import { byId } from "../broadcasts/broadcasts";
import { reportsOf } from "../broadcasts/ledger";
import { growthSince } from "../newsletter/counts";
import { counts } from "../newsletter/list";
import { openDb } from "../open";

const day = 20_778;
const ms = (days: number) => days * 86_400_000 + 3_600_000;

/** A database of the release before the ledger (migration 0018), which counted people twice. */
function write(path: string): void {
  const all = readMigrationFiles({ migrationsFolder: join(import.meta.dir, "../migrations") });
  const sqlite = new Database(path);
  sqlite.run(
    "CREATE TABLE __drizzle_migrations (id INTEGER PRIMARY KEY, hash TEXT NOT NULL, created_at INTEGER NOT NULL) STRICT",
  );
  for (const { sql, hash, folderMillis } of all.slice(0, 18)) {
    for (const statement of sql) sqlite.run(statement);
    sqlite.run("INSERT INTO __drizzle_migrations (hash, created_at) VALUES (?, ?)", [hash, folderMillis]);
  }
  const person = sqlite.query(
    `INSERT INTO subscribers (id, email, email_key, folded, state, suppressed_at, pending_at, created_at, updated_at)
      VALUES (?1, ?1, ?1, '', ?2, ?3, ?4, ?5, ?5)`,
  );
  person.run("active", "active", null, null, ms(day));
  person.run("suppressed", "active", ms(day + 1), null, ms(day));
  person.run("pending", "active", null, ms(day), ms(day));
  person.run("left", "unsubscribed", ms(day + 1), null, ms(day));
  sqlite.run(
    `INSERT INTO broadcasts (id, slug, kind, subject, archive, state, audience, created_by, created_at, updated_at)
      VALUES ('b', 'b', 'own', 'News', 'none', 'sent', 5, 'cli', 1, 1)`,
  );
  const recipient = sqlite.query(
    `INSERT INTO broadcast_recipients (broadcast_row, batch_row, state, delivered_at, bounced_at, soft_at, complained_at)
      VALUES (1, 1, ?, ?, ?, ?, ?)`,
  );
  recipient.run(2, null, 1, null, null); // by SMTP: refused, and a bounce
  recipient.run(1, 1, 1, null, null); // delivered, and bounced later
  recipient.run(1, 1, null, 1, null); // delayed, then delivered
  recipient.run(1, null, null, null, 1); // complained
  recipient.run(1, null, null, null, null);
  sqlite.close();
}

test("an upgrade counts again what was counted twice, and who is active", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "postroom.sqlite");
  write(path);
  const db = await openDb(path);
  const broadcast = await byId(db, "b");
  if (!broadcast) throw new Error("The broadcast is gone");
  const { accepted, failed, refusedBounces } = broadcast;
  expect({ accepted, failed, refusedBounces }).toEqual({ accepted: 4, failed: 1, refusedBounces: 1 });
  expect(reportsOf(broadcast)).toEqual({ delivered: 2, bounced: 1, softBounced: 0, complained: 1, unreported: 1 });
  expect(await counts(db)).toEqual({ active: 1, unsubscribed: 1, pending: 1, paused: 0, suppressed: 1 });
  const { active, days } = await growthSince(db, 0);
  const sum = days.reduce((n, each) => n + each.joined - each.unsubscribed - each.suppressed - each.deleted, 0);
  expect([active, sum]).toEqual([1, 1]);
  expect(days).toMatchObject([
    { day, joined: 2, suppressed: 0 },
    { day: day + 1, joined: 0, suppressed: 1 },
  ]);
  await db.close();
});
