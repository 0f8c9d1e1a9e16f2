import { eq } from "drizzle-orm";
import type { Orm } from "./engine/open";
import { idempotencyKeys } from "./schema/idempotency";

const day = 86_400_000;

/** What was answered under this key in the last 24 hours (D18). Never the key itself: its hash. */
export const recall = (orm: Orm, key: string, now: Date) => {
  const answer = orm.select().from(idempotencyKeys).where(eq(idempotencyKeys.key, key)).get();
  return answer && Math.abs(now.getTime() - answer.createdAt.getTime()) < day ? answer : undefined;
};

/** Housekeeping forgets it again after 24 hours. */
export const remember = (orm: Orm, answer: typeof idempotencyKeys.$inferInsert) =>
  void orm
    .insert(idempotencyKeys)
    .values(answer)
    .onConflictDoUpdate({ target: idempotencyKeys.key, set: answer })
    .run();
