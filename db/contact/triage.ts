import { and, eq, inArray, isNotNull, lte, or } from "drizzle-orm";
import * as audit from "../audit";
import type { Db, Orm } from "../engine/open";
import { changeInCommits, rowsPerCommit } from "../lib/bulk";
import { managers } from "../schema/access";
import { messages } from "../schema/contact";
import { boxConditions } from "./messages";

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
