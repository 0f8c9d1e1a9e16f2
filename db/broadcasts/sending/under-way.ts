import { and, count, desc, eq, exists, isNotNull, isNull, lt, lte, or, sql } from "drizzle-orm";
import { type Db, prepared } from "../../engine/open";
import { allowance } from "../../limits/hourly-limits";
import { broadcastBatches, broadcastRecipients, broadcasts, isUnderWay } from "../../schema/broadcasts";
import { sequencePeople, sequenceSteps } from "../../schema/sequences";
import { isOfSequenceThatIsOn } from "../steps";
import { isOpen } from "./batches";

/** Without a response for this long, something is wrong with sending. */
const maxSilenceMs = 15 * 60_000;

/** Whether a broadcast that has something to send, and is not paused, has had no response for 15 minutes. */
export const isStalled = (db: Db, now: Date): Promise<boolean> =>
  db.read(async (orm) => {
    const since = new Date(now.getTime() - maxSilenceMs);
    const waiting = and(
      eq(broadcastBatches.broadcastRow, broadcasts.row),
      isOpen,
      lt(broadcastBatches.nextAttemptAt, since),
    );
    const silent = and(
      isUnderWay,
      eq(broadcasts.state, "sending"),
      or(isNull(broadcasts.pausedUntil), lte(broadcasts.pausedUntil, now)),
      lt(broadcasts.settledAt, since),
      or(
        sql`${broadcasts.cursor} < ${broadcasts.ceiling}`,
        exists(
          orm
            .select({ one: sql`1` })
            .from(broadcastBatches)
            .where(waiting),
        ),
      ),
    );
    return (await orm.select({ id: broadcasts.id }).from(broadcasts).where(silent).limit(1).all()).length > 0;
  });

/**
 * Counts the permanent bounces among the latest recipients, at most so many, on whom the provider answered since then:
 * those that it refused at once, as an SMTP server does, and those that were reported later.
 */
export const latestBounces = (db: Db, most: number, since: Date) =>
  db.read(async (orm) => {
    const { row, acceptedAt, bouncedAt } = broadcastRecipients;
    const latest = await orm.select({ acceptedAt, bouncedAt }).from(broadcastRecipients).orderBy(desc(row)).limit(most);
    const answered = latest.filter((recipient) => (recipient.acceptedAt ?? recipient.bouncedAt ?? 0) >= since);
    return { of: answered.length, bounced: answered.filter((recipient) => recipient.bouncedAt).length };
  });

/* What the sender needs to know before each turn. */

const isSending = and(isUnderWay, eq(broadcasts.state, "sending"), isOfSequenceThatIsOn);
const allSending = prepared((orm) => orm.select().from(broadcasts).where(isSending).orderBy(broadcasts.row).prepare());

/**
 * Returns the broadcasts that are being sent and are not paused. Emails of sequences are always being sent: those are
 * returned for which someone is due or waits for the provider.
 */
export const sendingNow = (db: Db, now: Date) =>
  db.read(async (orm) => {
    const sending = (await allSending(orm).all()).filter(({ pausedUntil }) => !pausedUntil || pausedUntil <= now);
    if (!sending.some(({ kind }) => kind === "step")) return sending;
    const due = new Set((await dueSteps(orm).all({ now: now.getTime() })).map(({ row }) => row));
    return sending.filter(({ kind, row }) => kind !== "step" || due.has(row));
  });

const dueSteps = prepared((orm) => {
  const { broadcastRow: row } = sequenceSteps;
  const isDue = sql`exists (select 1 from ${sequencePeople} where ${sequencePeople.stepRow} = ${sequenceSteps.row}
    and state = 0 and ${sequencePeople.dueAt} <= ${sql.placeholder("now")})`;
  const waits = sql`exists (select 1 from ${broadcastBatches} where ${broadcastBatches.broadcastRow} = ${row} and ${isOpen})`;
  return orm.select({ row }).from(sequenceSteps).where(or(isDue, waits)).prepare();
});

/** Counts the batches whose outcome is unknown, of broadcasts that are being sent. */
export const countInDoubt = (db: Db) =>
  db.read(async (orm) => {
    const inDoubt = and(isOpen, isNotNull(broadcastBatches.firstAttemptAt), eq(broadcasts.state, "sending"));
    const total = await orm
      .select({ n: count() })
      .from(broadcastBatches)
      .innerJoin(broadcasts, eq(broadcasts.row, broadcastBatches.broadcastRow))
      .where(inDoubt)
      .get();
    return total?.n ?? 0;
  });

/** Returns how many emails broadcasts may still send this hour and, if none, when there will be more. */
export const hourlyAllowance = (db: Db, now: Date) => db.read((orm) => allowance(orm, "broadcastEmailsPerHour", now));
