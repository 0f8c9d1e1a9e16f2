import * as endpoints from "../../db/webhooks/endpoints";
import type { Config } from "../platform/config";
import { decryptIfOurs, encrypt } from "../security/secrets";
import { bodyFor } from "../../db/events/webhook-events";
import type { Delivery } from "../../db/webhooks/deliveries";
import { isVerify } from "../../db/webhooks/verify";
import { newSecret, sign } from "../platform/webhook-signature";

const purpose = "webhook";
type Endpoint = endpoints.Endpoint;
type Secrets = Pick<Config, "APP_SECRET" | "APP_SECRET_PREVIOUS">;

/** Generates a signing secret: the secret to be shown once, and its encrypted form. */
export function makeSecret({ APP_SECRET }: Secrets): { secret: string; sealed: string } {
  const secret = newSecret();
  return { secret, sealed: encrypt(APP_SECRET, purpose, secret) };
}

/** The decrypted secrets of an endpoint; none where APP_SECRET was replaced without naming the previous one. */
type Opened = { secret: string[]; oldSecret: string[]; oldUntil: Date | null };
type Sealed = Pick<Endpoint, "secret" | "oldSecret" | "oldUntil">;

function open({ APP_SECRET, APP_SECRET_PREVIOUS }: Secrets, { secret, oldSecret, oldUntil }: Sealed): Opened {
  const decrypted = (sealed: string | null) => {
    const opened = [APP_SECRET, ...APP_SECRET_PREVIOUS].map((key) => sealed && decryptIfOurs(key, purpose, sealed));
    return opened.find(Boolean) || [];
  };
  return { secret: [secret].flatMap(decrypted), oldSecret: [oldSecret].flatMap(decrypted), oldUntil };
}

/** The secrets that sign: two during a rotation. */
const signing = ({ secret, oldSecret, oldUntil }: Opened, now: Date): string[] =>
  oldUntil && oldUntil > now ? [...secret, ...oldSecret] : secret;

/** Returns the secrets that sign a call at this time. The old one is decrypted during a rotation only. */
export function secretsOf(config: Secrets, { secret, oldSecret, oldUntil }: Sealed, now: Date): string[] {
  const isOver = !oldUntil || oldUntil <= now;
  return signing(open(config, { secret, oldSecret: isOver ? null : oldSecret, oldUntil }), now);
}

/** The headers of a call. Its time is that of the attempt. */
export function callHeaders(
  secrets: string[],
  { id, attemptedAt, body }: Pick<Delivery, "id" | "attemptedAt" | "body">,
): Record<string, string> {
  const timestamp = Math.floor((attemptedAt ?? new Date()).getTime() / 1000);
  return {
    "content-type": "application/json",
    "user-agent": "Postroom",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    ...(secrets.length && { "webhook-signature": sign(secrets, id, timestamp, body) }),
  };
}

/**
 * Tells the headers that the last attempt of each delivery of an endpoint had; undefined if there was none. Without the
 * signature where it was another: the secret was replaced since, the body had a link, or it may have had names that are
 * left out now.
 */
export function headersSent(
  config: Secrets,
  endpoint: Endpoint,
): (delivery: Delivery) => Record<string, string> | undefined {
  const opened = open(config, endpoint);
  const replacedAt = endpoint.oldUntil ? endpoint.oldUntil.getTime() - endpoints.rotationMs : 0;
  return (delivery) => {
    const { attemptedAt, body } = delivery;
    if (!attemptedAt) return undefined;
    const isOther = replacedAt > attemptedAt.getTime() || isVerify(delivery) || bodyFor(endpoint, body) !== body;
    return callHeaders(isOther ? [] : signing(opened, attemptedAt), delivery);
  };
}
