import { openSqlite } from "./engine/sqlite/open";
import { migrate } from "./ops/migrate";

/**
 * Opens the database at `path`, migrated to the schema of this program.
 *
 * @param path a file, or ":memory:"
 * @param copyBeforeMigration where to copy an existing database before it is migrated
 */
export const openDb = (path: string, copyBeforeMigration?: string) =>
  openSqlite(path, (sqlite) => migrate(sqlite, copyBeforeMigration));
