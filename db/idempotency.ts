import { eq, lt } from "drizzle-orm";
import { dayMs } from "./lib/time";
import type { Db, Orm } from "./engine/open";
import { deleteInCommits } from "./lib/bulk";
import { idempotencyKeys } from "./schema/shared";

/** How long a key is remembered with its response (D18). */
const idempotencyRetentionMs = dayMs;

/** Returns the response to this key within the last 24 hours (D18). Keys are stored as hashes only. */
export const recall = async (orm: Orm, key: string, now: Date) => {
  const answer = await orm.select().from(idempotencyKeys).where(eq(idempotencyKeys.key, key)).get();
  return answer && Math.abs(now.getTime() - answer.createdAt.getTime()) < idempotencyRetentionMs ? answer : undefined;
};

/** Stores the response to a key. The cleanup deletes it after 24 hours. */
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
