import { and, inArray, not, type SQL, sql } from "drizzle-orm";
import { forUpdateSkipLocked, lockUntilCommit } from "../engine/dialects";
import { type Db, type Orm, prepared } from "../engine/open";
import { allowance, noteReached } from "../limits/hourly-limits";
import { outbox } from "../schema/mail";
import { guarded, isQueued, lanes, type Mail, toStrangers } from "./outbox";
import { claimDurationMs, keyMs, maxAttempts } from "./rules";

const { placeholder } = sql;

/**
 * Selects the due emails of a lane, longest waiting first. The index is named explicitly, because SQLite would choose
 * another that requires sorting the whole queue.
 */
const due = (limit: SQL | number, also = sql`true`) =>
  sql`(select id from ${outbox} indexed by outbox_due
    where ${isQueued} and lane = ${placeholder("lane")} and next_attempt_at <= ${placeholder("now")} and ${also}
    order by next_attempt_at /*pg , id */ limit ${limit})`;
const anyDue = prepared((orm) =>
  orm
    .select({ id: outbox.id })
    .from(outbox)
    .where(inArray(outbox.id, due(1)))
    .prepare(),
);

/** The same for claiming: skips rows that another sender is claiming. */
const free = (also = sql`true`) => due(forUpdateSkipLocked(placeholder("limit")), also);

/** Returns how many emails of a lane may be sent now. */
const turnsLeft = async (orm: Orm, lane: number, now: Date): Promise<number> =>
  lane === lanes.free ? Number.POSITIVE_INFINITY : (await allowance(orm, "emailsToStrangersPerHour", now)).left;

/** Whether an email is due and may be sent now. Cheap enough to call every second. */
export const isDue = (db: Db, now: Date) =>
  db.read(async (orm) => {
    for (const lane of Object.values(lanes))
      if ((await anyDue(orm).get({ lane, now: now.getTime() })) && (await turnsLeft(orm, lane, now)) > 0) return true;
    return false;
  });

/** Also too late: the provider may have it, and no longer remembers its key, so another attempt could send it twice. */
const hasNoAttemptsLeft = sql`(attempts >= ${maxAttempts} or coalesce(in_doubt_since <= ${placeholder("doubtBefore")}, false))`;
const stopped = "Postroom was stopped during a delivery attempt";
const givenUp = "Postroom was stopped during every delivery attempt";
const markDead = prepared((orm) =>
  orm
    .update(outbox)
    .set({
      state: "dead",
      lastError: sql`case when attempts < ${maxAttempts} then coalesce(last_error, ${stopped}) else ${givenUp} end`,
    })
    .where(and(inArray(outbox.id, free()), hasNoAttemptsLeft))
    .prepare(),
);
const claimRows = prepared((orm) =>
  orm
    .update(outbox)
    .set({
      attempts: sql`attempts + 1`,
      nextAttemptAt: sql`${placeholder("until")}`,
      inDoubtSince: sql`coalesce(in_doubt_since, ${placeholder("now")})`, // unless it is refused
      lane: lanes.free, // after a crash it is sent again without waiting: it has already been admitted
      admittedAt: sql`case when ${inArray(outbox.kind, toStrangers)} then ${placeholder("now")} end`,
    })
    .where(inArray(outbox.id, free(not(hasNoAttemptsLeft))))
    .returning()
    .prepare(),
);

/**
 * Claims up to `limit` due emails, oldest first, and counts the attempt. Emails to strangers come last, and only as
 * many as the hourly limit allows. No one else gets them for a minute; after a crash before `sent` or `failed` they are
 * released, to be sent with the same Idempotency-Key. Emails without attempts left are marked as dead instead when
 * their turn comes.
 */
export const claim = (db: Db, limit: number, now: Date): Promise<Mail[]> =>
  db.write(async (orm) => {
    const claimed: Mail[] = [];
    for (const lane of Object.values(lanes)) {
      if (lane !== lanes.free) await lockUntilCommit(orm)(orm, "emailsToStrangers");
      const left = await turnsLeft(orm, lane, now);
      const turn = {
        lane,
        now: now.getTime(),
        doubtBefore: now.getTime() - keyMs,
        limit: Math.min(left, limit - claimed.length),
      };
      if (turn.limit <= 0) break;
      await markDead(orm).run(turn);
      const mails = await claimRows(orm).all({ ...turn, until: now.getTime() + claimDurationMs });
      claimed.push(...mails);
      if (mails.length === left) await noteReached(orm, "emailsToStrangersPerHour", now);
    }
    return claimed;
  }, guarded);
