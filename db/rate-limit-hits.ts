import { gt, lte, sql } from "drizzle-orm";
import { type Db, prepared } from ".";
import { rateLimitHits } from "./schema";

export type Hit = typeof rateLimitHits.$inferSelect;

const inserted = prepared((orm) =>
  orm
    .insert(rateLimitHits)
    .values({ limit: sql.placeholder("limit"), client: sql.placeholder("client"), at: sql.placeholder("at") })
    .prepare(),
);

export const record = (db: Db, hit: Hit) => db.write((orm) => void inserted(orm).run(hit));

/** All hits younger than `since`, oldest first; older ones are forgotten. */
export async function recent(db: Db, since: Date): Promise<Hit[]> {
  await db.write((orm) => void orm.delete(rateLimitHits).where(lte(rateLimitHits.at, since)).run());
  return db.read((orm) =>
    orm.select().from(rateLimitHits).where(gt(rateLimitHits.at, since)).orderBy(rateLimitHits.at).all(),
  );
}
