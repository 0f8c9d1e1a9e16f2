import { and, eq, inArray, isNull } from "drizzle-orm";
import type { Db, Orm } from "../../engine/open";
import * as audit from "../../audit";
import { broadcastRecipients, broadcasts, isTroubled, recipientStates } from "../../schema/broadcasts";
import { insertBatch } from "./batches";
import { apply, type Broadcast, type ChangeResult, type Versioned } from "../broadcasts";
import { startState } from "./promote";

/* A manager's decisions about recipients whom a broadcast may not have reached. */

const perBatch = 100;
const mayBeResent: Broadcast["state"][] = ["sending", "paused", "sent"];

/**
 * Sends again to the recipients that are uncertain or failed, if they are still in the audience. A sent broadcast
 * counts as sending until that is done.
 */
export async function sendAgain(
  db: Db,
  { seen, to }: { seen: Versioned; to: "uncertain" | "failed" },
  by: audit.Actor,
  now: Date,
): Promise<ChangeResult> {
  const result = await db.write(async (orm) => {
    const where = and(
      eq(broadcasts.version, seen.version),
      inArray(broadcasts.state, mayBeResent),
      isNull(broadcasts.deletedAt),
    );
    const changed = await apply(
      orm,
      { id: seen.id, where, set: { refusals: 0 }, verb: "resend", details: { to } },
      by,
      now,
    );
    if (changed.outcome !== "changed" || !(await requeue(orm, changed.broadcast, to, now))) return changed;
    const { row, state } = changed.broadcast;
    if (state === "sent")
      await orm
        .update(broadcasts)
        .set({ ...(await startState(orm, now)), finishedAt: null })
        .where(eq(broadcasts.row, row))
        .run();
    return changed;
  });
  if (result.outcome === "changed") while (await db.write((orm) => requeue(orm, result.broadcast, to, now)));
  return result;
}

/** Puts the next recipients into a batch. Returns whether there were any. */
async function requeue(orm: Orm, { row }: Broadcast, to: "uncertain" | "failed", now: Date): Promise<boolean> {
  const waiting = await orm
    .select({ row: broadcastRecipients.row })
    .from(broadcastRecipients)
    .where(
      and(eq(broadcastRecipients.broadcastRow, row), isTroubled, eq(broadcastRecipients.state, recipientStates[to])),
    )
    .orderBy(broadcastRecipients.row)
    .limit(perBatch)
    .all();
  const batch = { broadcastRow: row, createdAt: now, admittedAt: null };
  if (waiting.length)
    await insertBatch(
      orm,
      batch,
      waiting.map((recipient) => recipient.row),
      now,
    );
  return waiting.length > 0;
}

/** Records the decision to leave the uncertain recipients as they are. */
export const leaveUncertain = (db: Db, seen: Versioned, by: audit.Actor, now: Date) =>
  db.write((orm) => {
    const where = and(eq(broadcasts.version, seen.version), isNull(broadcasts.deletedAt));
    return apply(orm, { id: seen.id, where, set: { uncertainReviewedAt: now }, verb: "leave" }, by, now);
  });
