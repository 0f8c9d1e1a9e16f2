import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import * as oneTimeTokens from "../../db/access/one-time-tokens";
import type { Session } from "../../db/access/sessions";
import type { Db, Orm } from "../../db/engine/open";
import { hourMs } from "../../db/lib/time";
import type { Config } from "../platform/config";
import { deriveKey, randomToken, sha256 } from "./secrets";

type Secret = Pick<Config, "APP_SECRET">;

const sign = ({ APP_SECRET }: Secret, { id }: Session) =>
  createHmac("sha256", deriveKey(APP_SECRET, "form-token/v1")).update(id).digest();

/**
 * The form token of a session, sent as the field `_token` or the header `x-form-token` (D37). Masked with random bytes,
 * so that it differs on every page and the size of a compressed page reveals nothing about it.
 */
export function formToken(config: Secret, session: Session): string {
  const mask = randomBytes(32);
  return Buffer.concat([mask, xor(mask, sign(config, session))]).toString("base64url");
}

/** Whether `given` is the form token of this session. Takes constant time. */
export function isFormToken(config: Secret, session: Session, given: unknown): boolean {
  const token = Buffer.alloc(64);
  if (typeof given === "string") token.write(given, "base64url");
  const unmasked = xor(token.subarray(0, 32), token.subarray(32));
  return timingSafeEqual(sign(config, session), unmasked) && token.toString("base64url") === given;
}

const xor = (a: Uint8Array, b: Uint8Array) => Buffer.from(a.map((byte, at) => byte ^ (b[at] ?? 0)));

/**
 * Whether one of our own pages sent the request (D37). Browsers say so in `Sec-Fetch-Site`; those that do not must send
 * our `Origin`. Anything else was sent by another site's page, or by no page at all.
 */
export function isFromOwnPage({ BASE_URL }: Pick<Config, "BASE_URL">, { headers }: Request): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  return origin !== null && ownOrigins(BASE_URL).includes(origin);
}

/**
 * The origin of BASE_URL, never that of a Host header (D2). On a developer's machine all its loopback names count,
 * because one may open 127.0.0.1 where the configuration says localhost.
 */
export function ownOrigins(baseUrl: string): string[] {
  const { origin, hostname, protocol, port } = new URL(baseUrl);
  if (!loopback.includes(hostname)) return [origin];
  return loopback.map((name) => `${protocol}//${name}${port && `:${port}`}`);
}

const loopback = ["localhost", "127.0.0.1", "[::1]"];

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
