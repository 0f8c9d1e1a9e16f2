import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";
import type { RequestContext } from "../platform/request-context";
import { wideNetwork } from "../platform/client-address";

const derived = new Map<string, Buffer>(); // a handful: for the current secret and the previous ones

/** Derives a key for a purpose, so that a token made for one purpose is worthless for another (RFC 5869). */
export function deriveKey(secret: string, purpose: string): Buffer {
  const name = `${purpose} ${secret}`;
  let key = derived.get(name);
  if (!key) derived.set(name, (key = Buffer.from(hkdfSync("sha256", secret, "postroom", purpose, 32))));
  return key;
}

/** A keyed hash for what must be recognised but not read back, such as a client's address. */
export const keyedHash = (secret: string, purpose: string, value: string) =>
  createHmac("sha256", deriveKey(secret, purpose)).update(value).digest("base64url");

export const sha256 = (value: string) => createHash("sha256").update(value).digest("hex");

/** 256 random bits for links, cookies and form tokens. */
export const randomToken = () => randomBytes(32).toString("base64url");

/** AES-256-GCM: nonce, tag and ciphertext in one base64url string. */
export function encrypt(secret: string, purpose: string, plain: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", deriveKey(secret, purpose), nonce);
  const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** @throws if the text was encrypted with another APP_SECRET, or was modified */
export function decrypt(secret: string, purpose: string, sealed: string): string {
  const bytes = Buffer.from(sealed, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", deriveKey(secret, purpose), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
}

/**
 * Like `decrypt`, but returns undefined instead of throwing: for values that may have been encrypted with a previous
 * secret.
 */
export function decryptIfOurs(secret: string, purpose: string, sealed: string): string | undefined {
  try {
    return decrypt(secret, purpose, sealed);
  } catch {
    return undefined;
  }
}

/**
 * What is kept of a visitor's origin: a keyed hash of the network, the user agent, and the key of the site that named
 * them.
 */
export const traces = (context: RequestContext, secret: string) => ({
  network: keyedHash(secret, "network", wideNetwork(context.visitorAddress)),
  userAgent: (context.visitor?.agent ?? context.request.headers.get("user-agent"))?.slice(0, 200) ?? null,
  apiKeyId: context.visitor?.apiKeyId ?? null,
});
