import { and, eq, gt, isNull, lte, type Placeholder, sql } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { deleteInCommits, deleteSome } from "../lib/bulk";
import { oneTimeTokens } from "../schema/access";

export type OneTimeToken = typeof oneTimeTokens.$inferSelect;
type Purpose = OneTimeToken["purpose"];
type NewToken = Pick<OneTimeToken, "hash" | "purpose" | "subject" | "expiresAt"> & {
  payload?: OneTimeToken["payload"];
  madeBy?: string | undefined;
};

/** Stores the hash of a one-time token, and deletes more expired ones than are created, so there are never many. */
export async function issue(orm: Orm, token: NewToken, now: Date): Promise<void> {
  await deleteSome(orm, expired(now), expiredPerToken);
  await orm
    .insert(oneTimeTokens)
    .values({ ...token, createdAt: now })
    .run();
}

const expiredPerToken = 20;
const expired = (now: Date) => ({
  table: oneTimeTokens,
  key: [oneTimeTokens.hash],
  where: lte(oneTimeTokens.expiresAt, now),
});

/** Deletes the expired tokens, and returns how many. */
export const deleteExpired = (db: Db, now: Date) => deleteInCommits(db, expired(now));

/**
 * Uses up the token. Returns undefined if it was used before, has expired, was issued for another purpose or, with a
 * `subject`, for someone else. Of several concurrent calls exactly one gets the token.
 */
export const redeem = (
  orm: Orm,
  { hash, purpose, subject }: { hash: string; purpose: Purpose; subject?: string },
  now: Date,
): Promise<OneTimeToken | undefined> =>
  orm
    .update(oneTimeTokens)
    .set({ usedAt: now })
    .where(and(usable(hash, purpose, now), subject === undefined ? undefined : eq(oneTimeTokens.subject, subject)))
    .returning()
    .get();

/** Returns the token if it is usable, without using it up. */
export const find = (orm: Orm, { hash, purpose }: { hash: string; purpose: Purpose }, now: Date) =>
  findUsable(orm).get({ hash, purpose, now: now.getTime() });

/** Built once: strangers may open invented links at any rate. */
const findUsable = prepared((orm) =>
  orm
    .select()
    .from(oneTimeTokens)
    .where(usable(sql.placeholder("hash"), sql.placeholder("purpose"), sql.placeholder("now")))
    .prepare(),
);

const usable = (hash: string | Placeholder, purpose: Purpose | Placeholder, now: Date | Placeholder) =>
  and(
    eq(oneTimeTokens.hash, hash),
    eq(oneTimeTokens.purpose, purpose),
    isNull(oneTimeTokens.usedAt),
    gt(oneTimeTokens.expiresAt, now),
  );

/** Returns the usable tokens of a purpose, newest first. */
export const listUsable = async (orm: Orm, purpose: Purpose, now: Date): Promise<OneTimeToken[]> =>
  (
    await orm
      .select()
      .from(oneTimeTokens)
      .where(and(eq(oneTimeTokens.purpose, purpose), isNull(oneTimeTokens.usedAt), gt(oneTimeTokens.expiresAt, now)))
      .all()
  ).reverse();

/** Invalidates the unused tokens of this purpose and subject. Returns whether there were any. */
export const withdraw = async (orm: Orm, purpose: Purpose, subject: string): Promise<boolean> =>
  (
    await orm
      .delete(oneTimeTokens)
      .where(and(eq(oneTimeTokens.purpose, purpose), eq(oneTimeTokens.subject, subject), isNull(oneTimeTokens.usedAt)))
      .returning({ hash: oneTimeTokens.hash })
      .all()
  ).length > 0;

/** Invalidates the unused tokens this manager created, and returns them. */
export const withdrawMadeBy = (orm: Orm, managerId: string): Promise<OneTimeToken[]> =>
  orm
    .delete(oneTimeTokens)
    .where(and(eq(oneTimeTokens.madeBy, managerId), isNull(oneTimeTokens.usedAt)))
    .returning()
    .all();
