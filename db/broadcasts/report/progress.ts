import { and, eq, gt, inArray, sql } from "drizzle-orm";
import type { Db } from "../../engine/open";
import { broadcastBatches } from "../../schema/broadcasts";
import type { Broadcast } from "../broadcasts";
import { isOpen } from "../sending/batches";

const windowMs = 60_000;
const leastMs = 30_000; // of sending, before a pace is known

/**
 * Returns how many people per second were reached in the last minute, without pauses; undefined until a pace is known.
 */
export async function recentPerSecond(db: Db, broadcast: Broadcast, now: Date): Promise<number | undefined> {
  const { state, updatedAt, row } = broadcast;
  const elapsedMs = now.getTime() - updatedAt.getTime(); // since it was started or resumed
  if (state !== "sending" || elapsedMs < leastMs) return;
  const spanMs = Math.min(windowMs, elapsedMs);
  const done = inArray(broadcastBatches.state, ["accepted", "simulated", "failed", "split"]);
  const lately = gt(broadcastBatches.admittedAt, new Date(now.getTime() - spanMs));
  const counted = sql<number>`coalesce(sum(${broadcastBatches.count}), 0)`.mapWith(Number);
  const total = await db.read((orm) =>
    orm
      .select({ people: counted })
      .from(broadcastBatches)
      .where(and(eq(broadcastBatches.broadcastRow, row), done, lately))
      .get(),
  );
  return total?.people ? total.people / (spanMs / 1_000) : undefined;
}

/**
 * Counts the recipients whose email is on its way to the provider, so that no one can say yet whether they get it. Their
 * response settles them, also if the broadcast is paused or cancelled in the meantime.
 */
export const countUnderWay = (db: Db, { row }: Pick<Broadcast, "row">, now: Date): Promise<number> =>
  db.read(async (orm) => {
    const isTheirs = eq(broadcastBatches.broadcastRow, row);
    const people = sql<number>`coalesce(sum(${broadcastBatches.count}), 0)`.mapWith(Number);
    const isLeased = and(isTheirs, isOpen, gt(broadcastBatches.leaseUntil, now));
    return (await orm.select({ people }).from(broadcastBatches).where(isLeased).get())?.people ?? 0;
  });
