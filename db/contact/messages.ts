import {
  and,
  count,
  desc,
  eq,
  exists,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  max,
  min,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import * as audit from "../audit";
import { forUpdate } from "../engine/dialects";
import { type Db, type Orm, prepared } from "../engine/open";
import { changeInCommits, rowsPerCommit } from "../lib/bulk";
import { countRows, sourcesIn } from "../lib/rows";
import { hourMs } from "../lib/time";
import { enqueue } from "../mail/outbox";
import { apiKeys, managers } from "../schema/access";
import { messages } from "../schema/contact";
import { outbox } from "../schema/mail";

export type Message = typeof messages.$inferSelect;
export type Box = "inbox" | "snoozed" | "archived" | "quarantine" | "spam" | "trash";

// ── What managers see ───────────────────────────────────────────────────────────────────────────

/** Condition: a message received above the hourly limit that no one has released, moved or deleted. */
export const isQuarantined = and(
  isNull(messages.deletedAt),
  isNull(messages.spamReason),
  eq(messages.quarantined, true),
);

const isAccepted = and(isNull(messages.deletedAt), isNull(messages.spamReason), eq(messages.quarantined, false));

/** The box a message is in. The conditions are worded like the index `messages_box`, so that SQLite uses it. */
export const boxConditions: Record<Box, SQL | undefined> = {
  inbox: and(isAccepted, isNull(messages.archivedAt), isNull(messages.snoozedUntil)),
  snoozed: and(isAccepted, isNull(messages.archivedAt), isNotNull(messages.snoozedUntil)),
  archived: and(isAccepted, isNotNull(messages.archivedAt)),
  quarantine: isQuarantined,
  spam: and(isNull(messages.deletedAt), isNotNull(messages.spamReason)),
  trash: isNotNull(messages.deletedAt),
};

/** Why a message is in Spam, as managers read it. */
export const spamReasons = {
  hiddenField: "The hidden field was filled in",
  markedBy: (manager: string) => `Marked as spam by ${manager}`,
};

export function boxOf({ deletedAt, spamReason, quarantined, archivedAt, snoozedUntil }: Message): Box {
  if (deletedAt) return "trash";
  if (spamReason) return "spam";
  if (quarantined) return "quarantine";
  if (archivedAt) return "archived";
  return snoozedUntil ? "snoozed" : "inbox";
}

/** Counts the unread messages in the inbox, and returns the time of the oldest. */
export const unread = (db: Db) =>
  db.read(
    async (orm) =>
      (await orm
        .select({ count: count(), oldestAt: min(messages.surfacedAt) })
        .from(messages)
        .where(and(isNull(messages.readAt), boxConditions.inbox))
        .get()) ?? { count: 0, oldestAt: null },
  );

/** Counts the messages in the inbox that arrived or came back after a moment, and returns when the newest one did. */
export const arrivedSince = (db: Db, moment: Date) =>
  db.read(async (orm) => {
    const since = and(gt(messages.surfacedAt, moment), boxConditions.inbox);
    const row = await orm
      .select({ count: count(), newestAt: max(messages.surfacedAt) })
      .from(messages)
      .where(since)
      .get();
    return row ?? { count: 0, newestAt: null };
  });

/** Returns every source of messages, for the filter. */
export const sources = (db: Db) => db.read((orm) => sourcesIn(orm, messages));

/** Returns the API keys by which sites sent messages on behalf of visitors, for the filter. */
export const keysOfSites = (db: Db) =>
  db.read((orm) => {
    const theirs = orm.select({ id: messages.id }).from(messages).where(eq(messages.apiKeyId, apiKeys.id));
    return orm
      .select({ id: apiKeys.id, name: apiKeys.name })
      .from(apiKeys)
      .where(exists(theirs))
      .orderBy(apiKeys.createdAt, apiKeys.id)
      .all();
  });

export const byId = (db: Db, id: string) =>
  db.read((orm) => orm.select().from(messages).where(eq(messages.id, id)).get());

/** Counts what someone has written, in every box. @param emailKey the canonical address */
export const countFrom = (db: Db, emailKey: string) =>
  db.read((orm) => countRows(orm, messages, eq(messages.emailKey, emailKey)));

/** Marks a message as read. If it was read before, the first time is kept. */
export const markRead = (db: Db, id: string, now: Date) =>
  db.write(async (orm) => {
    const isUnread = and(eq(messages.id, id), isNull(messages.readAt));
    await orm.update(messages).set({ readAt: now }).where(isUnread).run();
  });

/* Who answers a message, and when it comes back. */

const nameOf = ({ name, email }: { name: string; email: string }) => `${name} <${email}>`;

/**
 * Says who answers a message; null: no one in particular. Returns undefined if the message or the manager does not exist
 * any longer.
 */
export const assign = (
  db: Db,
  { messageId, managerId }: { messageId: string; managerId: string | null },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    const manager = managerId
      ? await orm.select().from(managers).where(eq(managers.id, managerId)).get()
      : { email: "" };
    const message = await orm.select().from(messages).where(eq(messages.id, messageId)).get();
    if (!manager || !message) return;
    if (message.assigneeId === managerId) return message;
    await orm.update(messages).set({ assigneeId: managerId }).where(eq(messages.id, messageId)).run();
    const target = { targetId: messageId, target: nameOf(message) };
    const details = manager.email ? { to: manager.email } : undefined;
    const action = managerId ? "message.assign" : "message.unassign";
    await audit.record(orm, { ...by, action, ...target, details }, now);
    return message;
  });

/**
 * Takes a message out of the inbox until a time, or until they write again; null brings it back now. Returns undefined
 * if it is in neither.
 */
export const snooze = (
  db: Db,
  { messageId, until }: { messageId: string; until: Date | null },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    const isThere = and(
      eq(messages.id, messageId),
      until ? or(boxConditions.inbox, boxConditions.snoozed) : boxConditions.snoozed,
    );
    const [message] = await orm.update(messages).set({ snoozedUntil: until }).where(isThere).returning().all();
    if (!message) return;
    const target = { targetId: messageId, target: nameOf(message) };
    await audit.record(orm, { ...by, action: until ? "message.snooze" : "message.wake", ...target }, now);
    return message;
  });

/** Brings back to the top of the inbox, as unread, what was snoozed until now. Safe to call from several processes. */
export const wakeSnoozed = async (db: Db, now: Date): Promise<void> => {
  const isOver = and(isNotNull(messages.snoozedUntil), lte(messages.snoozedUntil, now));
  const next = (orm: Orm) => orm.select({ id: messages.id }).from(messages).where(isOver).limit(rowsPerCommit);
  if (!(await db.read((orm) => next(orm).get()))) return;
  await changeInCommits(db, (orm) =>
    orm
      .update(messages)
      .set({ snoozedUntil: null, readAt: null, surfacedAt: now })
      .where(inArray(messages.id, next(orm)))
      .returning({ id: messages.id })
      .all(),
  );
};

/** Counts the messages in quarantine. */
export const countQuarantined = (db: Db) => db.read((orm) => countRows(orm, messages, isQuarantined));

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
