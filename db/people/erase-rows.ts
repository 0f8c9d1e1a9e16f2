import { and, eq, gte, inArray, not, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db, Orm } from "../engine/open";
import { rowsPerCommit } from "../lib/bulk";
import { foldAll } from "../lib/fold";
import { windowsOf } from "../lib/rows";
import { clockSlackMs } from "../lib/time";
import { erasedRecipient } from "../mail/outbox";
import { withKey } from "../newsletter/subscribers";
import { auditEvents } from "../schema/audit";
import { messageEntries, messages } from "../schema/contact";
import { outbox } from "../schema/mail";
import { webhookDeliveries } from "../schema/webhooks";
import { entriesIn, isToThem, mayMention, mentions, type Target, type Traces, without } from "./traces";

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

const perCommit = 200;

/** Removes the person from audit log entries, which stay. Returns how many were changed. */
export async function eraseEntries(db: Db, of: Target): Promise<number> {
  let count = 0;
  for (let at = 0; at < of.auditIds.length; at += perCommit) {
    const ids = of.auditIds.slice(at, at + perCommit);
    count += await db.write(async (orm) => {
      let changed = 0;
      for (const id of ids) {
        const entry = await orm.select().from(auditEvents).where(eq(auditEvents.id, id)).get();
        if (!entry || !isMeant(entry.action, of)) continue;
        await orm.update(auditEvents).set(withoutPerson(entry, of)).where(eq(auditEvents.id, id)).run();
        changed++;
      }
      return changed;
    });
  }
  return count;
}

/** Whether an entry is about what is being erased. */
const isMeant = (action: string, { scope }: Pick<Target, "scope">) =>
  scope.includes(action.startsWith("message.") ? "messages" : "subscription");

function withoutPerson(entry: typeof auditEvents.$inferSelect, { address, label }: Target) {
  const target = entry.target && mentions(entry.target, address) ? label : entry.target;
  const facts = Object.entries(entry.details).map(([name, text]) => [name, without(text, address, label)]);
  return { target, details: Object.fromEntries(facts), folded: foldAll(target, entry.targetId) };
}

/**
 * Whether anything was stored under the address since its traces were found. Of emails and audit entries, only the
 * latest are read, by the time they were written, with a margin for processes whose clocks differ.
 */
export async function isAnythingLeft(orm: Orm, { address, scope, isManager, now }: Target): Promise<boolean> {
  const since = new Date(now.getTime() - clockSlackMs);
  const isOfSender = eq(messages.emailKey, address.key);
  if (scope.includes("messages") && (await isAny(orm, messages, isOfSender))) return true;
  const isAnswer = eq(messageEntries.emailKey, address.key);
  if (scope.includes("messages") && (await isAny(orm, messageEntries, isAnswer))) return true;
  const isNew = and(gte(outbox.createdAt, since), isToThem(address));
  if (scope.includes("subscription") && ((await withKey(orm, address.key)) || (await isAny(orm, outbox, isNew))))
    return true;
  const entries = await entriesIn(orm, gte(auditEvents.createdAt, since), address, isManager);
  return entries.some(({ action }) => isMeant(action, { scope }));
}

const isAny = async (orm: Orm, table: SQLiteTable, where: SQL | undefined) =>
  (await orm.select().from(table).where(where).limit(1).get()) !== undefined;
