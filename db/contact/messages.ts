import { isWithin, type Period } from "../lib/period";
import { type SQL, and, between, count, desc, eq, inArray, isNotNull, isNull, min, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { emailKey } from "../lib/email-key";
import { contains, foldAll } from "../lib/fold";
import { countRows, pageOf, type PageRequest } from "../lib/page";
import * as idempotency from "../idempotency";
import { ownerAddress } from "./owner";
import { refusedUntil } from "../hourly-limits";
import * as outbox from "../mail/outbox";
import { isAboveLimit, isQuarantined, ensureSummary } from "./quarantine";
import { messages } from "../schema/contact";
import { sourcesIn } from "../lib/sources";
import { emitReceived } from "./received";

export type Message = typeof messages.$inferSelect;
export type Box = "inbox" | "archived" | "quarantine" | "spam" | "trash";

type Submission = Pick<Message, "name" | "email" | "message" | "source">;
type SubmissionContext = {
  /** A hash of the Idempotency-Key and its sender. */
  idempotencyKey?: string | undefined;
  /** If set, the message goes to Spam and no one is notified. */
  spamReason?: string | undefined;
  /** Who is notified. If absent: the address in the settings, or the first owner's. */
  recipient?: string | undefined;
};
type SubmitResult =
  | { outcome: "stored"; id: string; hasNoRecipient: boolean }
  | { outcome: "repeated"; id: string }
  | { outcome: "conflict" }
  /** Above the hard cap on stored messages (P70). */
  | { outcome: "refused"; opensAt: Date };

const duplicateWindowMs = 600_000;

/**
 * Stores a visitor's message and queues the notification to the owner, in one transaction. An identical submission
 * within 10 minutes, or one with the same idempotency key within 24 hours, returns the first one (D18). A key that was
 * used for something else is a conflict. Above the hourly limit, a message is quarantined: it is stored without a
 * notification of its own (P69).
 */
export const submit = (db: Db, submission: Submission, circumstances: SubmissionContext, now: Date) =>
  db.write(async (orm): Promise<SubmitResult> => {
    const { idempotencyKey: key, spamReason } = circumstances;
    const fingerprint = fingerprintOf(submission, spamReason);
    const before = key && (await idempotency.recall(orm, key, now));
    if (before) return before.fingerprint === fingerprint ? repeated(before.resultId) : { outcome: "conflict" };

    const duplicate = await findDuplicate(orm, fingerprint, now);
    const opensAt = duplicate ? undefined : await refusedUntil(orm, "storedMessagesPerHour", now);
    if (opensAt) return { outcome: "refused", opensAt };
    const quarantined = !duplicate && !spamReason && (await isAboveLimit(orm, now));
    const id =
      duplicate?.id ?? (await insert(orm, submission, { fingerprint, spamReason, quarantined, createdAt: now }));
    if (key) await idempotency.remember(orm, { key, fingerprint, resultId: id, createdAt: now });
    if (duplicate) return repeated(id);
    if (spamReason) return { outcome: "stored", id, hasNoRecipient: false };
    if (!quarantined) await emitReceived(orm, { id, ...submission }, now);
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

/** Condition: written within this time before now, or after now by a clock that was ahead (P77). */
const within = (milliseconds: number, now: Date) =>
  between(messages.createdAt, new Date(now.getTime() - milliseconds + 1), new Date(now.getTime() + milliseconds));

async function insert(
  orm: Orm,
  submission: Submission,
  rest: Pick<Message, "fingerprint" | "quarantined" | "createdAt"> & Pick<SubmissionContext, "spamReason">,
): Promise<string> {
  const { name, email, message } = submission;
  const arrival = { honeypot: Boolean(rest.spamReason), quarantinedAt: rest.quarantined ? rest.createdAt : null };
  const [id, key] = [Bun.randomUUIDv7(), emailKey(email)];
  await orm
    .insert(messages)
    .values({ id, ...submission, ...rest, ...arrival, emailKey: key, folded: foldAll(name, email, key, message) })
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

// ── What managers see of them ─────────────────────────────────────────────────────────────────

const isAccepted = and(isNull(messages.deletedAt), isNull(messages.spamReason), eq(messages.quarantined, false));

/** The box a message is in. The conditions are worded like the index `messages_box`, so that SQLite uses it. */
export const boxConditions: Record<Box, SQL | undefined> = {
  inbox: and(isAccepted, isNull(messages.archivedAt)),
  archived: and(isAccepted, isNotNull(messages.archivedAt)),
  quarantine: isQuarantined,
  spam: and(isNull(messages.deletedAt), isNotNull(messages.spamReason)),
  trash: isNotNull(messages.deletedAt),
};

export const boxOf = ({ deletedAt, spamReason, quarantined, archivedAt }: Message): Box =>
  deletedAt ? "trash" : spamReason ? "spam" : quarantined ? "quarantine" : archivedAt ? "archived" : "inbox";

export type MessageFilter = Period & {
  box: Box;
  /** Found anywhere in name, email or message, ignoring case. */
  q?: string | undefined;
  source?: string | undefined;
};

export const matching = ({ box, q, source, ...period }: MessageFilter) =>
  and(
    boxConditions[box],
    q ? sql`${messages.folded} like ${contains(q)} escape '\\'` : undefined,
    source ? eq(messages.source, source) : undefined,
    isWithin(messages.createdAt, period),
  );

/** Returns one page of a box, newest first. A page past the end is the last page. */
export const list = (db: Db, filter: MessageFilter, request: PageRequest) =>
  db.read(async (orm) => {
    const where = matching(filter);
    const order = [desc(messages.createdAt), desc(messages.id)];
    const inOrder = orm
      .select({ id: messages.id }) // from the index alone, so that only these rows are read
      .from(messages)
      .where(where)
      .orderBy(...order);
    return pageOf(await countRows(orm, messages, where), request, (limit, offset) =>
      orm
        .select()
        .from(messages)
        .where(inArray(messages.id, inOrder.limit(limit).offset(offset)))
        .orderBy(...order)
        .all(),
    );
  });

/** Counts the messages in each box. */
export const counts = (db: Db): Promise<Record<Box, number>> =>
  db.read(async (orm) => {
    const lying = (box: Box) => countRows(orm, messages, boxConditions[box]);
    return {
      inbox: await lying("inbox"),
      archived: await lying("archived"),
      quarantine: await lying("quarantine"),
      spam: await lying("spam"),
      trash: await lying("trash"),
    };
  });

/** Counts the unread messages in the inbox, and returns the time of the oldest. */
export const unread = (db: Db) =>
  db.read(
    async (orm) =>
      (await orm
        .select({ count: count(), oldestAt: min(messages.createdAt) })
        .from(messages)
        .where(and(isNull(messages.readAt), boxConditions.inbox))
        .get()) ?? { count: 0, oldestAt: null },
  );

/** Returns every source of messages, for the filter. */
export const sources = (db: Db) => db.read((orm) => sourcesIn(orm, messages));

export const byId = (db: Db, id: string) =>
  db.read((orm) => orm.select().from(messages).where(eq(messages.id, id)).get());

/** Marks a message as read. If it was read before, the first time is kept. */
export const markRead = (db: Db, id: string, now: Date) =>
  db.write(async (orm) => {
    const isUnread = and(eq(messages.id, id), isNull(messages.readAt));
    await orm.update(messages).set({ readAt: now }).where(isUnread).run();
  });
