import { sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { installationValue, setInstallationValue, valueOf } from "../installation";

/** The last copy that was read back and found complete. Times in milliseconds. */
type LastCopy = { name: string; at: number; provedAt: number; bytes: number };

/** How the copies to BACKUP_URL go. Times in milliseconds; absent if it never happened. */
export type BackupState = {
  /** Since when there should be copies. */
  since?: number;
  last?: LastCopy;
  /** Why the last attempt failed; absent if it did not. */
  problem?: { at: number; text: string };
  /** When someone last opened a copy with the key. */
  verifiedAt?: number;
};

const read = (text: string | undefined): BackupState => (text ? JSON.parse(text) : {});

export const backupState = (db: Db): Promise<BackupState> =>
  db.read(async (orm) => read(await valueOf(orm, "backups")));

/** Changes some of the state; undefined removes. */
export const recordBackup = (db: Db, change: { [K in keyof BackupState]: BackupState[K] | undefined }) =>
  db.write(async (orm) => {
    const state = { ...read(await valueOf(orm, "backups")), ...change };
    await setInstallationValue(orm, "backups", JSON.stringify(state));
  });

/** Returns the name of this installation among the copies. It comes back with a restored database. */
export const backupId = (db: Db): Promise<string> =>
  db.write((orm) => installationValue(orm, "backupId", Bun.randomUUIDv7().replaceAll("-", "").slice(-12)));

/** Returns for whom copies are encrypted: the public half of the operator's key; undefined if there is none yet. */
export const backupRecipient = (db: Db): Promise<string | undefined> =>
  db.read((orm) => valueOf(orm, "backupRecipient"));

/** @param record writes the audit entry, in the same transaction */
export const setBackupRecipient = (db: Db, recipient: string, record?: (orm: Orm) => Promise<void>): Promise<void> =>
  db.write(async (orm) => {
    await setInstallationValue(orm, "backupRecipient", recipient);
    await record?.(orm);
  });

/** Whether no copy proved good for two periods. @param every milliseconds between copies */
export const isBackupOverdue = ({ since, last }: BackupState, every: number, now: Date): boolean => {
  const from = Math.max(since ?? now.getTime(), last?.at ?? 0);
  return now.getTime() - from > 2 * every;
};

/** What PostgreSQL says about the archive of its write-ahead log. Times in milliseconds; null if it never happened. */
type Archiving = { isOn: boolean; archivedAt: number | null; failedAt: number | null };

/** Returns what can be seen of a shared database's own backups; undefined for an embedded database. */
export async function archivingOf(db: Db): Promise<Archiving | undefined> {
  if (!db.isShared) return;
  const milliseconds = (column: string) => sql.raw(`(extract(epoch from ${column}) * 1000)::float8`);
  const [row] = await db.read((orm) =>
    orm.values<[mode: string, archivedAt: number | null, failedAt: number | null]>(
      sql`select current_setting('archive_mode'), ${milliseconds("last_archived_time")}, ${milliseconds("last_failed_time")} from pg_stat_archiver`,
    ),
  );
  const [mode = "off", archivedAt = null, failedAt = null] = row ?? [];
  return { isOn: mode !== "off", archivedAt, failedAt };
}
