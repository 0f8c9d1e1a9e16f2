import type { Db } from "../engine/open";
import { NewerSchema } from "../engine/errors";
import { valueOf } from "../installation";

/** That a version could not migrate this database, which the earlier one goes on using. Time in milliseconds. */
type MigrationFailure = { at: number; problem: string };

/** Returns the last failure; undefined if a migration has succeeded since. */
export const migrationFailure = (db: Db): Promise<MigrationFailure | undefined> =>
  db.read(async (orm) => {
    const text = await valueOf(orm, "migrationFailure");
    return text === undefined ? undefined : JSON.parse(text);
  });

/**
 * Migrates, and records in the database if that fails, for the earlier version to tell. A migration that succeeds
 * deletes the record.
 *
 * @param run runs a statement in which $1 is the value
 * @param migrate returns how many migrations it has applied
 */
export async function recordingFailure(
  run: (statement: string, values: string[]) => unknown,
  migrate: () => Promise<number>,
): Promise<void> {
  try {
    if (await migrate()) await run("delete from installation where name = 'migrationFailure'", []);
  } catch (error) {
    if (!(error instanceof NewerSchema)) await recordFailure(run, error);
    throw error;
  }
}

const save =
  "insert into installation (name, value) values ('migrationFailure', $1) on conflict (name) do update set value = excluded.value";

/** Best effort: a database that cannot be migrated may not accept this either. */
async function recordFailure(run: (statement: string, values: string[]) => unknown, error: unknown): Promise<void> {
  const problem = (error instanceof Error ? error.message : String(error)).slice(0, 300);
  const failure: MigrationFailure = { at: Date.now(), problem };
  try {
    await run(save, [JSON.stringify(failure)]);
  } catch {
    // the error of the migration is the one to report
  }
}
