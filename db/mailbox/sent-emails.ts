import { and, eq } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { erasedRecipient } from "../mail/outbox";
import { broadcastBatches, broadcastRecipients, broadcasts } from "../schema/broadcasts";
import { messageEntries } from "../schema/contact";
import { outbox } from "../schema/mail";
import { subscribers } from "../schema/newsletter";

/** What names an email of ours, as a report has it. */
type EmailReference =
  /** A row of `broadcast_recipients`. */
  { kind: "recipient"; row: number } | { kind: "outbox"; id: string } | { kind: "reply"; mailId: string };

/** An email of ours that a mail server may have. */
export type SentEmail = {
  email: string;
  sentAt: Date;
  recipient?: { broadcastId: string; row: number };
  outboxId?: string;
};

/** Returns the email; undefined if it was not sent, or whom it was sent to is no longer known. */
export const sentEmail = (db: Db, reference: EmailReference): Promise<SentEmail | undefined> =>
  db.read(async (orm) => {
    if (reference.kind === "recipient") return ofBroadcast(orm, reference.row);
    return reference.kind === "outbox" ? ofOutbox(orm, reference.id) : ofReply(orm, reference.mailId);
  });

async function ofBroadcast(orm: Orm, row: number): Promise<SentEmail | undefined> {
  const place = await orm
    .select({
      broadcastId: broadcasts.id,
      email: subscribers.email,
      acceptedAt: broadcastRecipients.acceptedAt,
      attemptedAt: broadcastBatches.firstAttemptAt,
    })
    .from(broadcastRecipients)
    .innerJoin(broadcasts, eq(broadcasts.row, broadcastRecipients.broadcastRow))
    .innerJoin(subscribers, eq(subscribers.row, broadcastRecipients.subscriberRow))
    .leftJoin(broadcastBatches, eq(broadcastBatches.row, broadcastRecipients.batchRow))
    .where(eq(broadcastRecipients.row, row))
    .get();
  const sentAt = place?.acceptedAt ?? place?.attemptedAt; // the response to it may have been lost
  return place && sentAt
    ? { email: place.email, sentAt, recipient: { broadcastId: place.broadcastId, row } }
    : undefined;
}

async function ofOutbox(orm: Orm, id: string): Promise<SentEmail | undefined> {
  const mail = await orm.select().from(outbox).where(eq(outbox.id, id)).get();
  const sentAt = mail?.state === "simulated" ? null : (mail?.sentAt ?? mail?.inDoubtSince);
  if (!mail || !sentAt || mail.recipient === erasedRecipient) return;
  return { email: mail.recipient, sentAt, outboxId: id };
}

async function ofReply(orm: Orm, mailId: string): Promise<SentEmail | undefined> {
  const reply = await orm
    .select({ outboxId: outbox.id })
    .from(messageEntries)
    .innerJoin(outbox, and(eq(outbox.subjectId, messageEntries.id), eq(outbox.kind, "reply")))
    .where(eq(messageEntries.mailId, mailId))
    .get();
  return reply && ofOutbox(orm, reply.outboxId);
}
