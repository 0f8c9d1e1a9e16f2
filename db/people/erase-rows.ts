import { and, eq, gte, inArray, not, or, type SQL, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { rowsPerCommit } from "../lib/bulk";
import { windowsOf } from "../lib/rows";
import { erasedRecipient } from "../mail/outbox";
import { messageEntries, messages } from "../schema/contact";
import { outbox } from "../schema/mail";
import { webhookDeliveries } from "../schema/webhooks";
import { mayMention } from "./address";
import type { Target, Traces } from "./traces";

/* Erases rows of a person, each kind in commits of a thousand. */

const inCommits = async (db: Db, ids: string[], step: (orm: Orm, ids: string[]) => Promise<{ id: string }[]>) => {
  let count = 0;
  for (let at = 0; at < ids.length; at += rowsPerCommit)
    count += (await db.write((orm) => step(orm, ids.slice(at, at + rowsPerCommit)))).length;
  return count;
};

/**
 * Deletes the messages with their conversations, what the errors of failed notifications say about them, and who got the
 * replies.
 */
export const eraseMessages = (db: Db, { messageIds }: Traces) =>
  inCommits(db, messageIds, async (orm, ids) => {
    const entries = orm
      .select({ id: messageEntries.id })
      .from(messageEntries)
      .where(inArray(messageEntries.messageId, ids));
    await eraseRecipients(orm, and(eq(outbox.kind, "reply"), inArray(outbox.subjectId, entries)));
    await orm.update(outbox).set({ lastError: null }).where(inArray(outbox.subjectId, ids)).run();
    return orm.delete(messages).where(inArray(messages.id, ids)).returning({ id: messages.id }).all();
  });

/** Deletes what the person has answered by email in conversations with others. */
export const eraseAnswers = (db: Db, { address: { key } }: Traces) =>
  db.write((orm) => orm.delete(messageEntries).where(eq(messageEntries.emailKey, key)).run());

/** Emails keep their kind, state and times. Queued ones are not sent. */
export const eraseEmails = (db: Db, { emailIds }: Traces) =>
  inCommits(db, emailIds, (orm, ids) => eraseRecipients(orm, inArray(outbox.id, ids)));

const eraseRecipients = (orm: Orm, where: SQL | undefined) =>
  orm
    .update(outbox)
    .set({
      recipient: erasedRecipient,
      recipientKey: erasedRecipient,
      mailboxKey: null,
      payload: {},
      lastError: null,
      providerId: null,
      state: sql`case when ${outbox.state} = 'queued' then 'cancelled' else ${outbox.state} end`,
    })
    .where(where)
    .returning({ id: outbox.id })
    .all();

/** Deletes webhook deliveries about the person, sent or not, except the one that reports the deletion. */
export async function eraseWebhookCalls(db: Db, of: Target): Promise<number> {
  const { id, subjectId, body, createdAt, type } = webhookDeliveries;
  const subjects = [
    ...(of.scope.includes("subscription") ? of.subscriberIds : []),
    ...(of.scope.includes("messages") ? of.messageIds : []),
  ];
  const isTheirs = sql`${subjectId} in (select value from json_each(${JSON.stringify(subjects)}))`;
  const isAbout =
    of.scope.includes("subscription") && of.scope.includes("messages") ? mayMention(body, of.address) : undefined;
  const isOurs = and(eq(type, "subscriber.deleted"), gte(createdAt, of.now)); // names no one
  let count = 0;
  for await (const window of windowsOf(db, webhookDeliveries, id)) {
    const where = and(window, or(and(isTheirs, not(sql`(${isOurs})`)), isAbout));
    count += (await db.write((orm) => orm.delete(webhookDeliveries).where(where).returning({ id }).all())).length;
  }
  return count;
}
