import type { Endpoint } from "../../db/webhooks/endpoints";
import type { Config } from "../platform/config";
import { decryptIfOurs, encrypt } from "../security/secrets";
import { newSecret } from "../platform/webhook-signature";

const purpose = "webhook";
type Secrets = Pick<Config, "APP_SECRET" | "APP_SECRET_PREVIOUS">;

/** Generates a signing secret: the secret to be shown once, and its encrypted form. */
export function makeSecret({ APP_SECRET }: Secrets): { secret: string; sealed: string } {
  const secret = newSecret();
  return { secret, sealed: encrypt(APP_SECRET, purpose, secret) };
}

/**
 * Returns the secrets that sign: two during a rotation. None if APP_SECRET was replaced without naming the previous
 * one.
 */
export const secretsOf = (
  { APP_SECRET, APP_SECRET_PREVIOUS }: Secrets,
  { secret, oldSecret, oldUntil }: Pick<Endpoint, "secret" | "oldSecret" | "oldUntil">,
  now: Date,
): string[] =>
  [secret, oldUntil && oldUntil > now ? oldSecret : null].flatMap((sealed) => {
    const opened = [APP_SECRET, ...APP_SECRET_PREVIOUS].map((key) => sealed && decryptIfOurs(key, purpose, sealed));
    return opened.find(Boolean) || [];
  });
