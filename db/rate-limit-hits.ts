import { gt, lte } from "drizzle-orm";
import type { Db } from ".";
import { rateLimitHits } from "./schema";

export type Hit = typeof rateLimitHits.$inferSelect;

export const record = (db: Db, hit: Hit) => db.write((orm) => void orm.insert(rateLimitHits).values(hit).run());

/** All hits younger than `since`, oldest first; older ones are forgotten. */
export async function recent(db: Db, since: Date): Promise<Hit[]> {
  await db.write((orm) => void orm.delete(rateLimitHits).where(lte(rateLimitHits.at, since)).run());
  return db.read((orm) =>
    orm.select().from(rateLimitHits).where(gt(rateLimitHits.at, since)).orderBy(rateLimitHits.at).all(),
  );
}
