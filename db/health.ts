import { and, count, eq, isNull, min, sql } from "drizzle-orm";
import { type Db, prepared } from ".";
import { messages, outbox, subscriberCounts } from "./schema";

/**
 * Commits a real write, one that reaches the disk and means nothing: the header's user_version, which nobody reads.
 * Rejects when the database cannot be written.
 */
export const probe = (db: Db, now: Date): Promise<void> =>
  db.write((orm) => void orm.run(sql.raw(`PRAGMA user_version = ${Math.floor(now.getTime() / 1000) % 2 ** 31}`)));

const oldest = prepared((orm) =>
  orm
    .select({ at: min(outbox.createdAt) })
    .from(outbox)
    .where(eq(outbox.state, "queued"))
    .prepare(),
);

/** When the mail that waits longest was written; undefined when none waits. */
export const oldestQueuedMail = (db: Db): Promise<Date | undefined> =>
  db.read((orm) => oldest(orm).get()?.at ?? undefined);

/** What the figures say about the data (D42): names as Prometheus shows them, behind "postroom_". Cheap at any size. */
export const figures = (db: Db): Promise<Record<string, number>> =>
  db.read((orm) => {
    const subscribers = orm.select().from(subscriberCounts).all();
    const queued = orm.select({ n: count() }).from(outbox).where(eq(outbox.state, "queued")).get();
    const unread = and(isNull(messages.readAt), isNull(messages.deletedAt));
    return {
      ...Object.fromEntries(subscribers.map(({ state, count: n }) => [`subscribers{state="${state}"}`, n])),
      mails_queued: queued?.n ?? 0,
      messages_unread: orm.select({ n: count() }).from(messages).where(unread).get()?.n ?? 0,
    };
  });
