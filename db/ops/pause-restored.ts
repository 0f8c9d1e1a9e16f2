import { Database } from "bun:sqlite";
import { makeSelfContained } from "./backup-file";

/**
 * Pauses the broadcasts that a backup was about to send, or was sending: the backup does not know who got them after it
 * was made. The database may be of any version. Returns how many there were.
 *
 * @param file the restored copy, which no service uses yet
 */
export function pauseRestored(file: string, now: Date): number {
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
          .query("UPDATE sequences SET state = 'paused', reason = 'restored', version = version + 1 WHERE state = 'on'")
          .run();
      if (sqlite.query("SELECT 1 FROM sqlite_schema WHERE name = 'post_rules'").get()) {
        sqlite.run("UPDATE post_rules SET off_reason = 'restored' WHERE off_reason IS NULL");
        sqlite.run("UPDATE post_mailings SET state = 'done' WHERE state <> 'done'");
      }
      if (sqlite.query("SELECT 1 FROM sqlite_schema WHERE name = 'digests'").get())
        sqlite.run("UPDATE digests SET state = 'done' WHERE state <> 'done'");
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
