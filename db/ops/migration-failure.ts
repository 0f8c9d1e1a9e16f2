import type { Db } from "../engine/open";
import { codeOf, NewerSchema, sqliteCode } from "../engine/errors";
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
 * @throws what failed, and what to do
 */
export async function recordingFailure(
  run: (statement: string, values: string[]) => unknown,
  migrate: () => Promise<number>,
): Promise<void> {
  try {
    if (await migrate()) await run("delete from installation where name = 'migrationFailure'", []);
  } catch (error) {
    if (error instanceof NewerSchema) throw error;
    await recordFailure(run, error);
    if (!isOfStatement(error)) throw error;
    throw new Error(
      `The database could not be migrated, and nothing in it was changed: ${problemOf(error)}. Start the earlier version again.`,
      { cause: error },
    );
  }
}

/** Whether a statement of a migration did not fit the data, rather than that the disk or the connection failed. */
const isOfStatement = (error: unknown) =>
  /^SQLITE_(ERROR|CONSTRAINT)/.test(sqliteCode(error) ?? "") || /^(22|23|42)\w{3}$/.test(codeOf(error));

const problemOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");

const save =
  "insert into installation (name, value) values ('migrationFailure', $1) on conflict (name) do update set value = excluded.value";

/** Best effort: a database that cannot be migrated may not accept this either. */
async function recordFailure(run: (statement: string, values: string[]) => unknown, error: unknown): Promise<void> {
  const problem = problemOf(error).slice(0, 300);
  const failure: MigrationFailure = { at: Date.now(), problem };
  try {
    await run(save, [JSON.stringify(failure)]);
  } catch {
    // the error of the migration is the one to report
  }
}
