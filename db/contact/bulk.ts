import { and, desc, eq, inArray, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import { auditTarget, type Changed, changeInCommits, rowsPerCommit, type UndoableSelection } from "../lib/bulk";
import { countRows, hasId } from "../lib/rows";
import { emitReceived } from "./submissions";
import { boxConditions, type Message } from "./messages";
import { matching, type MessageFilter } from "./list";
import { messages } from "../schema/contact";

type MessageSelection = UndoableSelection<MessageFilter>;
export type MessageAction = keyof typeof actions | "delete";
export type ChangedMessages = Changed<Pick<Message, "id" | "name" | "email">>;

type MessageChange = Partial<
  Pick<Message, "readAt" | "archivedAt" | "snoozedUntil" | "spamReason" | "quarantined" | "deletedAt">
>;

/** For each action: which messages it applies to and what it sets. Messages that no longer qualify are skipped. */
const actions = {
  read: { appliesTo: isNull(messages.readAt), changes: (now) => ({ readAt: now }) },
  unread: { appliesTo: isNotNull(messages.readAt), changes: () => ({ readAt: null }) },
  archive: {
    appliesTo: or(boxConditions.inbox, boxConditions.snoozed),
    changes: (now) => ({ archivedAt: now, snoozedUntil: null }),
  },
  wake: { appliesTo: boxConditions.snoozed, changes: () => ({ snoozedUntil: null }) },
  unarchive: { appliesTo: boxConditions.archived, changes: () => ({ archivedAt: null }) },
  spam: {
    appliesTo: and(isNull(messages.deletedAt), isNull(messages.spamReason)),
    changes: (_, by) => ({ spamReason: `Marked as spam by ${by}` }),
  },
  "not-spam": { appliesTo: boxConditions.spam, changes: () => ({ spamReason: null, quarantined: false }) },
  release: { appliesTo: boxConditions.quarantine, changes: () => ({ quarantined: false }) },
  trash: { appliesTo: isNull(messages.deletedAt), changes: (now) => ({ deletedAt: now }) },
  restore: { appliesTo: boxConditions.trash, changes: () => ({ deletedAt: null }) },
} satisfies Record<string, { appliesTo: SQL | undefined; changes: (now: Date, by: string) => MessageChange }>;

/**
 * Applies an action to the selected messages and records it in the audit log, in commits of a thousand. `delete` is
 * permanent and applies only to messages in the trash; every other action can be undone.
 */
export const applyAction = (
  db: Db,
  { action, selection }: { action: MessageAction; selection: MessageSelection },
  by: audit.Actor,
  now: Date,
): Promise<ChangedMessages> => changeInCommits(db, (orm) => step(orm, { action, selection }, by, now));

async function step(
  orm: Orm,
  { action, selection }: { action: MessageAction; selection: MessageSelection },
  by: audit.Actor,
  now: Date,
) {
  const next = orm.select({ id: messages.id }).from(messages).where(affected(action, selection)).limit(rowsPerCommit);
  const who = { id: messages.id, name: messages.name, email: messages.email };
  const these = inArray(messages.id, next);
  const batch =
    action === "delete"
      ? await orm.delete(messages).where(these).returning(who).all()
      : await orm.update(messages).set(actions[action].changes(now, by.actor)).where(these).returning(who).all();
  const target = auditTarget(batch[0], batch.length, ({ name, email }) => `${name} <${email}>`);
  if (batch.length) await audit.record(orm, { ...by, action: `message.${action}`, ...target }, now);
  if (action === "release") {
    const ids = batch.map(({ id }) => id);
    await emitReceived(orm, await orm.select().from(messages).where(hasId(messages.id, ids)).all(), now);
  }
  return batch;
}

/** Counts the messages the action would change now. */
export const countAffected = (db: Db, action: MessageAction, selection: MessageSelection) =>
  db.read((orm) => countRows(orm, messages, affected(action, selection)));

const affected = (action: MessageAction, selection: MessageSelection) =>
  and(isSelected(selection), action === "delete" ? boxConditions.trash : actions[action].appliesTo);

function isSelected(selection: MessageSelection): SQL | undefined {
  if ("ids" in selection) return inArray(messages.id, selection.ids);
  if ("matching" in selection) return matching(selection.matching);
  return or(eq(messages.deletedAt, selection.changedAt), eq(messages.archivedAt, selection.changedAt));
}

/** Yields all matching messages, newest first, in batches, so that memory use does not depend on their number. */
export async function* batches(db: Db, filter: MessageFilter, batchSize = 1_000): AsyncGenerator<Message[]> {
  let last: Message | undefined;
  do {
    const batch: Message[] = await db.read((orm) => {
      const order = [desc(messages.createdAt), desc(messages.id)];
      const next = orm
        .select({ id: messages.id })
        .from(messages)
        .where(and(matching(filter), last && olderThan(last)))
        .orderBy(...order)
        .limit(batchSize);
      return orm
        .select()
        .from(messages)
        .where(inArray(messages.id, next))
        .orderBy(...order)
        .all();
    });
    if (batch.length) yield batch;
    last = batch.length < batchSize ? undefined : batch.at(-1);
  } while (last);
}

const olderThan = ({ createdAt, id }: Message) =>
  sql`(${messages.createdAt}, ${messages.id}) < (${createdAt.getTime()}, ${id})`;
