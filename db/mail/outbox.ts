import { and, eq, gt, inArray, isNotNull, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { emailKey, mailboxKey } from "../lib/email-key";
import { outbox } from "../schema/mail";
import { suppress } from "../suppressions/suppressions";
import { claimDurationMs, isKeyOver, isWithinItsHour, maxAttempts, retryDelayOf } from "./rules";

export type Mail = typeof outbox.$inferSelect;
type NewMail = Pick<typeof outbox.$inferInsert, "kind" | "recipient" | "subjectId" | "payload"> & {
  /** Whether a program is the cause, which may name thousands: people who have just typed their address go first. */
  isByProgram?: boolean;
};

/** Replaces the address of a person who was erased. */
export const erasedRecipient = "erased";

/** What became of an email: one that was given up without an answer may have arrived. */
export type MailOutcome = Mail["state"] | "uncertain";
export const isUncertain = and(eq(outbox.state, "dead"), isNotNull(outbox.inDoubtSince));

/** Emails to an address typed by a stranger, subject to an hourly limit. All others are sent when due. */
export const toStrangers: readonly Mail["kind"][] = ["welcome", "confirm"];
export const lanes = { free: 0, retry: 1, waiting: 2, byProgram: 3 };
/** The lane of an email that a manager sends again. */
export const laneForRetry = sql`case when ${inArray(outbox.kind, toStrangers)} then ${lanes.retry} else ${lanes.free} end`;
export const laneOfRepetition = (kind: Mail["kind"]) => (toStrangers.includes(kind) ? lanes.retry : lanes.free);
const laneOf = ({ kind, isByProgram }: NewMail) =>
  !toStrangers.includes(kind) ? lanes.free : isByProgram ? lanes.byProgram : lanes.waiting;

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

/** Adds an email in the transaction of its cause (D32). A worker sends it, not before `dueAt`. */
export async function enqueue(orm: Orm, mail: NewMail, now: Date, dueAt = now): Promise<void> {
  const { kind, recipient, subjectId = null, payload } = mail;
  const recipientKey = emailKey(recipient);
  const mailbox = mailboxKey(recipientKey);
  const keys = { recipientKey, mailboxKey: mailbox === recipientKey ? null : mailbox };
  const id = Bun.randomUUIDv7();
  await insertRow(orm).run({ id, kind, recipient, ...keys, lane: laneOf(mail), subjectId, payload, now, dueAt });
}

/** Whether an email with this payload's `about` was queued about the subject since then. */
export async function isToldSince(
  orm: Orm,
  { subjectId, about }: { subjectId: string; about: string },
  since: Date,
): Promise<boolean> {
  const isRecent = and(eq(outbox.subjectId, subjectId), gt(outbox.createdAt, since));
  const rows = await orm.select({ payload: outbox.payload }).from(outbox).where(isRecent).all();
  return rows.some(({ payload }) => payload.about === about);
}

// ── The worker's side; db/mail/claim.ts takes what is due ───────────────────────────────────────

export const isQueued = sql`state = 'queued'`; // written out, so that SQLite uses the partial index

/**
 * Claiming and settling are conditional updates of the email's row (docs/decisions/postgres.md); sending it again locks
 * it.
 */
export const guarded = { guarded: true } as const;

/**
 * Marks an email as accepted by the provider, even if it was cancelled or claimed by another worker in the meantime.
 */
export const sent = (db: Db, id: string, providerId: string | undefined, now: Date) =>
  db.write(async (orm) => {
    const values = { state: "sent" as const, sentAt: now, providerId, lastError: null, inDoubtSince: null };
    await orm.update(outbox).set(values).where(eq(outbox.id, id)).run();
  }, guarded);

const markSimulated = prepared((orm) =>
  orm
    .update(outbox)
    .set({ state: "simulated", sentAt: sql`${placeholder("now")}` })
    .where(and(eq(outbox.id, placeholder("id")), isQueued))
    .returning({ id: outbox.id })
    .prepare(),
);

/**
 * Marks an email as simulated, because no provider is configured. Returns true for exactly one caller: the one who logs
 * it.
 */
export const simulated = (db: Db, id: string, now: Date) =>
  db.write(async (orm) => (await markSimulated(orm).all({ id, now: now.getTime() })).length === 1, guarded);

type Failure = {
  error: string;
  /** The provider certainly did not take it at this attempt. */
  isRefused?: boolean;
  /** Sending it again would fail in the same way. */
  isPermanent?: boolean;
  /** Requested by the provider. */
  retryAfterSeconds?: number | undefined;
  /** The address does not exist: it is suppressed in the same transaction. */
  isBounce?: boolean;
};

/**
 * Records a failed attempt: the email waits for the next one, or is dead if this was the last, or the next one could
 * send it twice. Returns what became of it.
 */
export function failed(db: Db, mail: Mail, failure: Failure, now: Date) {
  const { error, isRefused, isPermanent, retryAfterSeconds, isBounce } = failure;
  const work = async (orm: Orm): Promise<MailOutcome> => {
    const bounce = { email: mail.recipient, reason: "bounce" as const, detail: error };
    if (isBounce) await suppress(orm, bounce, { via: "provider" }, now);
    const wait = retryDelayOf(mail.attempts, retryAfterSeconds);
    const nextAttemptAt = new Date(now.getTime() + wait);
    const inDoubtSince = isPermanent || (isRefused && !wasInDoubt(mail)) ? null : mail.inDoubtSince;
    const isLast = isPermanent || mail.attempts >= maxAttempts || isKeyOver({ inDoubtSince }, nextAttemptAt);
    const state: Mail["state"] = isLast ? "dead" : "queued";
    const lane = isWithinItsHour(wait) || !toStrangers.includes(mail.kind) ? lanes.free : lanes.retry;
    await orm
      .update(outbox)
      .set({ state, lane, lastError: error, nextAttemptAt, inDoubtSince })
      .where(and(eq(outbox.id, mail.id), isQueued, eq(outbox.attempts, mail.attempts))) // unless another worker has claimed it
      .run();
    return isLast && inDoubtSince ? "uncertain" : state;
  };
  return db.write(work, isBounce ? undefined : guarded); // suppressing is more than a conditional update
}

/** Whether the provider may have had an email before this attempt. A rejection of its content says that it had not. */
const wasInDoubt = ({ inDoubtSince, nextAttemptAt }: Mail) =>
  inDoubtSince !== null && inDoubtSince.getTime() < nextAttemptAt.getTime() - claimDurationMs;

/** A report proves that an uncertain email was sent. */
export const deliveredAfterAll = (orm: Orm, id: string, at: Date) =>
  orm
    .update(outbox)
    .set({ state: "sent", sentAt: at, inDoubtSince: null, lastError: null })
    .where(and(eq(outbox.id, id), isUncertain))
    .run();

/**
 * Cancels an email that is no longer wanted, so that it does not count towards the limit. Does nothing if it was
 * already sent.
 */
export const cancel = (db: Db, id: string, reason: string) =>
  db.write(
    async (orm) =>
      void (await orm
        .update(outbox)
        .set({ state: "cancelled", lastError: reason, admittedAt: null })
        .where(and(eq(outbox.id, id), isQueued))
        .run()),
  );
