import { eq } from "drizzle-orm";
import { byEngine } from "../engine/by-engine";
import type { Orm } from "../engine/open";
import { emailKey } from "../lib/email-key";
import { subscribers } from "../schema/newsletter";

/**
 * Keeps others from adding an address that no subscriber has, until the transaction ends; after that they see what it
 * wrote. On PostgreSQL, a transaction neither sees nor locks a row inserted since it began: only the unique index knows
 * both, and makes one of them retry. That costs only what is rare, such as a suppression, and subscribing nothing.
 */
export const holdUnknown = byEngine<(orm: Orm, email: string, now: Date) => Promise<void>>({
  sqlite: async () => {}, // SQLite has only one write transaction at a time
  async postgres(orm, email, now) {
    const [id, key] = [Bun.randomUUIDv7(), emailKey(email)];
    if (await orm.select({ id: subscribers.id }).from(subscribers).where(eq(subscribers.emailKey, key)).get()) return;
    const state = "unsubscribed" as const; // chart data counts only active subscribers
    const row = { id, email, emailKey: key, state, folded: "", createdAt: now, updatedAt: now };
    await orm.insert(subscribers).values(row).run();
    await orm.delete(subscribers).where(eq(subscribers.id, id)).run();
  },
});
