import { eq, lt } from "drizzle-orm";
import { dayMs } from "./lib/time";
import type { Db, Orm } from "./engine/open";
import { deleteInCommits } from "./lib/bulk";
import { idempotencyKeys } from "./schema/shared";

/* What a request with an `Idempotency-Key` has made: a contact message or an upload. For 24 hours, the same key with the
   same contents returns that again, and with other contents 409 (`src/api/contact.ts`, `db/storage/repeated.ts`). Batches
   of subscribers remember every person (`db/newsletter/by-key.ts`). */

/** How long a key is remembered (D18). */
const idempotencyRetentionMs = dayMs;

/** Returns what a request with this key has made within the last 24 hours. Keys are stored as hashes only. */
export const recall = async (orm: Orm, key: string, now: Date) => {
  const answer = await orm.select().from(idempotencyKeys).where(eq(idempotencyKeys.key, key)).get();
  return answer && Math.abs(now.getTime() - answer.createdAt.getTime()) < idempotencyRetentionMs ? answer : undefined;
};

/** Stores what a request with a key has made, and the hash of its contents. The cleanup deletes it after 24 hours. */
export const remember = async (orm: Orm, answer: typeof idempotencyKeys.$inferInsert) =>
  void (await orm
    .insert(idempotencyKeys)
    .values(answer)
    .onConflictDoUpdate({ target: idempotencyKeys.key, set: answer })
    .run());

/** Deletes the expired idempotency keys, and returns how many. */
export const deleteOld = (db: Db, now: Date): Promise<number> => {
  const where = lt(idempotencyKeys.createdAt, new Date(now.getTime() - idempotencyRetentionMs));
  return deleteInCommits(db, { table: idempotencyKeys, key: [idempotencyKeys.key], where });
};
