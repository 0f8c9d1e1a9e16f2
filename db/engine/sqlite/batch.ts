import type { Database } from "bun:sqlite";

/** A write that waits for its turn. */
export type QueuedWrite<Orm> = {
  work: (orm: Orm) => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
  since: number;
};

/**
 * Runs a batch in one transaction. If any work throws, everything is rolled back and undefined is returned; the works
 * are then run one by one, each behind its own savepoint, so that a failure affects no other. Using savepoints from the
 * start would be most of the cost of a batch, because SQLite copies what they may have to undo into a temporary file.
 */
export async function runTogether<Orm>(
  sqlite: Database,
  orm: Orm,
  batch: QueuedWrite<Orm>[],
): Promise<Callback[] | undefined> {
  try {
    const callbacks: Callback[] = [];
    for (const { work, resolve } of batch) callbacks.push(resolving(resolve, await work(orm)));
    return callbacks;
  } catch (error) {
    if (!sqlite.inTransaction) throw error; // a full disk aborts the whole transaction
    sqlite.run("ROLLBACK");
    return undefined;
  }
}

/** Resolves or rejects a write once its transaction is committed. */
export type Callback = () => void;
const resolving =
  <T>(resolve: (value: never) => void, value: T): Callback =>
  () =>
    resolve(value as never);

/** Runs one work so that its failure undoes nothing else. */
export async function runAlone<Orm>(
  sqlite: Database,
  orm: Orm,
  { work, resolve, reject }: QueuedWrite<Orm>,
): Promise<Callback> {
  sqlite.run("SAVEPOINT one");
  try {
    const value = await work(orm);
    sqlite.run("RELEASE one");
    return resolving(resolve, value);
  } catch (error) {
    if (!sqlite.inTransaction) throw error;
    sqlite.run("ROLLBACK TO one");
    sqlite.run("RELEASE one");
    return () => reject(error);
  }
}

/** The failure may already have ended the transaction, or the whole connection. */
export function rollBack(sqlite: Database) {
  try {
    if (sqlite.inTransaction) sqlite.run("ROLLBACK");
  } catch {
    // closed: there is nothing to roll back
  }
}
