import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { Webhook } from "standardwebhooks";

const prefix = "whsec_";
const toleranceSeconds = 300; // older and newer messages are rejected
const maxSignatures = 10; // a rotation needs only two

type Signed = { id: string; timestamp: string; signature: string };

/** Generates a Standard Webhooks secret: "whsec_" and 32 random bytes in Base64. */
export const newSecret = (): string => prefix + randomBytes(32).toString("base64");

/** Whether this is a Standard Webhooks secret: 24 to 64 bytes (specification, "Signature scheme"). */
export const isSecret = (secret: string): boolean => {
  if (!/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret)) return false;
  const { length } = keyOf(secret);
  return length >= 24 && length <= 64;
};

/**
 * Signs a message as in Standard Webhooks. With several secrets, as during a rotation, there are several signatures.
 *
 * @param timestamp in seconds since 1970
 */
export const sign = (secrets: string[], id: string, timestamp: number, body: string): string =>
  secrets
    .map((secret) => new Webhook(keyOf(secret), { format: "raw" }).sign(id, new Date(timestamp * 1000), body))
    .join(" ");

/**
 * Whether one of the secrets signed the message within five minutes of now. Comparisons take constant time. The
 * library's own `verify` reads its own clock, takes "1e9" for a time and hashes for any number of signatures, and what
 * it signs is text: the bytes of a message need not be.
 */
export function isSignedBy(
  secrets: string[],
  { id, timestamp, signature }: Signed,
  body: string | Buffer,
  now: Date,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > toleranceSeconds) return false;
  const signatures = signature.split(" ", maxSignatures).map((each) => Buffer.from(each));
  return secrets
    .map((secret) =>
      createHmac("sha256", keyOf(secret))
        .update(`${id}.${Number(timestamp)}.`)
        .update(body),
    )
    .map((hash) => Buffer.from(`v1,${hash.digest("base64")}`))
    .some((expected) => signatures.some((each) => each.length === expected.length && timingSafeEqual(each, expected)));
}

/** The library refuses Base64 without its padding, which `isSecret` accepts. */
const keyOf = (secret: string) => Buffer.from(secret.slice(prefix.length), "base64");
