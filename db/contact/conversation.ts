import { and, count, desc, eq, inArray, max, ne, sql } from "drizzle-orm";
import * as audit from "../audit";
import type { Db, Orm } from "../engine/open";
import { emailKey } from "../lib/email-key";
import { fold, foldAll } from "../lib/fold";
import { countRows, hasId } from "../lib/rows";
import { enqueue, type Mail } from "../mail/outbox";
import { messageEntries, messages } from "../schema/contact";
import { outbox } from "../schema/mail";
import { boxOf, type Message } from "./messages";

export type Entry = typeof messageEntries.$inferSelect;

/** The most that is kept of one conversation. */
export const maxEntries = 1_000;
/** The most characters of a reply, an answer or a note. */
export const maxTextLength = 20_000;
/** The newest entries that a page shows. */
const shownEntries = 100;
/** How long a reply waits, so that sending it can be undone. */
export const undoMs = 10_000;

// ── What managers read ──────────────────────────────────────────────────────────────────────────

/** Returns the newest of what followed a message, oldest first, and how many there are. */
export const conversationOf = (db: Db, messageId: string) =>
  db.read(async (orm) => {
    const isOfMessage = eq(messageEntries.messageId, messageId);
    const newest = await orm
      .select()
      .from(messageEntries)
      .where(isOfMessage)
      .orderBy(desc(messageEntries.createdAt), desc(messageEntries.id))
      .limit(shownEntries)
      .all();
    return { entries: newest.toReversed(), total: await countRows(orm, messageEntries, isOfMessage) };
  });

/** The last email of a conversation, and how many emails followed the message. */
export type Latest = Pick<Entry, "kind" | "author" | "createdAt"> & { words: string; emails: number };

/** Returns the last email of each of these conversations that has more than its first message. */
export const latestOf = (db: Db, ids: string[]): Promise<Map<string, Latest>> =>
  db.read(async (orm) => {
    const { messageId, kind, author, text, createdAt, id } = messageEntries;
    const ranked = orm
      .select({
        messageId,
        kind,
        author,
        createdAt,
        words: sql<string>`substr(${text}, 1, 200)`.as("words"),
        emails: sql<number>`count(*) over (partition by ${messageId})`.as("emails"),
        place: sql<number>`row_number() over (partition by ${messageId} order by ${createdAt} desc, ${id} desc)`.as(
          "place",
        ),
      })
      .from(messageEntries)
      .where(and(hasId(messageId, ids), ne(kind, "note")))
      .as("ranked");
    const rows = await orm.select().from(ranked).where(eq(ranked.place, 1)).all();
    return new Map(rows.map((row) => [row.messageId, row]));
  });

// ── Replies ─────────────────────────────────────────────────────────────────────────────────────

const mayBeAnswered = (message: Message) => ["inbox", "snoozed", "archived"].includes(boxOf(message));

const randomHex = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString("hex");

const find = (orm: Orm, id: string) => orm.select().from(messages).where(eq(messages.id, id)).get();
const nameOf = ({ name, email }: Message) => `${name} <${email}>`;

type NewReply = {
  messageId: string;
  /** The ID of the entry, chosen by the form: sending the form twice sends one email. */
  id: string;
  text: string;
  isDone: boolean;
  /** The domain of the sender's address. */
  domain: string;
};
type Written = "written" | "repeated" | "gone" | "closed" | "full";

/**
 * Stores a reply and queues its email, in one transaction. With `isDone`, the message is archived too. `closed`: the
 * message is in spam, quarantine or the trash.
 */
export const reply = (db: Db, { messageId, id, text, isDone, domain }: NewReply, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<Written> => {
    const message = await find(orm, messageId);
    const refusal = await refusalOf(orm, message, { messageId, id });
    if (refusal || !message) return refusal ?? "gone";
    const threadKey = message.threadKey ?? randomHex(16);
    const mailId = `r.${threadKey}.${randomHex(8)}@${domain}`;
    await orm
      .insert(messageEntries)
      .values({ id, messageId, kind: "reply", author: by.actor, text, folded: fold(text), mailId, createdAt: now })
      .run();
    const isMoved = isDone && !message.archivedAt;
    await orm
      .update(messages)
      .set({
        threadKey,
        repliedAt: now,
        readAt: message.readAt ?? now,
        ...(isMoved && { archivedAt: now, snoozedUntil: null }),
      })
      .where(eq(messages.id, messageId))
      .run();
    const mail = { kind: "reply" as const, recipient: message.email, subjectId: id, payload: {} };
    await enqueue(orm, mail, now, new Date(now.getTime() + undoMs));
    const target = { targetId: messageId, target: nameOf(message) };
    await audit.record(orm, { ...by, action: "message.reply", ...target }, now);
    return "written";
  });

async function refusalOf(
  orm: Orm,
  message: Message | undefined,
  { messageId, id }: Pick<Entry, "messageId" | "id">,
): Promise<Written | undefined> {
  const existing = await orm.select().from(messageEntries).where(eq(messageEntries.id, id)).get();
  if (existing) return existing.messageId === messageId ? "repeated" : "gone";
  if (!message) return "gone";
  if (!mayBeAnswered(message)) return "closed";
  const size = await countRows(orm, messageEntries, eq(messageEntries.messageId, messageId));
  return size >= maxEntries ? "full" : undefined;
}

/** Stores a note, which is never sent. */
export const addNote = (
  db: Db,
  { messageId, id, text }: Pick<NewReply, "messageId" | "id" | "text">,
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm): Promise<Written> => {
    const message = await find(orm, messageId);
    const refusal = await refusalOf(orm, message, { messageId, id });
    if (refusal || !message) return refusal ?? "gone";
    await orm
      .insert(messageEntries)
      .values({ id, messageId, kind: "note", author: by.actor, text, folded: fold(text), createdAt: now })
      .run();
    const target = { targetId: messageId, target: nameOf(message) };
    await audit.record(orm, { ...by, action: "message.note", ...target }, now);
    return "written";
  });

/** `late`: someone has begun to send it, or it was cancelled; with the state of its newest email, unless that was deleted. */
export type TakenBack =
  | { outcome: "taken"; entry: Entry }
  | { outcome: "already" }
  | { outcome: "not-yours" }
  | { outcome: "late"; state: Mail["state"] | undefined };

/** Takes back a reply that no one has begun to send, or a note. Returns it, to be written anew, or why it stays. */
export const takeBack = (db: Db, { messageId, id }: Pick<Entry, "messageId" | "id">, by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<TakenBack> => {
    const where = and(eq(messageEntries.id, id), eq(messageEntries.messageId, messageId));
    const entry = await orm.select().from(messageEntries).where(where).get();
    if (!entry) return { outcome: "already" };
    if (entry.kind === "answer" || (entry.kind === "note" && entry.author !== by.actor))
      return { outcome: "not-yours" };
    if (entry.kind === "reply") {
      const isWaiting = and(eq(outbox.subjectId, id), eq(outbox.state, "queued"), eq(outbox.attempts, 0));
      const taken = await orm.delete(outbox).where(isWaiting).returning({ id: outbox.id }).all();
      if (!taken.length) return { outcome: "late", state: await stateOfNewest(orm, id) };
    }
    await orm.delete(messageEntries).where(where).run();
    if (entry.kind === "reply") await undoReply(orm, entry);
    const message = await find(orm, messageId);
    const target = message && { targetId: messageId, target: nameOf(message) };
    await audit.record(orm, { ...by, action: "message.take-back", ...target }, now);
    return { outcome: "taken", entry };
  });

/** What became of the newest email about it. */
async function stateOfNewest(orm: Orm, subjectId: string): Promise<Mail["state"] | undefined> {
  const newest = await orm
    .select({ state: outbox.state })
    .from(outbox)
    .where(eq(outbox.subjectId, subjectId))
    .orderBy(desc(outbox.createdAt), desc(outbox.id))
    .limit(1)
    .get();
  return newest?.state;
}

/** The message is as it was before the reply. */
async function undoReply(orm: Orm, { messageId, createdAt }: Entry): Promise<void> {
  const isReply = and(eq(messageEntries.messageId, messageId), eq(messageEntries.kind, "reply"));
  const latest = await orm
    .select({ at: max(messageEntries.createdAt) })
    .from(messageEntries)
    .where(isReply)
    .get();
  await orm
    .update(messages)
    .set({
      repliedAt: latest?.at ?? null,
      archivedAt: sql`case when archived_at = ${createdAt.getTime()} then null else archived_at end`,
    })
    .where(eq(messages.id, messageId))
    .run();
}

const maxReferences = 20; // of long threads the first and the last ones

/** What the email of a reply is written from; undefined if the message or the reply was deleted. */
export const replyToSend = (db: Db, id: string) =>
  db.read(async (orm) => {
    const entry = await orm.select().from(messageEntries).where(eq(messageEntries.id, id)).get();
    const message = entry && (await find(orm, entry.messageId));
    if (!entry?.mailId || !message?.threadKey) return;
    const before = await orm
      .select({ id: messageEntries.id, kind: messageEntries.kind, mailId: messageEntries.mailId })
      .from(messageEntries)
      .where(
        and(
          eq(messageEntries.messageId, message.id),
          sql`(${messageEntries.createdAt}, ${messageEntries.id}) < (${entry.createdAt.getTime()}, ${entry.id})`,
          sql`${messageEntries.mailId} is not null`,
        ),
      )
      .orderBy(desc(messageEntries.createdAt), desc(messageEntries.id))
      .limit(maxReferences)
      .all();
    const last = await lastWords(orm, message, entry);
    const domain = entry.mailId.slice(entry.mailId.lastIndexOf("@") + 1);
    const earlier = before.toReversed().flatMap(({ mailId }) => mailId ?? []);
    return { entry, message, mailId: entry.mailId, thread: `t.${message.threadKey}@${domain}`, earlier, last };
  });

/** What the reply answers: the last that the person wrote before it. */
async function lastWords(orm: Orm, message: Message, entry: Entry): Promise<{ text: string; at: Date; name: string }> {
  const isBefore = and(
    eq(messageEntries.messageId, message.id),
    eq(messageEntries.kind, "answer"),
    sql`(${messageEntries.createdAt}, ${messageEntries.id}) < (${entry.createdAt.getTime()}, ${entry.id})`,
  );
  const answer = await orm
    .select()
    .from(messageEntries)
    .where(isBefore)
    .orderBy(desc(messageEntries.createdAt), desc(messageEntries.id))
    .limit(1)
    .get();
  return answer
    ? { text: answer.text, at: answer.createdAt, name: answer.name || message.name }
    : { text: message.message, at: message.createdAt, name: message.name };
}

// ── Answers ─────────────────────────────────────────────────────────────────────────────────────

/** An email that came back, as a mailbox has it. */
export type IncomingAnswer = {
  /** Its Message-ID, without angle brackets, by which it is stored once. */
  mailId: string;
  /** What its In-Reply-To and References name, without angle brackets. */
  references: string[];
  name: string;
  email: string;
  /** What the person wrote, without what is quoted. Cut to `maxTextLength`. */
  text: string;
};
type Received = { outcome: "stored" | "repeated"; messageId: string } | { outcome: "unrelated" | "full" };

const threadKeyIn = (reference: string) => /^[rt]\.([0-9a-f]{32})[.@]/.exec(reference)?.[1];
const maxReferencesRead = 100;

/**
 * Stores an answer that came back by email under the message it belongs to, which returns to the inbox unread. Whoever
 * names a Message-ID of ours has received an email of the conversation: nobody can guess it. In spam and in the trash a
 * message stays where it is.
 */
export const recordAnswer = (db: Db, answer: IncomingAnswer, now: Date) =>
  db.write(async (orm): Promise<Received> => {
    const stored = await orm.select().from(messageEntries).where(eq(messageEntries.mailId, answer.mailId)).get();
    if (stored) return { outcome: "repeated", messageId: stored.messageId };
    const keys = answer.references.slice(-maxReferencesRead).flatMap((reference) => threadKeyIn(reference) ?? []);
    const message = keys.length
      ? await orm.select().from(messages).where(inArray(messages.threadKey, keys)).limit(1).get()
      : undefined;
    if (!message) return { outcome: "unrelated" };
    const [size] = await orm
      .select({ n: count() })
      .from(messageEntries)
      .where(eq(messageEntries.messageId, message.id))
      .all();
    if ((size?.n ?? 0) >= maxEntries) return { outcome: "full" };
    const { mailId, name, email } = answer;
    const text = answer.text.slice(0, maxTextLength).toWellFormed();
    const from = { name: name.slice(0, 200), email, emailKey: emailKey(email) };
    await orm
      .insert(messageEntries)
      .values({
        messageId: message.id,
        kind: "answer",
        ...from,
        text,
        folded: foldAll(from.name, from.email, text),
        mailId,
        createdAt: now,
      })
      .run();
    const surfaced = { readAt: null, archivedAt: null, snoozedUntil: null, surfacedAt: now };
    await orm.update(messages).set(surfaced).where(eq(messages.id, message.id)).run();
    return { outcome: "stored", messageId: message.id };
  });
