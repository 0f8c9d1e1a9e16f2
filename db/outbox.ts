import { and, count, eq, gt } from "drizzle-orm";
import type { Orm } from ".";
import { emailKey } from "./email";
import { outbox } from "./schema";

export type Mail = typeof outbox.$inferSelect;
type NewMail = Pick<typeof outbox.$inferInsert, "kind" | "recipient" | "subjectId" | "payload">;

/** Adds a mail to the transaction of whatever caused it (D32). A worker sends it. */
export const enqueue = (orm: Orm, mail: NewMail, now: Date): void =>
  void orm
    .insert(outbox)
    .values({ ...mail, recipientKey: emailKey(mail.recipient), createdAt: now, nextAttemptAt: now })
    .run();

/** How many mails of this kind the address got, or is about to get, since then. */
export const countSince = (orm: Orm, key: string, kind: Mail["kind"], since: Date): number =>
  orm
    .select({ n: count() })
    .from(outbox)
    .where(and(eq(outbox.recipientKey, key), eq(outbox.kind, kind), gt(outbox.createdAt, since)))
    .get()?.n ?? 0;
