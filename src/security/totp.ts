import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"; // RFC 4648 base32
const stepSeconds = 30;
const digits = 6;
const maxIssuer = 40; // characters: what an app can show, and what keeps the QR code easy to scan

/** Returns 160 random bits for the authenticator app, in base32, which people can type (RFC 4226, section 4). */
export const newSecret = () => base32(randomBytes(20));

/**
 * Returns the URL that authenticator apps read from a QR code or a tap. The site's name distinguishes its entry from
 * others; a colon would end it. Spaces are %20, because many apps show a "+" literally.
 */
export function otpauthUrl(secret: string, account: string, site: string) {
  const issuer = encodeURIComponent([...site.replace(/\s*:\s*/g, " ")].slice(0, maxIssuer).join("").trim());
  return `otpauth://totp/${issuer}:${encodeURIComponent(account)}?secret=${secret}&issuer=${issuer}`;
}

/**
 * Returns the time step that a code belongs to: the current one, or its neighbours for clocks that are off (RFC 6238).
 */
export function stepOf(secret: string, code: string, now: Date): number | undefined {
  const current = Math.floor(now.getTime() / 1000 / stepSeconds);
  const given = Buffer.from(
    code
      .replace(/\s/g, "")
      .padEnd(digits)
      .slice(0, digits + 1),
  );
  return [current, current + 1, current - 1].find((step) => {
    const expected = Buffer.from(codeAt(secret, step));
    return expected.length === given.length && timingSafeEqual(expected, given);
  });
}

/** Returns the code of a time step (RFC 4226, section 5.3, with SHA-1, as every authenticator app expects). */
export function codeAt(secret: string, step: number, length = digits): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", bytesOf(secret)).update(counter).digest();
  const offset = (mac[19] ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** length).padStart(length, "0");
}

function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join("");
}

function bytesOf(secret: string): Buffer {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Ten codes for when the authenticator app is lost: 50 random bits each, without letters that look alike. */
export const newRecoveryCodes = () =>
  Array.from({ length: 10 }, () => base32(randomBytes(7)).slice(0, 10).replace(/^.{5}/, "$&-").toLowerCase());

/** Normalises a recovery code as typed to the form that is hashed. */
export const plainRecoveryCode = (typed: string) => typed.toLowerCase().replace(/[^a-z2-7]/g, "");
