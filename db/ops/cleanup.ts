import { and, inArray, isNotNull, lt, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Db, Orm } from "../engine/open";
import { idempotencyRetentionMs } from "../idempotency";
import { trashRetentionMs } from "../lib/trash";
import { expirePending } from "../newsletter/pending";
import { oneTimeTokens } from "../schema/access";
import { messages } from "../schema/contact";
import { idempotencyKeys } from "../schema/idempotency";
import { pendingImports } from "../schema/pending-imports";
import { countOfState, subscriberCounts, subscriberDays, sumOfDays } from "../schema/newsletter";
import { posts } from "../schema/posts";
import { projects } from "../schema/projects";
import { providerEvents } from "../schema/suppressions";

/** Reports of the email provider are kept as long as the recipients of broadcasts. */
const reportRetentionMs = 400 * 86_400_000;

/**
 * Deletes what has expired: one-time links, idempotency keys after 24 hours (D18), and rows that were in the trash for
 * 30 days (D39). Returns how many rows of each were deleted.
 */
export const cleanUp = (db: Db, now: Date) =>
  db.write(async (orm) => {
    const trash = <T extends typeof messages | typeof posts | typeof projects>(table: T) =>
      orm
        .delete(table as SQLiteTable)
        .where(and(isNotNull(table.deletedAt), lt(table.deletedAt, new Date(now.getTime() - trashRetentionMs))));
    let trashed = 0;
    for (const table of [messages, posts, projects]) trashed += (await trash(table).returning().all()).length;
    await expirePending(orm, now);
    await addUpCounts(orm);
    await addUpDays(orm);
    const reportsFrom = new Date(now.getTime() - reportRetentionMs);
    await orm.delete(providerEvents).where(lt(providerEvents.receivedAt, reportsFrom)).run();
    await orm.delete(pendingImports).where(lt(pendingImports.expiresAt, now)).run();
    return {
      tokens: (await orm.delete(oneTimeTokens).where(lt(oneTimeTokens.expiresAt, now)).returning().all()).length,
      idempotencyKeys: (
        await orm
          .delete(idempotencyKeys)
          .where(lt(idempotencyKeys.createdAt, new Date(now.getTime() - idempotencyRetentionMs)))
          .returning()
          .all()
      ).length,
      trash: trashed,
    };
  });

/** Makes one row a state of the differences that PostgreSQL collects. Others that are added meanwhile stay. */
async function addUpCounts(orm: Orm): Promise<void> {
  const { state } = subscriberCounts;
  const sums = await orm.select({ state, count: countOfState }).from(subscriberCounts).groupBy(state).all();
  await orm.delete(subscriberCounts).run();
  if (sums.length) await orm.insert(subscriberCounts).values(sums).run();
}

const rowsPerStatement = 1_000;

/** Likewise of the days, where a day and source have several rows. */
async function addUpDays(orm: Orm): Promise<void> {
  const { day, source } = subscriberDays;
  const all = orm.select({ day }).from(subscriberDays).groupBy(day, source);
  const isSplit = inArray(day, all.having(sql`count(*) > 1`));
  const sums = await orm
    .select({ day, source, ...sumOfDays })
    .from(subscriberDays)
    .where(isSplit)
    .groupBy(day, source)
    .all();
  await orm.delete(subscriberDays).where(isSplit).run();
  for (let at = 0; at < sums.length; at += rowsPerStatement)
    await orm
      .insert(subscriberDays)
      .values(sums.slice(at, at + rowsPerStatement))
      .run();
}
