import { and, between, eq } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as idempotency from "../idempotency";
import { emailKey } from "../lib/email-key";
import { foldAll } from "../lib/fold";
import { fullUntil } from "../limits/hourly-limits";
import * as outbox from "../mail/outbox";
import { messages } from "../schema/contact";
import { emitAll } from "../events/webhook-events";
import { ensureSummary, type Message } from "./messages";
import { ownerAddress } from "./owner";

type Received = Pick<Message, "id" | "source" | "name" | "email" | "message">;

/** Reports to webhooks messages that have reached the inbox: immediately, or when they are released from quarantine. */
export const emitReceived = (orm: Orm, all: Received[], now: Date): Promise<void> =>
  emitAll(
    orm,
    all.map(({ id, source, name, email, message }) => ({
      type: "message.received",
      data: { id, source },
      people: () => ({ name, email, message }),
    })),
    now,
  );

type Submission = Pick<Message, "name" | "email" | "message" | "source">;
type SubmissionContext = {
  /** A hash of the Idempotency-Key and its sender. */
  idempotencyKey?: string | undefined;
  /** If set, the message goes to Spam and no one is notified. */
  spamReason?: string | undefined;
  /** Who is notified. If absent: the address in the settings, or the first owner's. */
  recipient?: string | undefined;
  /** The key of the site that sends it on behalf of a visitor. */
  apiKeyId?: string | undefined;
};
type SubmitResult =
  | { outcome: "stored"; id: string; hasNoRecipient: boolean }
  | { outcome: "repeated"; id: string }
  | { outcome: "conflict" }
  /** The hard cap on stored messages is reached. */
  | { outcome: "refused"; opensAt: Date };

const duplicateWindowMs = 600_000;

/**
 * Stores a visitor's message and queues the notification to the owner, in one transaction. An identical submission
 * within 10 minutes, or one with the same idempotency key within 24 hours, returns the first one (D18). A key that was
 * used for something else is a conflict. Above the hourly limit, a message is quarantined: it is stored without a
 * notification of its own.
 */
export const submit = (db: Db, submission: Submission, circumstances: SubmissionContext, now: Date) =>
  db.write(async (orm): Promise<SubmitResult> => {
    const { idempotencyKey: key, spamReason, apiKeyId } = circumstances;
    const fingerprint = fingerprintOf(submission, spamReason);
    const before = key && (await idempotency.recall(orm, key, now));
    if (before) return before.fingerprint === fingerprint ? repeated(before.resultId) : { outcome: "conflict" };

    const duplicate = await findDuplicate(orm, fingerprint, now);
    const opensAt = duplicate ? undefined : await fullUntil(orm, "storedMessagesPerHour", now);
    if (opensAt) return { outcome: "refused", opensAt };
    const mayBeMany = !duplicate && !spamReason;
    const quarantined = mayBeMany && (await fullUntil(orm, "messagesPerHourBeforeQuarantine", now)) !== undefined;
    const rest = { fingerprint, spamReason, quarantined, apiKeyId, createdAt: now };
    const id = duplicate?.id ?? (await insert(orm, submission, rest));
    if (key) await idempotency.remember(orm, { key, fingerprint, resultId: id, createdAt: now });
    if (duplicate) return repeated(id);
    if (spamReason) return { outcome: "stored", id, hasNoRecipient: false };
    if (!quarantined) await emitReceived(orm, [{ id, ...submission }], now);
    return { outcome: "stored", id, hasNoRecipient: !(await notify(orm, { id, quarantined }, circumstances, now)) };
  });

const repeated = (id: string) => ({ outcome: "repeated" as const, id });

/**
 * A submission that filled the hidden field never counts as a duplicate of one sent by a person, whose message would
 * otherwise be lost.
 */
const fingerprintOf = ({ name, email, message, source }: Submission, spamReason?: string) =>
  new Bun.CryptoHasher("sha256")
    .update(JSON.stringify([emailKey(email), name, message, source, spamReason]))
    .digest("hex");

const findDuplicate = (orm: Orm, fingerprint: string, now: Date) =>
  orm
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.fingerprint, fingerprint), within(duplicateWindowMs, now)))
    .orderBy(messages.createdAt)
    .get();

/** Condition: written within this time before now, or after now by a clock that was ahead. */
const within = (milliseconds: number, now: Date) =>
  between(messages.createdAt, new Date(now.getTime() - milliseconds + 1), new Date(now.getTime() + milliseconds));

async function insert(
  orm: Orm,
  submission: Submission,
  rest: Pick<Message, "fingerprint" | "quarantined" | "createdAt"> & Pick<SubmissionContext, "spamReason" | "apiKeyId">,
): Promise<string> {
  const { name, email, message } = submission;
  const arrival = { honeypot: Boolean(rest.spamReason), quarantinedAt: rest.quarantined ? rest.createdAt : null };
  const [id, key, surfacedAt] = [Bun.randomUUIDv7(), emailKey(email), rest.createdAt];
  await orm
    .insert(messages)
    .values({
      id,
      ...submission,
      ...rest,
      ...arrival,
      surfacedAt,
      emailKey: key,
      folded: foldAll(name, email, key, message),
    })
    .run();
  return id;
}

/** Returns false if there is no one to notify. */
async function notify(
  orm: Orm,
  { id, quarantined }: Pick<Message, "id" | "quarantined">,
  { recipient }: SubmissionContext,
  now: Date,
): Promise<boolean> {
  const owner = recipient ?? (await ownerAddress(orm));
  if (owner && quarantined) await ensureSummary(orm, owner, now);
  else if (owner) await outbox.enqueue(orm, { kind: "contact", recipient: owner, subjectId: id, payload: {} }, now);
  return owner !== undefined;
}
