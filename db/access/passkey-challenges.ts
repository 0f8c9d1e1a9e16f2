import type { Db } from "../engine/open";
import * as tokens from "./one-time-tokens";

const challengeLifetimeMs = 5 * 60_000;

/** Stores a challenge for five minutes. `subject` is the session it is for; null before the sign-in. */
export const issueChallenge = (
  db: Db,
  { hash, subject = null }: { hash: string; subject?: string | null },
  now: Date,
) =>
  db.write((orm) =>
    tokens.issue(
      orm,
      { hash, purpose: "passkey", subject, expiresAt: new Date(now.getTime() + challengeLifetimeMs) },
      now,
    ),
  );

/** Uses up the challenge. Returns false if it is not one of ours, or was used before. */
export const redeemChallenge = (db: Db, { hash, subject }: { hash: string; subject?: string }, now: Date) =>
  db.write(async (orm) => {
    const token = await tokens.redeem(orm, { hash, purpose: "passkey" }, now);
    return token !== undefined && token.subject === (subject ?? null);
  });
