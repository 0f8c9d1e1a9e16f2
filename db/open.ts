import { openEngine } from "./engine/open";
import { migrate } from "./ops/migrate";

/**
 * Opens the database at `path`, migrated to this program's schema.
 *
 * @param path a file, or ":memory:"
 * @param copyBeforeMigration where a copy goes before an existing database is migrated
 */
export const openDb = (path: string, copyBeforeMigration?: string) =>
  openEngine(path, (sqlite) => migrate(sqlite, copyBeforeMigration));
