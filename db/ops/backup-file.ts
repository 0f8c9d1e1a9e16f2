import { Database } from "bun:sqlite";
import { closeSync, fsyncSync, openSync, rmSync } from "node:fs";
import { type Compatibility, compatibility } from "./migrate";

/** Returns why this file cannot be used as the database; undefined if it can. */
export function inspect(file: string): string | undefined {
  const sqlite = new Database(file, { readonly: true });
  try {
    const verdict = sqlite.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").get()?.integrity_check;
    if (verdict !== "ok") return verdict ?? "no answer";
    return {
      none: "it is not a Postroom database",
      newer: "it was written by a newer version of Postroom",
      older: undefined,
      same: undefined,
    }[compatibility(sqlite)];
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    sqlite.close();
  }
}

/**
 * Turns a database that no one else uses into one self-contained file, by checkpointing and removing its log.
 *
 * @throws while another process has it open
 */
export function makeSelfContained(database: string): void {
  const sqlite = new Database(database, { readwrite: true, create: false });
  try {
    sqlite.run("PRAGMA busy_timeout = 2000");
    sqlite.run("PRAGMA journal_mode = DELETE"); // SQLite refuses this while anyone else is connected
  } finally {
    sqlite.close();
  }
}

/** Removes the logs of a database that no one uses. What is in them only is lost. */
export function removeLogs(database: string): void {
  for (const log of ["-wal", "-shm"]) rmSync(database + log, { force: true });
}

/** Makes what was written to the file, or to the folder's list of names, survive a power failure. */
export function sync(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** What a copy must still contain when it is read back: the number of rows by table, and the last entry of the log. */
export type Contents = { rows: Record<string, number>; lastEntry: string };

/** Counts what is in a database file that no one changes. */
export function contentsOf(file: string): Contents {
  using sqlite = new Database(file, { readonly: true });
  const tables = sqlite
    .query<{ name: string }, []>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' ORDER BY name",
    )
    .all();
  const count = (name: string) => sqlite.query<{ n: number }, []>(`SELECT count(*) AS n FROM "${name}"`).get()?.n ?? 0;
  const rows = Object.fromEntries(tables.map(({ name }) => [name, count(name)]));
  const lastEntry = sqlite.query<{ id: string | null }, []>("SELECT max(id) AS id FROM audit_events").get()?.id ?? "";
  return { rows, lastEntry };
}

/**
 * Records in a database that was restored from an encrypted copy that someone has the key (`verifiedAt` in
 * backup-state.ts).
 */
export function recordOpened(file: string, now: Date): void {
  using sqlite = new Database(file, { readwrite: true, create: false, strict: true });
  sqlite
    .query("UPDATE installation SET value = json_set(value, '$.verifiedAt', $at) WHERE name = 'backups'")
    .run({ at: now.getTime() });
}

/** Returns how a database file relates to this program, without opening it for writing. */
export function compatibilityOf(file: string): Compatibility {
  using sqlite = new Database(file, { readonly: true });
  return compatibility(sqlite);
}

/**
 * Stops what a backup would send automatically, because it does not know who got it after it was made. Broadcasts and
 * sequences that were under way are paused; those that were paused may have gone on since, so a manager looks at them
 * too before they do. Rules for posts are turned off, and what they had begun, digests included, has ended. Queued
 * emails count as possibly sent. The database may be of any version. Returns how many broadcasts were not paused yet.
 *
 * @param file the restored copy, which no service uses yet
 */
export function stopSendingIn(file: string, now: Date): number {
  const sqlite = new Database(file, { strict: true });
  let paused: { id: string; subject: string }[] = [];
  let inDoubt = 0;
  try {
    if (sqlite.query("SELECT 1 FROM pragma_table_info('outbox') WHERE name = 'in_doubt_since'").all().length)
      // The service may have sent them after the backup was made: repeated under the same key, and uncertain after it
      inDoubt = sqlite.run(
        "UPDATE outbox SET in_doubt_since = created_at WHERE state = 'queued' AND in_doubt_since IS NULL",
      ).changes;
    if (!sqlite.query("SELECT 1 FROM sqlite_schema WHERE name = 'broadcasts'").get()) return 0;
    sqlite.transaction(() => {
      if (sqlite.query("SELECT 1 FROM sqlite_schema WHERE name = 'sequences'").get())
        sqlite
          .query(
            "UPDATE sequences SET state = 'paused', reason = 'restored', version = version + 1 WHERE state IN ('on', 'paused')",
          )
          .run();
      if (sqlite.query("SELECT 1 FROM sqlite_schema WHERE name = 'post_rules'").get()) {
        sqlite.run("UPDATE post_rules SET off_reason = 'restored' WHERE off_reason IS NULL");
        sqlite.run("UPDATE post_mailings SET state = 'done' WHERE state <> 'done'");
      }
      if (sqlite.query("SELECT 1 FROM sqlite_schema WHERE name = 'digests'").get())
        sqlite.run("UPDATE digests SET state = 'done' WHERE state <> 'done'");
      sqlite.run(
        "UPDATE broadcasts SET state_reason = 'restored', state_detail = NULL WHERE state = 'paused' AND kind <> 'step'",
      );
      paused = sqlite
        .query<{ id: string; subject: string }, { at: number }>(
          `UPDATE broadcasts SET state = 'paused', state_reason = 'restored', state_detail = NULL, rest_until = NULL,
             rest_reason = NULL, version = version + 1, updated_at = $at
           WHERE state IN ('scheduled', 'sending') RETURNING id, subject`,
        )
        .all({ at: now.getTime() });
      const note =
        sqlite.query(`INSERT INTO audit_events (id, actor, action, target_id, target, details, folded, created_at)
        VALUES ($note, 'system', 'broadcast.pause', $id, $subject, '{"reason":"restored"}', lower($subject), $at)`);
      for (const { id, subject } of paused) note.run({ note: Bun.randomUUIDv7(), id, subject, at: now.getTime() });
    })();
  } finally {
    sqlite.close();
  }
  if (paused.length || inDoubt) makeSelfContained(file);
  return paused.length;
}
