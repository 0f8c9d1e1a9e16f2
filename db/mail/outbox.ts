import { and, eq, inArray, not, type Placeholder, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { allowance, noteReached } from "../hourly-limits";
import { emailKey, mailboxKey } from "../lib/email-key";
import { outbox } from "../schema/mail";

export type Mail = typeof outbox.$inferSelect;
type NewMail = Pick<typeof outbox.$inferInsert, "kind" | "recipient" | "subjectId" | "payload">;

const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

/** How long to wait after each failure; together less than the 24 hours for which the provider knows our key. */
const retryDelaysMs = [
  ...[5 * seconds, 30 * seconds, 2 * minutes, 10 * minutes, 30 * minutes],
  ...[1 * hours, 2 * hours, 4 * hours, 8 * hours],
];
const maxAttempts = retryDelaysMs.length + 1;

/** After this a claimed mail is up for the taking again: whoever took it has died. Longer than any attempt lasts. */
const claimDurationMs = 1 * minutes;

/** Mails to an address that a stranger typed: not more than so many an hour (P68). All others are sent when due. */
const toStrangers: readonly Mail["kind"][] = ["welcome"];
export const lanes = { free: 0, retry: 1, waiting: 2 };
/** Of a mail that a manager sends once more. */
export const laneForRetry = sql`case when ${inArray(outbox.kind, toStrangers)} then ${lanes.retry} else ${lanes.free} end`;
const laneOf = (kind: Mail["kind"]) => (toStrangers.includes(kind) ? lanes.waiting : lanes.free);

const { placeholder } = sql;

const insertRow = prepared((orm) =>
  orm
    .insert(outbox)
    .values({
      id: placeholder("id"),
      kind: placeholder("kind"),
      recipient: placeholder("recipient"),
      recipientKey: placeholder("recipientKey"),
      mailboxKey: placeholder("mailboxKey"),
      lane: placeholder("lane"),
      subjectId: placeholder("subjectId"),
      payload: placeholder("payload"),
      createdAt: placeholder("now"),
      nextAttemptAt: placeholder("dueAt"),
    })
    .prepare(),
);

/** Adds a mail to the transaction of whatever caused it (D32). A worker sends it, not before `dueAt`. */
export function enqueue(orm: Orm, mail: NewMail, now: Date, dueAt = now): void {
  const { kind, recipient, subjectId = null, payload } = mail;
  const recipientKey = emailKey(recipient);
  const mailbox = mailboxKey(recipientKey);
  const keys = { recipientKey, mailboxKey: mailbox === recipientKey ? null : mailbox };
  const id = Bun.randomUUIDv7();
  insertRow(orm).run({ id, kind, recipient, ...keys, lane: laneOf(kind), subjectId, payload, now, dueAt });
}

// ── The worker's side ────────────────────────────────────────────────────────────────────────

export const isQueued = sql`state = 'queued'`; // written out, so that the partial index serves it
/**
 * Mails of a lane that are due, the one that waits longest first. The index is named, because SQLite takes another one
 * that needs to sort the whole queue.
 */
const due = (limit: Placeholder | number, also = sql`true`) =>
  sql`(select id from ${outbox} indexed by outbox_due
    where ${isQueued} and lane = ${placeholder("lane")} and next_attempt_at <= ${placeholder("now")} and ${also}
    order by next_attempt_at limit ${limit})`;
const anyDue = prepared((orm) =>
  orm
    .select({ id: outbox.id })
    .from(outbox)
    .where(inArray(outbox.id, due(1)))
    .prepare(),
);

/** How many mails of a lane may be sent now. */
const turnsLeft = (orm: Orm, lane: number, now: Date): number =>
  lane === lanes.free ? Number.POSITIVE_INFINITY : allowance(orm, "emailsToStrangersPerHour", now).left;

/** Whether a mail waits that may be sent by now. Cheap enough to ask every second. */
export const isDue = (db: Db, now: Date) =>
  db.read((orm) =>
    Object.values(lanes).some((lane) => anyDue(orm).get({ lane, now: now.getTime() }) && turnsLeft(orm, lane, now) > 0),
  );

const hasNoAttemptsLeft = sql`attempts >= ${maxAttempts}`;
const markDead = prepared((orm) =>
  orm
    .update(outbox)
    .set({ state: "dead", lastError: "The service stopped in the middle of every attempt" })
    .where(and(inArray(outbox.id, due(placeholder("limit"))), hasNoAttemptsLeft))
    .prepare(),
);
const claimRows = prepared((orm) =>
  orm
    .update(outbox)
    .set({
      attempts: sql`attempts + 1`,
      nextAttemptAt: sql`${placeholder("until")}`,
      lane: lanes.free, // a crash gives it back at once: it has had its turn
      admittedAt: sql`case when ${inArray(outbox.kind, toStrangers)} then ${placeholder("now")} end`,
    })
    .where(inArray(outbox.id, due(placeholder("limit"), not(hasNoAttemptsLeft))))
    .returning()
    .prepare(),
);

/**
 * Takes up to `most` mails that are due, oldest first, and counts the attempt; those to strangers come last, and only
 * as many as the hour has left (P68). Nobody else gets them for a minute; a crash before `sent` or `failed` gives them
 * back then, to be sent under the same Idempotency-Key. What was taken often enough is given up instead, when its turn
 * comes.
 */
export const claim = (db: Db, limit: number, now: Date): Promise<Mail[]> =>
  db.write((orm) => {
    const claimed: Mail[] = [];
    for (const lane of Object.values(lanes)) {
      const left = turnsLeft(orm, lane, now);
      const turn = { lane, now: now.getTime(), limit: Math.min(left, limit - claimed.length) };
      if (turn.limit <= 0) break;
      markDead(orm).run(turn);
      const mails = claimRows(orm).all({ ...turn, until: now.getTime() + claimDurationMs });
      claimed.push(...mails);
      if (mails.length === left) noteReached(orm, "emailsToStrangersPerHour", now);
    }
    return claimed;
  });

/** The provider has it. That holds even when somebody cancelled it, or took it over, in the meantime. */
export const sent = (db: Db, id: string, providerId: string | undefined, now: Date) =>
  db.write(
    (orm) =>
      void orm
        .update(outbox)
        .set({ state: "sent", sentAt: now, providerId, lastError: null })
        .where(eq(outbox.id, id))
        .run(),
  );

const markSimulated = prepared((orm) =>
  orm
    .update(outbox)
    .set({ state: "simulated", sentAt: sql`${placeholder("now")}` })
    .where(and(eq(outbox.id, placeholder("id")), isQueued))
    .returning({ id: outbox.id })
    .prepare(),
);

/** There is no provider, so this is all that happens. True for exactly one caller: the one who logs it. */
export const simulated = (db: Db, id: string, now: Date) =>
  db.write((orm) => markSimulated(orm).all({ id, now: now.getTime() }).length === 1);

type Failure = {
  error: string;
  /** Sending it again would fail the same way. */
  isPermanent?: boolean;
  /** What the provider asked for; it may lengthen a wait, up to eight hours, and never shortens one. */
  retryAfterSeconds?: number | undefined;
};

/** The attempt failed: the mail waits for the next one, or is dead when that was the last. Returns its state. */
export const failed = (db: Db, mail: Mail, { error, isPermanent, retryAfterSeconds = 0 }: Failure, now: Date) =>
  db.write((orm) => {
    const asked = Math.min(retryAfterSeconds * seconds, 8 * hours);
    const wait = Math.max(retryDelaysMs[mail.attempts - 1] ?? 0, asked);
    const state: Mail["state"] = isPermanent || mail.attempts >= maxAttempts ? "dead" : "queued";
    const stillCounts = wait <= 30 * minutes; // well within the hour that began with this attempt
    const lane = stillCounts || !toStrangers.includes(mail.kind) ? lanes.free : lanes.retry;
    orm
      .update(outbox)
      .set({ state, lane, lastError: error, nextAttemptAt: new Date(now.getTime() + wait) })
      .where(and(eq(outbox.id, mail.id), isQueued, eq(outbox.attempts, mail.attempts))) // not if taken over
      .run();
    return state;
  });

/** It will not be sent after all, so it takes no turn from others. Nothing happens when it was sent meanwhile. */
export const cancel = (db: Db, id: string, reason: string) =>
  db.write(
    (orm) =>
      void orm
        .update(outbox)
        .set({ state: "cancelled", lastError: reason, admittedAt: null })
        .where(and(eq(outbox.id, id), isQueued))
        .run(),
  );
