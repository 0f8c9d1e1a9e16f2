import type { Db } from "./open";

/**
 * The same database for long work in many transactions: after the signal, the next one is refused with the signal's
 * reason. One that has begun is finished.
 */
export function stoppable(db: Db, signal: AbortSignal): Db {
  const unlessStopped = <T>(begin: () => Promise<T>): Promise<T> =>
    signal.aborted ? Promise.reject(signal.reason) : begin();
  return {
    ...db,
    read: (query) => unlessStopped(() => db.read(query)),
    write: (work, how) => unlessStopped(() => db.write(work, how)),
  };
}
