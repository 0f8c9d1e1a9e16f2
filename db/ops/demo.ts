import { eq } from "drizzle-orm";
import { type Db, type Orm } from "../engine/open";
import { emailKey } from "../lib/email-key";
import { foldAll } from "../lib/fold";
import { messages } from "../schema/contact";
import { outbox } from "../schema/mail";
import { subscriberEvents, subscribers } from "../schema/newsletter";
import { posts } from "../schema/posts";
import { projects } from "../schema/projects";

type Leaving = { at: Date; via: "link" | "one-click" };
export type DemoSubscriber = {
  name: string | undefined;
  email: string;
  source: string | undefined;
  cameAt: Date;
  left?: Leaving | undefined;
};
export type DemoMessage = Pick<typeof messages.$inferInsert, "name" | "email" | "source" | "message" | "spamReason"> & {
  at: Date;
  readAt: Date | null;
};

/** Whether there are no subscribers, messages, posts or projects. */
export const isEmpty = (db: Db) =>
  db.read(async (orm) => {
    for (const table of [subscribers, messages, posts, projects])
      if (await orm.select().from(table).limit(1).get()) return false;
    return true;
  });

/**
 * Inserts sample data in one commit: subscribers with their events, messages, and the emails about both. The emails are
 * in a final state from the start, so that nothing is ever sent.
 */
export const fill = (
  db: Db,
  { people, demoMessages, owner }: { people: DemoSubscriber[]; demoMessages: DemoMessage[]; owner: string },
) =>
  db.write(async (orm) => {
    for (const person of people) await insertSubscriber(orm, person);
    for (const message of demoMessages) await insertMessage(orm, message, owner);
  });

async function insertSubscriber(orm: Orm, { name, email, source, cameAt, left }: DemoSubscriber): Promise<void> {
  const { id } = await orm
    .insert(subscribers)
    .values({
      name,
      email,
      source,
      emailKey: emailKey(email),
      folded: foldAll(email, emailKey(email), name),
      createdAt: cameAt,
      updatedAt: cameAt,
    })
    .returning()
    .get();
  await orm
    .insert(subscriberEvents)
    .values({ subscriberId: id, kind: "subscribed", via: "form", source, createdAt: cameAt })
    .run();
  if (left) await leave(orm, id, left);
  await simulate(orm, { kind: "welcome", recipient: email, subjectId: id }, cameAt);
}

/** A separate step, so that the day they left is counted too. */
async function leave(orm: Orm, id: string, { at, via }: Leaving): Promise<void> {
  const changes = { state: "unsubscribed", unsubscribedAt: at, updatedAt: at } as const;
  await orm.update(subscribers).set(changes).where(eq(subscribers.id, id)).run();
  await orm.insert(subscriberEvents).values({ subscriberId: id, kind: "unsubscribed", via, createdAt: at }).run();
}

async function insertMessage(orm: Orm, { at, ...message }: DemoMessage, owner: string): Promise<void> {
  const { id } = await orm
    .insert(messages)
    .values({
      ...message,
      emailKey: emailKey(message.email),
      fingerprint: new Bun.CryptoHasher("sha256").update(`demo ${message.email} ${message.message}`).digest("hex"),
      folded: foldAll(message.name, message.email, emailKey(message.email), message.message),
      createdAt: at,
      surfacedAt: at,
    })
    .returning()
    .get();
  if (!message.spamReason) await simulate(orm, { kind: "contact", recipient: owner, subjectId: id }, at);
}

async function simulate(
  orm: Orm,
  { kind, recipient, subjectId }: { kind: "welcome" | "contact"; recipient: string; subjectId: string },
  at: Date,
): Promise<void> {
  const sentAt = new Date(at.getTime() + 1_000);
  const state = { state: "simulated", attempts: 1, sentAt, nextAttemptAt: at, createdAt: at } as const;
  await orm
    .insert(outbox)
    .values({ ...state, kind, recipient, recipientKey: emailKey(recipient), subjectId, payload: {} })
    .run();
}
