import { and, desc, eq, isNull, sql } from "drizzle-orm";
import { hourMs } from "../lib/time";
import { forUpdate } from "../engine/dialects";
import { type Db, type Orm, prepared } from "../engine/open";
import { allowance, noteReached } from "../limits/hourly-limits";
import { countRows } from "../lib/rows";
import { enqueue } from "../mail/outbox";
import { messages } from "../schema/contact";
import { outbox } from "../schema/mail";

/** Condition: a message received above the hourly limit that no one has released, moved or deleted. */
export const isQuarantined = and(
  isNull(messages.deletedAt),
  isNull(messages.spamReason),
  eq(messages.quarantined, true),
);

/** Counts the messages in quarantine. */
export const countQuarantined = (db: Db) => db.read((orm) => countRows(orm, messages, isQuarantined));

/** Whether the next message is above the hourly limit. */
export async function isAboveLimit(orm: Orm, now: Date): Promise<boolean> {
  if ((await allowance(orm, "messagesPerHourBeforeQuarantine", now)).left > 0) return false;
  await noteReached(orm, "messagesPerHourBeforeQuarantine", now);
  return true;
}

/** The subject of all summaries, used to find the newest one. */
const subjectId = "quarantine";
const latestSummary = prepared((orm) =>
  orm
    .select({ state: outbox.state, attempts: outbox.attempts, at: outbox.createdAt, sentAt: outbox.sentAt })
    .from(outbox)
    .where(eq(outbox.subjectId, sql.placeholder("subjectId")))
    .orderBy(desc(outbox.createdAt), forUpdate(desc(outbox.id))) // not claimed until this one commits
    .limit(1)
    .prepare(),
);

/**
 * Makes sure that a summary notifies the owner of a quarantined message: at most one email an hour, instead of one per
 * message. Its text is written when it is sent, so a summary still in the queue will include this message.
 */
export async function ensureSummary(orm: Orm, owner: string, now: Date): Promise<void> {
  const latest = await latestSummary(orm).get({ subjectId });
  if (latest?.state === "queued" && latest.attempts === 0) return;
  const next = latest ? (latest.sentAt ?? latest.at).getTime() + hourMs : 0;
  const dueAt = new Date(Math.max(now.getTime(), Math.min(next, now.getTime() + hourMs)));
  await enqueue(orm, { kind: "quarantine", recipient: owner, subjectId, payload: {} }, now, dueAt);
}
