import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { allowance, noteReached } from "../hourly-limits";
import { countRows } from "../lib/page";
import { enqueue } from "../mail/outbox";
import { messages } from "../schema/contact";
import { outbox } from "../schema/mail";

const hourMs = 3_600_000;

/** As a condition: a message that came above the hourly limit, and that nobody has released, moved or deleted (P69). */
export const isQuarantined = and(
  isNull(messages.deletedAt),
  isNull(messages.spamReason),
  eq(messages.quarantined, true),
);

/** How many messages lie in quarantine. */
export const countQuarantined = (db: Db) => db.read((orm) => countRows(orm, messages, isQuarantined));

/** Whether the next message comes above the hourly limit. */
export function isAboveLimit(orm: Orm, now: Date): boolean {
  if (allowance(orm, "messagesPerHourBeforeQuarantine", now).left > 0) return false;
  noteReached(orm, "messagesPerHourBeforeQuarantine", now);
  return true;
}

/** What all summaries are about, so that the latest one is found. */
const subjectId = "quarantine";
const latestSummary = prepared((orm) =>
  orm
    .select({ state: outbox.state, attempts: outbox.attempts, at: outbox.createdAt, sentAt: outbox.sentAt })
    .from(outbox)
    .where(eq(outbox.subjectId, sql.placeholder("subjectId")))
    .orderBy(desc(outbox.createdAt), desc(outbox.id))
    .limit(1)
    .prepare(),
);

/**
 * Sees to it that a summary tells the owner of a quarantined message: one mail an hour at most, in the place of one for
 * each message. It is written when it is sent, so one that still waits will count this message too.
 */
export function ensureSummary(orm: Orm, owner: string, now: Date): void {
  const latest = latestSummary(orm).get({ subjectId });
  if (latest?.state === "queued" && latest.attempts === 0) return;
  const next = latest ? (latest.sentAt ?? latest.at).getTime() + hourMs : 0;
  const dueAt = new Date(Math.max(now.getTime(), Math.min(next, now.getTime() + hourMs)));
  enqueue(orm, { kind: "quarantine", recipient: owner, subjectId, payload: {} }, now, dueAt);
}
