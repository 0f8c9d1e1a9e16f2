import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import * as oneTimeTokens from "../../db/access/one-time-tokens";
import type { Session } from "../../db/access/sessions";
import type { Config } from "../config";
import type { Deps } from "../boot/deps";
import { deriveKey, randomToken, sha256 } from "./secrets";

type Secret = Pick<Config, "APP_SECRET">;

const sign = ({ APP_SECRET }: Secret, { id }: Session) =>
  createHmac("sha256", deriveKey(APP_SECRET, "form-token/v1")).update(id).digest();

/**
 * What every form of this session carries, as the field `_token` or the header `x-form-token` (D37). Masked with random
 * bytes, so that it reads differently on every page and the size of a compressed page tells nothing about it.
 */
export function formToken(config: Secret, session: Session): string {
  const mask = randomBytes(32);
  return Buffer.concat([mask, xor(mask, sign(config, session))]).toString("base64url");
}

/** Whether `given` is the form token of this session. Takes the same time whatever it is. */
export function isFormToken(config: Secret, session: Session, given: unknown): boolean {
  const token = Buffer.alloc(64);
  if (typeof given === "string") token.write(given, "base64url");
  const unmasked = xor(token.subarray(0, 32), token.subarray(32));
  return timingSafeEqual(sign(config, session), unmasked) && token.toString("base64url") === given;
}

const xor = (a: Uint8Array, b: Uint8Array) => Buffer.from(a.map((byte, at) => byte ^ (b[at] ?? 0)));

const oneHour = 3_600_000;

/** A token for a form that must not be sent twice, such as the one that makes an API key. Bound to the session. */
export async function issueOnce({ db, now }: Pick<Deps, "db" | "now">, session: Session): Promise<string> {
  const token = randomToken();
  const at = now();
  const expiresAt = new Date(at.getTime() + oneHour);
  await db.write((orm) =>
    oneTimeTokens.issue(orm, { hash: sha256(token), purpose: "form", subject: session.id, expiresAt }, at),
  );
  return token;
}

/** Uses the token up. False when it was used before, is an hour old, or belongs to another session. */
export const redeemOnce = ({ db, now }: Pick<Deps, "db" | "now">, session: Session, token: string) =>
  db.write(
    async (orm) =>
      (await oneTimeTokens.redeem(orm, { hash: sha256(token), purpose: "form", subject: session.id }, now())) !==
      undefined,
  );
