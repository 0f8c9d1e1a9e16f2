import { and, eq, inArray } from "drizzle-orm";
import {
  bouncesAllTheTime,
  proveAccepted,
  type Recipient,
  reported,
  setFailed,
  setOnce,
} from "./broadcasts/report/reported-recipients";
import type { Db, Orm } from "./engine/open";
import { emailKey } from "./lib/email-key";
import { lockInOrder } from "./lib/rows";
import { deliveredAfterAll, erasedRecipient } from "./mail/outbox";
import { withKey } from "./newsletter/subscribers";
import { broadcasts } from "./schema/broadcasts";
import { outbox } from "./schema/mail";
import { providerEvents } from "./schema/suppressions";
import { hashOf, isErased, suppress, type SuppressionReason } from "./suppressions/suppressions";

/** A report of the email provider about one of our emails, or about an address. */
export type Report = {
  /** The ID of the webhook call, the same in each repetition. */
  id: string;
  type: string;
  /**
   * `bounced` is final: `Permanent` in Resend's words (`src/mail/resend-events.ts`), or a code that says that the
   * mailbox does not exist (`isGone` in `src/mail/smtp/answers.ts`). What follows from each: `effects`.
   */
  kind: "delivered" | "bounced" | "soft-bounced" | "complained" | "suppressed" | "failed" | "kept";
  at: Date;
  /** When the email was handed over. */
  sentAt?: Date | undefined;
  email: string;
  bounceType?: string | undefined;
  detail?: string | undefined;
  /** The recipient of a broadcast, or the email of the outbox, as named by their tags. */
  recipient?: { broadcastId: string; row: number } | undefined;
  outboxId?: string | undefined;
};

type Context = { orm: Orm; report: Report; recipient: Recipient | undefined; at: Date; now: Date };

/** Records a report, once: a replay changes nothing. Returns whether it was new. */
export const recordReport = (db: Db, given: Report, now: Date) =>
  db.write(async (orm): Promise<boolean> => {
    if (given.recipient) await lockInOrder(orm, broadcasts, eq(broadcasts.id, given.recipient.broadcastId)); // before its recipient, as an erasure
    if (!(await isOurs(orm, given))) return false;
    const wasErased = given.kind !== "delivered" && (await isErased(orm, given.email));
    const report = wasErased ? { ...given, detail: undefined } : given; // the detail may contain the address
    const { kind, recipient: tags } = report;
    const isNew = kind === "delivered" || (await keep(orm, report, now)); // a delivery is recorded on the recipient, once
    if (!isNew) return false;
    const recipient = tags && (await reported(orm, tags.broadcastId, tags.row));
    const at = report.at < now ? report.at : now;
    if (recipient) await proveAccepted(orm, recipient, report.sentAt, now);
    await effects[kind]({ orm, report, recipient, at, now });
    return true;
  });

/**
 * Whether it is about an email of ours: its tags may have been made up by another program that uses the same account.
 * Emails that are no longer in the database are known by whom they were sent to.
 */
async function isOurs(orm: Orm, { email, recipient, outboxId }: Report): Promise<boolean> {
  if (!recipient && !outboxId) return true; // the sender's address or the list of suppressions says so
  const key = emailKey(email);
  const subscriber = await withKey(orm, key);
  if (subscriber) return true;
  const { subscriberRow } = (recipient && (await reported(orm, recipient.broadcastId, recipient.row))) ?? {};
  if (subscriberRow === null) return true; // since deleted
  const mail = outboxId && (await orm.select().from(outbox).where(eq(outbox.id, outboxId)).get());
  return mail ? [key, erasedRecipient].includes(mail.recipientKey) : false;
}

async function keep(orm: Orm, report: Report, now: Date): Promise<boolean> {
  const { id, type, at, email, bounceType = null, detail = null, recipient, outboxId = null } = report;
  const refersTo = { recipientRow: recipient?.row ?? null, outboxId, hash: await hashOf(orm, email) };
  const row = { id, type, at, bounceType, detail, ...refersTo, receivedAt: now };
  const kept = orm.insert(providerEvents).values(row).onConflictDoNothing().returning({ id: providerEvents.id });
  return (await kept.all()).length > 0;
}

/**
 * What each kind leads to. Who is blocked gets no newsletters from then on and leaves all sequences (`suppress` and
 * `applySuppression` in `db/suppressions/suppressions.ts`), until a manager lifts it, or they subscribe again, which lifts
 * a bounce only after 180 days (`liftForOwner`, `isOutlived`). In the figures of a broadcast, the recipient stays accepted, and is bounced
 * instead of delivered (`broadcast_recipients_count_update` in `snapshot.sql`). A broadcast with too many bounces or
 * complaints pauses itself later (`brake` in `db/broadcasts/rules.ts`). An address refused while an email is handed over is
 * blocked by `db/mail/outbox.ts`, one of a broadcast, which counts as failed, by `db/broadcasts/sending/settle.ts`.
 */
const effects: Record<Report["kind"], (context: Context) => Promise<unknown>> = {
  async delivered({ orm, recipient, at, report: { outboxId } }) {
    if (recipient) await setOnce(orm, recipient, "deliveredAt", at);
    else if (outboxId) await deliveredAfterAll(orm, outboxId, at);
  },
  async bounced(context) {
    const { orm, recipient, at } = context;
    if (recipient) await setOnce(orm, recipient, "bouncedAt", at);
    await noteInOutbox(context, "Bounced");
    await block(context, "bounce");
  },
  async "soft-bounced"(context) {
    const { orm, recipient, at } = context;
    if (!recipient) return noteInOutbox(context, "Bounced temporarily");
    await setOnce(orm, recipient, "softAt", at);
    if (await bouncesAllTheTime(orm, recipient)) await block(context, "bounce");
  },
  async complained(context) {
    const { orm, recipient, at } = context;
    if (recipient) await setOnce(orm, recipient, "complainedAt", at);
    await block(context, "complaint");
  },
  async suppressed(context) {
    const { orm, recipient, report } = context;
    if (recipient) await setFailed(orm, recipient, report.detail ?? "Suppressed by the provider"); // it was not sent
    await noteInOutbox(context, "Suppressed by the provider");
    await block(context, "provider");
  },
  async failed(context) {
    const { orm, recipient, report } = context;
    if (recipient) await setFailed(orm, recipient, report.detail ?? "The provider could not send it");
    else await noteInOutbox(context, "Failed", "dead");
  },
  kept: () => Promise.resolve(), // it is on record, and nothing follows
};

const block = ({ orm, report: { id, email, detail }, now }: Context, reason: SuppressionReason) =>
  suppress(orm, { email, reason, detail, eventId: id }, { via: "provider" }, now);

/** Adds the report to the email in the outbox. */
async function noteInOutbox({ orm, report: { outboxId, detail } }: Context, what: string, state?: "dead") {
  if (!outboxId) return;
  const isHandedOver = inArray(outbox.state, ["queued", "sent"]);
  const set = { lastError: detail ? `${what}: ${detail}` : what, ...(state && { state, inDoubtSince: null }) };
  await orm
    .update(outbox)
    .set(set)
    .where(and(eq(outbox.id, outboxId), isHandedOver))
    .run();
}
