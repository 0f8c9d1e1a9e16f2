import { and, gt, lte, or, sql } from "drizzle-orm";
import { type Db, prepared } from "../engine/open";
import { deleteInCommits } from "../lib/bulk";
import { rateLimitHits } from "../schema/access";

type Hit = typeof rateLimitHits.$inferSelect;

const inserted = prepared((orm) =>
  orm
    .insert(rateLimitHits)
    .values({ limit: sql.placeholder("limit"), client: sql.placeholder("client"), at: sql.placeholder("at") })
    .prepare(),
);

export const record = (db: Db, hit: Hit) => db.write(async (orm) => void (await inserted(orm).run(hit)));

const { at } = rateLimitHits;

/** All hits between `since` and now, oldest first. */
export const recent = (db: Db, since: Date, now: Date): Promise<Hit[]> =>
  db.read((orm) =>
    orm
      .select()
      .from(rateLimitHits)
      .where(and(gt(at, since), lte(at, now)))
      .orderBy(at)
      .all(),
  );

/** Deletes hits up to `since`, and those from the future, made while the clock was ahead. */
export async function prune(db: Db, since: Date, now: Date): Promise<void> {
  const where = or(lte(at, since), gt(at, now));
  await deleteInCommits(db, { table: rateLimitHits, key: [sql`rowid`], where });
}
