import { and, count, eq, isNotNull } from "drizzle-orm";
import { type Db, prepared } from "../../engine/open";
import { allowance } from "../../hourly-limits";
import { broadcastBatches, broadcasts, isUnderWay } from "../../schema/broadcasts";
import { isOpen } from "./batches";
import type { Broadcast } from "../broadcasts";

/* What the sender needs to know before each turn. */

const isSending = and(isUnderWay, eq(broadcasts.state, "sending"));
const allSending = prepared((orm) => orm.select().from(broadcasts).where(isSending).orderBy(broadcasts.row).prepare());

/** Returns the broadcasts that are being sent and are not resting. */
export const sendingNow = (db: Db, now: Date) =>
  db.read(async (orm) => (await allSending(orm).all()).filter(({ restUntil }) => !restUntil || restUntil <= now));

/** Counts the batches whose outcome is unknown, of broadcasts that are being sent. */
export const countInDoubt = (db: Db) =>
  db.read(async (orm) => {
    const inDoubt = and(isOpen, isNotNull(broadcastBatches.firstAttemptAt), eq(broadcasts.state, "sending"));
    const found = await orm
      .select({ n: count() })
      .from(broadcastBatches)
      .innerJoin(broadcasts, eq(broadcasts.row, broadcastBatches.broadcastRow))
      .where(inDoubt)
      .get();
    return found?.n ?? 0;
  });

/** The shares of bounces and complaints, since a manager last looked, that pause a broadcast. */
export const brakes = { from: 200, bounces: { share: 0.08, least: 10 }, complaints: { share: 0.003, least: 3 } };

/** Returns why the broadcast has to pause before more of it is sent; undefined if it need not. */
export function brake(broadcast: Broadcast): "bounces" | "complaints" | undefined {
  if (broadcast.accepted < brakes.from) return;
  const delivered = broadcast.delivered - broadcast.reviewedDelivered;
  const bounced = broadcast.bounced - broadcast.reviewedBounced;
  const complained = broadcast.complained - broadcast.reviewedComplained;
  if (complained >= brakes.complaints.least && complained > brakes.complaints.share * delivered) return "complaints";
  if (bounced >= brakes.bounces.least && bounced > brakes.bounces.share * (delivered + bounced)) return "bounces";
}

/** Returns how many emails broadcasts may still send this hour and, if none, when there will be more. */
export const hourlyAllowance = (db: Db, now: Date) => db.read((orm) => allowance(orm, "broadcastEmailsPerHour", now));
