import { and, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import { create, type NewManager } from "../access/managers";
import { type Db, type Orm } from "../engine/open";
import { setInstallationValue, valueOf } from "../installation";
import { emailKey } from "../lib/email-key";
import { foldAll } from "../lib/fold";
import { enterAsNew } from "../newsletter/sequence-entry";
import { managers } from "../schema/access";
import { segments } from "../schema/audience";
import { broadcastRecipients, broadcasts, recipientStates } from "../schema/broadcasts";
import { messageEntries, messages } from "../schema/contact";
import { outbox } from "../schema/mail";
import { subscriberEvents, subscribers } from "../schema/newsletter";
import { posts } from "../schema/posts";
import { projects } from "../schema/projects";
import { sequences } from "../schema/sequences";
import { uploads } from "../schema/storage";
import { suppressions } from "../schema/suppressions";
import { webhookDeliveries, webhookEndpoints } from "../schema/webhooks";

export type DemoSubscriber = {
  name: string | undefined;
  email: string;
  source: string | undefined;
  language?: string | undefined;
  cameAt: Date;
};
/** What followed a message: our reply, an answer that came back, or a note. */
type DemoEntry = { kind: "reply" | "answer" | "note"; text: string; at: Date; by: string };
type DemoMessage = Pick<typeof messages.$inferInsert, "name" | "email" | "source" | "message" | "spamReason"> & {
  at: Date;
  readAt: Date | null;
  snoozedUntil: Date | null;
  isDone: boolean;
  entries: DemoEntry[];
};
export type DemoDelivery = Omit<
  typeof webhookDeliveries.$inferInsert,
  "endpointId" | "nextAttemptAt" | "attemptedAt" | "createdAt" | "body"
> & { at: Date; data: Record<string, string | number> };

const writing = [subscribers, messages, posts, projects, broadcasts, sequences, segments];
const tables = [...writing, webhookEndpoints, suppressions, uploads, outbox];

/** Whether nobody has put anything into the database but managers, keys, nodes and settings. */
export const isEmpty = (db: Db) =>
  db.read(async (orm) => {
    for (const table of tables) if (await orm.select().from(table).limit(1).get()) return false;
    return true;
  });

/** Marks the database as one of sample content: from now on, every process simulates all emails. */
export const mark = (db: Db): Promise<void> => db.write((orm) => setInstallationValue(orm, "sampleContent", "true"));

/** Whether the database has sample content: nothing in it may ever be emailed. */
export const isMarked = (db: Db): Promise<boolean> =>
  db.read(async (orm) => (await valueOf(orm, "sampleContent")) !== undefined);

/** Adds a manager, who was last seen at a moment. */
export const addManager = (db: Db, person: NewManager, { at, seenAt }: { at: Date; seenAt: Date }) =>
  db.write(async (orm) => {
    const manager = await create(orm, person, at);
    if (manager) await orm.update(managers).set({ lastSeenAt: seenAt }).where(eq(managers.id, manager.id)).run();
  });

/**
 * Adds people who subscribed by the form, with what that begins. Their welcome emails have their final state from the
 * start, so that nothing is ever sent.
 */
export async function addSubscribers(orm: Orm, people: DemoSubscriber[], now: Date) {
  if (!people.length) return [];
  const rows = await orm
    .insert(subscribers)
    .values(
      people.map(({ cameAt, email, name, ...person }) => ({
        ...person,
        name,
        email,
        emailKey: emailKey(email),
        folded: foldAll(email, emailKey(email), name),
        createdAt: cameAt,
        updatedAt: cameAt,
      })),
    )
    .returning()
    .all();
  const events = rows.map(({ id, source, createdAt }) => ({ subscriberId: id, source, createdAt }));
  await orm
    .insert(subscriberEvents)
    .values(events.map((event) => ({ ...event, kind: "subscribed" as const, via: "form" as const })))
    .run();
  const mails = rows.map(({ id, email, createdAt }) =>
    sent({ kind: "welcome", recipient: email, subjectId: id }, createdAt),
  );
  await orm.insert(outbox).values(mails).run();
  await enterAsNew(orm, { rows: rows.map(({ row }) => row), isConfirmed: false }, now);
  return rows;
}

/** Adds a message and what followed. Its emails have their final state from the start, as above. */
export async function addMessage(orm: Orm, message: DemoMessage, owner: string): Promise<void> {
  const { at, entries, isDone, ...fields } = message;
  const replies = entries.filter(({ kind }) => kind === "reply");
  const surfacedAt = entries.findLast(({ kind }) => kind === "answer")?.at ?? at;
  const threadKey = replies.length ? new Bun.CryptoHasher("md5").update(message.message).digest("hex") : null;
  const { id } = await orm
    .insert(messages)
    .values({
      ...fields,
      emailKey: emailKey(message.email),
      fingerprint: new Bun.CryptoHasher("sha256").update(`demo ${message.email} ${message.message}`).digest("hex"),
      folded: foldAll(message.name, message.email, emailKey(message.email), message.message),
      createdAt: at,
      surfacedAt,
      threadKey,
      repliedAt: replies.at(-1)?.at ?? null,
      archivedAt: isDone ? (entries.at(-1)?.at ?? at) : null,
    })
    .returning()
    .get();
  if (!message.spamReason)
    await orm
      .insert(outbox)
      .values(sent({ kind: "contact", recipient: owner, subjectId: id }, at))
      .run();
  for (const [place, entry] of entries.entries()) await addEntry(orm, { ...message, id }, { entry, place, threadKey });
}

type Placed = { entry: DemoEntry; place: number; threadKey: string | null };

async function addEntry(
  orm: Orm,
  { id: messageId, name, email }: { id: string; name: string; email: string },
  { entry: { kind, text, at, by }, place, threadKey }: Placed,
): Promise<void> {
  const from = kind === "answer" ? { name, email, emailKey: emailKey(email) } : { author: by };
  const mailId = kind === "note" ? null : `r.${threadKey}.${place}@${kind === "answer" ? "answers" : "mail"}.example`;
  const { id } = await orm
    .insert(messageEntries)
    .values({ messageId, kind, ...from, text, mailId, createdAt: at })
    .returning()
    .get();
  if (kind !== "reply") return;
  await orm
    .insert(outbox)
    .values(sent({ kind: "reply", recipient: email, subjectId: id }, at))
    .run();
}

type SentMail = Pick<typeof outbox.$inferInsert, "kind" | "recipient" | "subjectId">;

function sent({ kind, recipient, subjectId }: SentMail, at: Date): typeof outbox.$inferInsert {
  const sentAt = new Date(at.getTime() + 1_000);
  const state = { state: "sent", attempts: 1, sentAt, nextAttemptAt: at, createdAt: at } as const;
  return { ...state, kind, recipient, recipientKey: emailKey(recipient), subjectId, payload: {} };
}

/** Records that the provider has delivered a broadcast to everyone of whom nothing else was reported. */
export const deliverAll = (db: Db, id: string, at: Date): Promise<void> =>
  db.write(async (orm) => {
    const { broadcastRow, state, bouncedAt, deliveredAt } = broadcastRecipients;
    const ofBroadcast = orm.select({ row: broadcasts.row }).from(broadcasts).where(eq(broadcasts.id, id));
    const isAccepted = and(inArray(broadcastRow, ofBroadcast), eq(state, recipientStates.accepted));
    await orm
      .update(broadcastRecipients)
      .set({ deliveredAt: at })
      .where(and(isAccepted, isNull(bouncedAt), isNull(deliveredAt)))
      .run();
  });

/** Returns who got a broadcast, in their order. */
export const recipientsOf = (db: Db, id: string) =>
  db.read((orm) =>
    orm
      .select({ row: broadcastRecipients.row, email: subscribers.email })
      .from(broadcastRecipients)
      .innerJoin(broadcasts, eq(broadcasts.row, broadcastRecipients.broadcastRow))
      .innerJoin(subscribers, eq(subscribers.row, broadcastRecipients.subscriberRow))
      .where(and(eq(broadcasts.id, id), isNotNull(broadcastRecipients.acceptedAt), eq(subscribers.state, "active")))
      .orderBy(broadcastRecipients.row)
      .all(),
  );

/** What was queued for the owner, such as that a newsletter was sent, counts as sent: nothing waits for a provider. */
export const settleOutbox = (db: Db): Promise<void> =>
  db.write(async (orm) => {
    const set = { state: "sent" as const, attempts: 1, sentAt: sql`${outbox.createdAt}` };
    await orm.update(outbox).set(set).where(eq(outbox.state, "queued")).run();
  });

/** Adds deliveries in their final state, so that no endpoint is ever called. */
export const addDeliveries = (db: Db, endpointId: string, deliveries: DemoDelivery[]): Promise<void> =>
  db.write(async (orm) => {
    const rows = deliveries.map(({ at, data, ...delivery }) => ({
      ...delivery,
      endpointId,
      body: JSON.stringify({ type: delivery.type, timestamp: at.toISOString(), data }),
      nextAttemptAt: at,
      attemptedAt: at,
      createdAt: at,
    }));
    await orm.insert(webhookDeliveries).values(rows).run();
    const failing = deliveries.filter(({ state }) => state === "dead").map(({ at }) => at.getTime());
    const lastSuccess = Math.max(0, ...deliveries.filter(({ state }) => state === "delivered").map(({ at }) => +at));
    const since = Math.min(...failing.filter((at) => at > lastSuccess));
    const failingSince = Number.isFinite(since) ? new Date(since) : null;
    await orm
      .update(webhookEndpoints)
      .set({ failingSince, attemptedAt: sql`${Math.max(lastSuccess, ...failing)}` })
      .where(eq(webhookEndpoints.id, endpointId))
      .run();
  });
