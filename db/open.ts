import type { Db } from "./engine/open";
import { migrate as migratePostgres } from "./engine/postgres/migrate";
import { connectTo } from "./engine/postgres/connections";
import { openPostgres } from "./engine/postgres/open";
import { retryWhileBusy } from "./engine/sqlite/lock";
import { openSqlite } from "./engine/sqlite/open";
import { migrate } from "./ops/migrate";
import { recordingFailure } from "./ops/migration-failure";

type Options = {
  /** where to copy an existing file before it is migrated */
  copyBeforeMigration?: string;
  /** the most connections to PostgreSQL */
  connections?: number;
  /** after how long without a response PostgreSQL counts as gone */
  maxSilenceMs?: number | undefined;
};

/**
 * Opens a database, migrated to the schema of this program.
 *
 * @param where a file, ":memory:", or the URL of a PostgreSQL database
 */
export const openDb = (
  where: string,
  { copyBeforeMigration, connections = 10, maxSilenceMs }: Options = {},
): Promise<Db> =>
  isPostgres(where)
    ? openPostgres(connectTo(where, connections, maxSilenceMs), (pool) =>
        recordingFailure(
          (text, values) => pool.unsafe(text, values),
          () => migratePostgres(pool, `${import.meta.dir}/migrations/postgres`),
        ),
      )
    : openSqlite(where, (sqlite) =>
        recordingFailure(
          (text, values) => retryWhileBusy(() => sqlite.run(text, values), 30_000),
          () => migrate(sqlite, { copyTo: copyBeforeMigration }),
        ),
      );

const isPostgres = (where: string) => /^postgres(ql)?:/.test(where);
