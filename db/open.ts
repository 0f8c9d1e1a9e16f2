import type { Db } from "./engine/open";
import { migrate as migratePostgres } from "./engine/postgres/migrate";
import { openPostgres } from "./engine/postgres/open";
import { openSqlite } from "./engine/sqlite/open";
import { migrate } from "./ops/migrate";

type Options = {
  /** where to copy an existing file before it is migrated */
  copyBeforeMigration?: string;
  /** connections to PostgreSQL at most */
  connections?: number;
};

/**
 * Opens a database, migrated to the schema of this program.
 *
 * @param where a file, ":memory:", or the URL of a database of PostgreSQL
 */
export const openDb = (where: string, { copyBeforeMigration, connections }: Options = {}): Promise<Db> =>
  isPostgres(where)
    ? openPostgres(where, (pool) => migratePostgres(pool, `${import.meta.dir}/migrations/postgres`), connections)
    : openSqlite(where, (sqlite) => migrate(sqlite, copyBeforeMigration));

const isPostgres = (where: string) => /^postgres(ql)?:/.test(where);
