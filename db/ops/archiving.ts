import { sql } from "drizzle-orm";
import type { Db } from "../engine/open";

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
