import { and, count, eq, isNotNull } from "drizzle-orm";
import { type Db, prepared } from "../../engine/open";
import { allowance } from "../../limits/hourly-limits";
import { broadcastBatches, broadcasts, isUnderWay } from "../../schema/broadcasts";
import { isOpen } from "./batches";

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

/** Returns how many emails broadcasts may still send this hour and, if none, when there will be more. */
export const hourlyAllowance = (db: Db, now: Date) => db.read((orm) => allowance(orm, "broadcastEmailsPerHour", now));
