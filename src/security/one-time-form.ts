import { hourMs } from "../../db/lib/time";
import type { Db, Orm } from "../../db/engine/open";
import * as oneTimeTokens from "../../db/access/one-time-tokens";
import type { Session } from "../../db/access/sessions";
import { randomToken, sha256 } from "./secrets";

type Needs = { db: Db; now: () => Date };

/**
 * Issues a token for a form that must not be sent twice, such as the one that generates an API key. Bound to the
 * session.
 */
export async function issueOnce({ db, now }: Needs, session: Session): Promise<string> {
  const token = randomToken();
  const at = now();
  const expiresAt = new Date(at.getTime() + hourMs);
  await db.write((orm) =>
    oneTimeTokens.issue(orm, { hash: sha256(token), purpose: "form", subject: session.id, expiresAt }, at),
  );
  return token;
}

/**
 * Does the form's work and uses up its token, in one commit: after a crash, both are done or neither. If the work
 * returns undefined, the token stays usable.
 *
 * @returns what the work returns; "used" if the token was used before, is an hour old, or belongs to another session
 */
export const submitOnce = <T>(
  { db, now }: Needs,
  session: Session,
  token: string,
  work: (orm: Orm) => Promise<T | undefined>,
): Promise<T | "used" | undefined> =>
  db.write(async (orm) => {
    const form = { hash: sha256(token), purpose: "form" as const };
    if ((await oneTimeTokens.find(orm, form, now()))?.subject !== session.id) return "used";
    const done = await work(orm);
    if (done !== undefined) await oneTimeTokens.redeem(orm, form, now());
    return done;
  });
