import { and, count, eq, exists, gt, isNotNull, isNull, max, min, type SQL } from "drizzle-orm";
import type { Db } from "../engine/open";
import { apiKeys } from "../schema/access";
import { messages } from "../schema/contact";
import { sourcesIn } from "../lib/rows";
import { isQuarantined } from "./quarantine";

export type Message = typeof messages.$inferSelect;
export type Box = "inbox" | "snoozed" | "archived" | "quarantine" | "spam" | "trash";

// ── What managers see ───────────────────────────────────────────────────────────────────────────

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

/** Marks a message as read. If it was read before, the first time is kept. */
export const markRead = (db: Db, id: string, now: Date) =>
  db.write(async (orm) => {
    const isUnread = and(eq(messages.id, id), isNull(messages.readAt));
    await orm.update(messages).set({ readAt: now }).where(isUnread).run();
  });
