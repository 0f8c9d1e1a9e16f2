import { between, eq, lt, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { clockSlackMs } from "../lib/time";
import { jobs } from "../schema/shared";

/** How long a lease lasts unless it is renewed: a process that dies is replaced after this time. */
export const leaseMs = 15_000;
const renewMs = 5_000;
const thisProcess = crypto.randomUUID();
const stopping = new WeakSet<Db>();

/**
 * The lease of a task that only one of several processes does at a time. It is off by as much as their clocks differ;
 * two processes at the same time do no harm, because conditions on the rows guard what they change. If the database
 * belongs to one process, that has every lease.
 *
 * @returns whether this process may do the task now; asks the database every five seconds
 */
export const lease = (db: Db, name: string, now: () => Date, holder: string = thisProcess) =>
  permission(db, now, async (at) => {
    await db.probe(); // a process that is older than the schema leaves the work to newer ones
    return acquire(db, name, holder, at);
  });

/**
 * Permission to take tasks from rows that processes share. One that is older than the schema has none. To show that it
 * is running, each process keeps a lease of its own, whose name says its version.
 *
 * @returns whether this process may take tasks now; asks the database every five seconds
 */
export const mayTakeTasks = (db: Db, now: () => Date, version: string, holder: string = thisProcess) =>
  permission(db, now, async (at) => {
    const isHeld = await acquire(db, `${holder} ${version}`, holder, at); // an older process is running too
    await db.probe();
    return isHeld;
  });

/**
 * Calls `renew` every five seconds, unless the database belongs to one process. Who asks meanwhile waits for its answer:
 * tasks whose timers end together share a lease, and none of them may miss its turn because another one has just asked.
 */
function permission(db: Db, now: () => Date, renew: (at: Date) => Promise<boolean>): () => Promise<boolean> {
  let [latest, askedAt] = [Promise.resolve(false), Number.NEGATIVE_INFINITY];
  return async () => {
    if (!db.isShared) return true;
    const at = now();
    if (Math.abs(at.getTime() - askedAt) < renewMs) return latest;
    askedAt = at.getTime();
    const answer = renew(at);
    latest = answer.catch(() => false); // the one who asked says why
    return answer;
  };
}

/** Ends the leases of this process, which is stopping, so that no one waits for them to expire. */
export async function release(db: Db, holder: string = thisProcess): Promise<void> {
  stopping.add(db);
  if (db.isShared) await db.write((orm) => orm.delete(jobs).where(eq(jobs.holder, holder)).run());
}

/** How long a process that was killed may appear to be running, because clocks differ. */
export const maxSilenceMs = leaseMs + clockSlackMs;

/** Whether any process appears to be running. */
export async function isAnyRunning(orm: Orm, now: Date): Promise<boolean> {
  const earliest = new Date(now.getTime() - clockSlackMs);
  const latest = new Date(now.getTime() + maxSilenceMs);
  return (
    (await orm
      .select()
      .from(jobs)
      .where(between(jobs.until, earliest, latest))
      .get()) !== undefined
  );
}

/** Condition: the lease of a process that was killed. */
export const isOver = (now: Date) => lt(jobs.until, new Date(now.getTime() - clockSlackMs));

/** Does the task if this process holds the lease. */
export async function underLease(mayWork: () => Promise<boolean>, task: () => Promise<unknown>): Promise<void> {
  if (await mayWork()) await task();
}

const acquire = (db: Db, name: string, holder: string, now: Date) =>
  !stopping.has(db) &&
  db.write(async (orm) => {
    const until = new Date(now.getTime() + leaseMs);
    const tooLate = until.getTime() + clockSlackMs; // a clock that was ahead keeps no one out
    const row = await orm
      .insert(jobs)
      .values({ name, holder, until })
      .onConflictDoUpdate({
        target: jobs.name,
        set: { holder, until },
        setWhere: sql`${jobs.holder} = ${holder} or ${jobs.until} < ${now.getTime()} or ${jobs.until} > ${tooLate}`,
      })
      .returning()
      .get();
    return row !== undefined;
  });
