import * as oneTimeTokens from "../../db/access/one-time-tokens";
import type { Session } from "../../db/access/sessions/sessions";
import type { Deps } from "../boot/deps";
import { randomToken, sha256 } from "./secrets";

const oneHour = 3_600_000;

/**
 * Issues a token for a form that must not be sent twice, such as the one that generates an API key. Bound to the
 * session.
 */
export async function issueOnce({ db, now }: Pick<Deps, "db" | "now">, session: Session): Promise<string> {
  const token = randomToken();
  const at = now();
  const expiresAt = new Date(at.getTime() + oneHour);
  await db.write((orm) =>
    oneTimeTokens.issue(orm, { hash: sha256(token), purpose: "form", subject: session.id, expiresAt }, at),
  );
  return token;
}

/** Uses up the token. False if it was used before, is an hour old, or belongs to another session. */
export const redeemOnce = ({ db, now }: Pick<Deps, "db" | "now">, session: Session, token: string) =>
  db.write(
    async (orm) =>
      (await oneTimeTokens.redeem(orm, { hash: sha256(token), purpose: "form", subject: session.id }, now())) !==
      undefined,
  );
