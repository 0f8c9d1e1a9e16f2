import { and, between, count, eq, gt, inArray, max, min, not, or, type Placeholder, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { emailKey } from "../lib/email-key";
import { outbox } from "../schema/mail";

export type Mail = typeof outbox.$inferSelect;
type NewMail = Pick<typeof outbox.$inferInsert, "kind" | "recipient" | "subjectId" | "payload">;

const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;
const day = 24 * hours;

/** How long to wait after each failure; together less than the 24 hours for which the provider knows our key. */
const patience = [
  ...[5 * seconds, 30 * seconds, 2 * minutes, 10 * minutes, 30 * minutes],
  ...[1 * hours, 2 * hours, 4 * hours, 8 * hours],
];
const mostAttempts = patience.length + 1;

/** After this a claimed mail is up for the taking again: whoever took it has died. Longer than any attempt lasts. */
const lease = 1 * minutes;

const { placeholder } = sql;

const queued = prepared((orm) =>
  orm
    .insert(outbox)
    .values({
      id: placeholder("id"),
      kind: placeholder("kind"),
      recipient: placeholder("recipient"),
      recipientKey: placeholder("recipientKey"),
      subjectId: placeholder("subjectId"),
      payload: placeholder("payload"),
      createdAt: placeholder("now"),
      nextAttemptAt: placeholder("now"),
    })
    .prepare(),
);

/** Adds a mail to the transaction of whatever caused it (D32). A worker sends it. */
export function enqueue(orm: Orm, { kind, recipient, subjectId = null, payload }: NewMail, now: Date): void {
  const recipientKey = emailKey(recipient);
  queued(orm).run({ id: Bun.randomUUIDv7(), kind, recipient, recipientKey, subjectId, payload, now });
}

const welcomed = prepared((orm) =>
  orm
    .select({ n: count(), latest: max(outbox.createdAt) })
    .from(outbox)
    .where(
      and(
        // An index on all recipients would take each new mail at a random place
        or(
          eq(outbox.subjectId, placeholder("id")),
          and(sql`subject_gone = 1`, eq(outbox.recipientKey, placeholder("key"))),
        ),
        eq(outbox.kind, "welcome"),
        between(outbox.createdAt, placeholder("since"), placeholder("now")),
      ),
    )
    .prepare(),
);

/**
 * How many welcome mails the address of a subscriber got, or is about to get, after `since`, and when the latest was written:
 * those about him, and those about whoever had the address before and was deleted.
 */
export const welcomesSince = (
  orm: Orm,
  { id, emailKey: key }: { id: string; emailKey: string },
  { since, now }: { since: Date; now: Date },
) => welcomed(orm).get({ id, key, since: since.getTime() + 1, now: now.getTime() }) ?? { n: 0, latest: null };

// ── The worker's side ────────────────────────────────────────────────────────────────────────

const isQueued = sql`state = 'queued'`; // written out, so that the partial index serves it
/**
 * Mails that are due, the one that waits longest first. The index is named, because SQLite takes another one that needs
 * to sort the whole queue.
 */
const due = (most: Placeholder | number, also = sql`true`) =>
  sql`(select id from ${outbox} indexed by outbox_due
    where ${isQueued} and next_attempt_at <= ${placeholder("now")} and ${also} order by next_attempt_at limit ${most})`;
const anyDue = prepared((orm) =>
  orm
    .select({ id: outbox.id })
    .from(outbox)
    .where(inArray(outbox.id, due(1)))
    .prepare(),
);

/** Whether a mail waits that may be sent by now. Cheap enough to ask every second. */
export const isDue = (db: Db, now: Date) => db.read((orm) => anyDue(orm).get({ now: now.getTime() }) !== undefined);

const isWorn = sql`attempts >= ${mostAttempts}`;
const givenUp = prepared((orm) =>
  orm
    .update(outbox)
    .set({ state: "dead", lastError: "The service stopped in the middle of every attempt" })
    .where(and(inArray(outbox.id, due(placeholder("most"))), isWorn))
    .prepare(),
);
const taken = prepared((orm) =>
  orm
    .update(outbox)
    .set({ attempts: sql`attempts + 1`, nextAttemptAt: sql`${placeholder("until")}` })
    .where(inArray(outbox.id, due(placeholder("most"), not(isWorn))))
    .returning()
    .prepare(),
);

/**
 * Takes up to `most` mails that are due, oldest first, and counts the attempt. Nobody else gets them for a minute; a
 * crash before `sent` or `failed` gives them back then, to be sent under the same Idempotency-Key. What was taken often
 * enough is given up instead, when its turn comes.
 */
export const claim = (db: Db, most: number, now: Date): Promise<Mail[]> =>
  db.write((orm) => {
    const turn = { now: now.getTime(), most };
    givenUp(orm).run(turn);
    return taken(orm).all({ ...turn, until: now.getTime() + lease });
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

const simulation = prepared((orm) =>
  orm
    .update(outbox)
    .set({ state: "simulated", sentAt: sql`${placeholder("now")}` })
    .where(and(eq(outbox.id, placeholder("id")), isQueued))
    .returning({ id: outbox.id })
    .prepare(),
);

/** There is no provider, so this is all that happens. True for exactly one caller: the one who logs it. */
export const simulated = (db: Db, id: string, now: Date) =>
  db.write((orm) => simulation(orm).all({ id, now: now.getTime() }).length === 1);

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
    const wait = Math.max(patience[mail.attempts - 1] ?? 0, asked);
    const state: Mail["state"] = isPermanent || mail.attempts >= mostAttempts ? "dead" : "queued";
    orm
      .update(outbox)
      .set({ state, lastError: error, nextAttemptAt: new Date(now.getTime() + wait) })
      .where(and(eq(outbox.id, mail.id), isQueued, eq(outbox.attempts, mail.attempts))) // not if taken over
      .run();
    return state;
  });

/** It will not be sent after all. Nothing happens when it was sent meanwhile. */
export const cancel = (db: Db, id: string, reason: string) =>
  db.write(
    (orm) =>
      void orm
        .update(outbox)
        .set({ state: "cancelled", lastError: reason })
        .where(and(eq(outbox.id, id), isQueued))
        .run(),
  );

// ── What health and figures tell ─────────────────────────────────────────────────────────────

/** What waits, since when, and what died in the last 7 days. */
export const stats = (db: Db, now: Date) =>
  db.read((orm) => {
    const waiting = orm
      .select({ queued: count(), oldestAt: min(outbox.createdAt) })
      .from(outbox)
      .where(isQueued)
      .get();
    const dead = orm
      .select({ n: count() })
      .from(outbox)
      .where(and(eq(outbox.state, "dead"), gt(outbox.createdAt, new Date(now.getTime() - 7 * day))))
      .get();
    const { queued = 0, oldestAt } = waiting ?? {};
    return {
      queued,
      oldestQueuedSeconds: oldestAt ? Math.max(0, Math.round((now.getTime() - oldestAt.getTime()) / seconds)) : 0,
      failedLately: dead?.n ?? 0,
    };
  });
