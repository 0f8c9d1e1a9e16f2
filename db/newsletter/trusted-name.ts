import { eq, sql } from "drizzle-orm";
import type { Db } from "../engine/open";
import { emailKey } from "../lib/email-key";
import { isConfirmedByThem, subscribers } from "../schema/newsletter";

/** Returns the name of a subscriber who has confirmed the address; null for everyone else. */
export const confirmedName = (db: Db, email: string): Promise<string | null> =>
  db.read(async (orm) => {
    const name = sql<string | null>`case when ${isConfirmedByThem} then name end`;
    const key = emailKey(email);
    return (await orm.select({ name }).from(subscribers).where(eq(subscribers.emailKey, key)).get())?.name ?? null;
  });
