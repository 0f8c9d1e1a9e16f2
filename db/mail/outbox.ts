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

/** How long to wait after each failure; in total less than the 24 hours for which the provider remembers our key. */
const retryDelaysMs = [
  ...[5 * seconds, 30 * seconds, 2 * minutes, 10 * minutes, 30 * minutes],
  ...[1 * hours, 2 * hours, 4 * hours, 8 * hours],
];
const maxAttempts = retryDelaysMs.length + 1;

/** How long a claim lasts, longer than any attempt. After that the worker is presumed dead. */
const claimDurationMs = 1 * minutes;

/** Emails to an address typed by a stranger, subject to an hourly limit (P68). All others are sent when due. */
const toStrangers: readonly Mail["kind"][] = ["welcome", "confirm"];
export const lanes = { free: 0, retry: 1, waiting: 2 };
/** The lane of an email that a manager sends again. */
export const laneForRetry = sql`case when ${inArray(outbox.kind, toStrangers)} then ${lanes.retry} else ${lanes.free} end`;
export const laneOfRepetition = (kind: Mail["kind"]) => (toStrangers.includes(kind) ? lanes.retry : lanes.free);
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

/** Adds an email in the transaction of its cause (D32). A worker sends it, not before `dueAt`. */
export async function enqueue(orm: Orm, mail: NewMail, now: Date, dueAt = now): Promise<void> {
  const { kind, recipient, subjectId = null, payload } = mail;
  const recipientKey = emailKey(recipient);
  const mailbox = mailboxKey(recipientKey);
  const keys = { recipientKey, mailboxKey: mailbox === recipientKey ? null : mailbox };
  const id = Bun.randomUUIDv7();
  await insertRow(orm).run({ id, kind, recipient, ...keys, lane: laneOf(kind), subjectId, payload, now, dueAt });
}

// ── The worker's side ────────────────────────────────────────────────────────────────────────

export const isQueued = sql`state = 'queued'`; // written out, so that SQLite uses the partial index
/**
 * Selects the due emails of a lane, longest waiting first. The index is named explicitly, because SQLite would choose
 * another that requires sorting the whole queue.
 */
const due = (limit: Placeholder | number, also = sql`true`) =>
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

const hasNoAttemptsLeft = sql`attempts >= ${maxAttempts}`;
const markDead = prepared((orm) =>
  orm
    .update(outbox)
    .set({ state: "dead", lastError: "Postroom was stopped during every delivery attempt" })
    .where(and(inArray(outbox.id, due(placeholder("limit"))), hasNoAttemptsLeft))
    .prepare(),
);
const claimRows = prepared((orm) =>
  orm
    .update(outbox)
    .set({
      attempts: sql`attempts + 1`,
      nextAttemptAt: sql`${placeholder("until")}`,
      lane: lanes.free, // after a crash it is sent again without waiting: it has already been admitted
      admittedAt: sql`case when ${inArray(outbox.kind, toStrangers)} then ${placeholder("now")} end`,
    })
    .where(inArray(outbox.id, due(placeholder("limit"), not(hasNoAttemptsLeft))))
    .returning()
    .prepare(),
);

/**
 * Claims up to `limit` due emails, oldest first, and counts the attempt. Emails to strangers come last, and only as
 * many as the hourly limit allows (P68). No one else gets them for a minute; after a crash before `sent` or `failed`
 * they are released, to be sent with the same Idempotency-Key. Emails without attempts left are marked as dead instead
 * when their turn comes.
 */
export const claim = (db: Db, limit: number, now: Date): Promise<Mail[]> =>
  db.write(async (orm) => {
    const claimed: Mail[] = [];
    for (const lane of Object.values(lanes)) {
      const left = await turnsLeft(orm, lane, now);
      const turn = { lane, now: now.getTime(), limit: Math.min(left, limit - claimed.length) };
      if (turn.limit <= 0) break;
      await markDead(orm).run(turn);
      const mails = await claimRows(orm).all({ ...turn, until: now.getTime() + claimDurationMs });
      claimed.push(...mails);
      if (mails.length === left) await noteReached(orm, "emailsToStrangersPerHour", now);
    }
    return claimed;
  });

/** What settles an email is one conditional update of its row. */
const guarded = { guarded: true } as const;

/**
 * Marks an email as accepted by the provider, even if it was cancelled or claimed by another worker in the meantime.
 */
export const sent = (db: Db, id: string, providerId: string | undefined, now: Date) =>
  db.write(async (orm) => {
    const values = { state: "sent" as const, sentAt: now, providerId, lastError: null };
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
  /** Sending it again would fail the same way. */
  isPermanent?: boolean;
  /** Requested by the provider. It can lengthen a delay, up to eight hours, but never shorten one. */
  retryAfterSeconds?: number | undefined;
};

/** Records a failed attempt: the email waits for the next one, or is dead if this was the last. Returns its state. */
export const failed = (db: Db, mail: Mail, { error, isPermanent, retryAfterSeconds = 0 }: Failure, now: Date) =>
  db.write(async (orm) => {
    const asked = Math.min(retryAfterSeconds * seconds, 8 * hours);
    const wait = Math.max(retryDelaysMs[mail.attempts - 1] ?? 0, asked);
    const state: Mail["state"] = isPermanent || mail.attempts >= maxAttempts ? "dead" : "queued";
    const stillCounts = wait <= 30 * minutes; // well within the hour that began with this attempt
    const lane = stillCounts || !toStrangers.includes(mail.kind) ? lanes.free : lanes.retry;
    await orm
      .update(outbox)
      .set({ state, lane, lastError: error, nextAttemptAt: new Date(now.getTime() + wait) })
      .where(and(eq(outbox.id, mail.id), isQueued, eq(outbox.attempts, mail.attempts))) // unless another worker has claimed it
      .run();
    return state;
  }, guarded);

/** Cancels an email that is no longer wanted, so that it uses no place. Does nothing if it was already sent. */
export const cancel = (db: Db, id: string, reason: string) =>
  db.write(
    async (orm) =>
      void (await orm
        .update(outbox)
        .set({ state: "cancelled", lastError: reason, admittedAt: null })
        .where(and(eq(outbox.id, id), isQueued))
        .run()),
  );
