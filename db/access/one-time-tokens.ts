import { and, eq, gt, isNull, lte } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { oneTimeTokens } from "../schema/access";

export type OneTimeToken = typeof oneTimeTokens.$inferSelect;
type Purpose = OneTimeToken["purpose"];
type NewToken = Pick<OneTimeToken, "hash" | "purpose" | "subject" | "expiresAt"> & {
  payload?: OneTimeToken["payload"];
  madeBy?: string | undefined;
};

/** Remembers the hash of a token that will work once, and forgets those nobody can use any more. */
export function issue(orm: Orm, token: NewToken, now: Date): void {
  orm.delete(oneTimeTokens).where(lte(oneTimeTokens.expiresAt, now)).run();
  orm
    .insert(oneTimeTokens)
    .values({ ...token, createdAt: now })
    .run();
}

/**
 * Uses the token up. Returns undefined when it was used before, is too old, was made for another purpose, or, with a
 * `subject`, for somebody else. Of many calls at once exactly one gets the token.
 */
export const redeem = (
  orm: Orm,
  { hash, purpose, subject }: { hash: string; purpose: Purpose; subject?: string },
  now: Date,
): OneTimeToken | undefined =>
  orm
    .update(oneTimeTokens)
    .set({ usedAt: now })
    .where(and(usable(hash, purpose, now), subject === undefined ? undefined : eq(oneTimeTokens.subject, subject)))
    .returning()
    .get();

/** The token as long as it can be used; it stays usable. */
export const find = (orm: Orm, { hash, purpose }: { hash: string; purpose: Purpose }, now: Date) =>
  orm
    .select()
    .from(oneTimeTokens)
    .where(usable(hash, purpose, now))
    .get();

const usable = (hash: string, purpose: Purpose, now: Date) =>
  and(
    eq(oneTimeTokens.hash, hash),
    eq(oneTimeTokens.purpose, purpose),
    isNull(oneTimeTokens.usedAt),
    gt(oneTimeTokens.expiresAt, now),
  );

/** Those of a purpose that still can be used, the newest first. */
export const listUsable = (orm: Orm, purpose: Purpose, now: Date): OneTimeToken[] =>
  orm
    .select()
    .from(oneTimeTokens)
    .where(and(eq(oneTimeTokens.purpose, purpose), isNull(oneTimeTokens.usedAt), gt(oneTimeTokens.expiresAt, now)))
    .all()
    .reverse();

/** Nobody can use the tokens of this purpose and subject any more. Returns whether there were any. */
export const withdraw = (orm: Orm, purpose: Purpose, subject: string): boolean =>
  orm
    .delete(oneTimeTokens)
    .where(and(eq(oneTimeTokens.purpose, purpose), eq(oneTimeTokens.subject, subject), isNull(oneTimeTokens.usedAt)))
    .returning({ hash: oneTimeTokens.hash })
    .all().length > 0;

/** Nobody can use what this manager made any more. Returns what it was. */
export const withdrawMadeBy = (orm: Orm, managerId: string): OneTimeToken[] =>
  orm
    .delete(oneTimeTokens)
    .where(and(eq(oneTimeTokens.madeBy, managerId), isNull(oneTimeTokens.usedAt)))
    .returning()
    .all();
