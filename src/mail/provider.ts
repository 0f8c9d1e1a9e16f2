/**
 * A text, whole or in consecutive pieces. All emails of a broadcast share the same strings, so that a provider encodes
 * them once.
 */
export type Text = string | readonly string[];

export const wholeOf = (text: Text): string => (typeof text === "string" ? text : text.join(""));

const minRemembered = 200; // characters: encoding a shorter piece is faster than looking it up
const maxBytes = 4 * 2 ** 20; // kept in memory; the document of a broadcast has half a megabyte at most

/** Encodes pieces of text, and caches the long ones. */
export function pieceEncoder(encode: (piece: string) => Buffer): (piece: string) => Buffer {
  const encodedPieces = new Map<string, Buffer>();
  let bytes = 0;
  return (piece) => {
    if (piece.length < minRemembered) return encode(piece);
    const remembered = encodedPieces.get(piece);
    if (remembered) return remembered;
    const encoded = encode(piece);
    bytes += encoded.length;
    if (bytes > maxBytes) {
      encodedPieces.clear();
      bytes = encoded.length;
    }
    encodedPieces.set(piece, encoded);
    return encoded;
  };
}

/** An email as passed to a provider. The same fields give the same bytes, so that a retry repeats them exactly. */
export type Email = {
  from: string;
  to: string;
  replyTo?: string | undefined;
  subject: string;
  html: Text;
  text: Text;
  headers: Record<string, string>;
  /** Returned in the events of Resend. SMTP has no such thing. */
  tags?: Record<string, string>;
  /** For SMTP, without angle brackets. Stable, so that email apps show a repeated email once. Resend sets its own. */
  messageId?: string;
};

/** An email as it is composed, before it has a sender. */
export type ComposedEmail = Pick<Email, "to" | "subject" | "replyTo" | "headers" | "messageId"> & {
  html: string;
  text: string;
};

/** Why a provider certainly did not accept an email. */
export type Reason =
  | "rate" // too fast: try again later
  | "daily-quota" // later; `retryAfterMs` says when the day ends
  | "monthly-quota"
  | "credentials" // the key, the login or the sender address: the operator has to act
  | "too-large"
  | "invalid" // a problem with the email itself
  | "bounced" // the recipient's address does not exist (SMTP)
  | "deferred" // the recipient's address is not accepted at the moment (SMTP)
  | "unavailable"; // the provider cannot be reached, and nothing was handed over (SMTP)

/**
 * The outcome of an attempt (docs/decisions/sending.md). Refused: certainly not sent. Unknown: possibly sent, so it may
 * only be repeated under the same key with the same content. Conflict: something else was accepted under this key
 * before.
 */
export type Outcome =
  | { kind: "accepted"; ids: (string | null)[] }
  | { kind: "refused"; reason: Reason; message: string; retryAfterMs?: number | undefined }
  | { kind: "unknown"; message: string }
  | { kind: "conflict"; message: string };

export type MailProvider = {
  name: "resend" | "smtp" | "simulated";
  /** The most emails in one `sendBatch`. */
  maxBatch: number;
  /** The most requests in flight. */
  maxConcurrent: number;
  /** Whether the provider sends an email once, however often it is repeated under one key within 24 hours. */
  isIdempotent: boolean;
  /** Never throws. Uses one token of the pace, which the caller has taken. */
  send(email: Email, idempotencyKey: string, signal?: AbortSignal): Promise<Outcome>;
  /** All of them or none. Never throws. */
  sendBatch(emails: Email[], idempotencyKey: string, signal?: AbortSignal): Promise<Outcome>;
  /**
   * Removes up to a hundred addresses from the provider's own suppression list. Undefined if it has none. Never throws.
   */
  unsuppress?: (addresses: string[]) => Promise<Unsuppressed>;
  close(): Promise<void>;
};

/** `not-allowed`: the API key may only send. */
export type Unsuppressed = "removed" | "not-allowed" | "failed";

/** Makes a provider's message safe to store and log: no secret or token, a single line, not too long. */
export const redactor =
  (...secrets: string[]) =>
  (text: string): string =>
    secrets
      .filter(Boolean)
      .reduce((rest, secret) => rest.replaceAll(secret, "…"), text.slice(0, maxReadCharacters))
      .replace(/token=[\w-]+/gi, "token=…")
      .replace(/\p{Cc}+/gu, " ")
      .slice(0, 300);

const maxReadCharacters = 10_000;

const perRequest = 100;

const texts: Record<Unsuppressed, string> = {
  removed: "",
  "not-allowed":
    "Resend may still refuse the address: this API key is only allowed to send. Remove the address from the suppressions in Resend’s dashboard.",
  failed:
    "Resend may still refuse the address: it could not be asked to remove it. Remove it from the suppressions in Resend’s dashboard.",
};

/** Removes addresses from the provider's own suppression list. Returns what is left to do by hand, as a sentence. */
export async function unsuppress(provider: MailProvider, addresses: string[]) {
  let result: Unsuppressed = "removed";
  for (let at = 0; provider.unsuppress && at < addresses.length && result === "removed"; at += perRequest)
    result = await provider.unsuppress(addresses.slice(at, at + perRequest));
  return { isDone: result === "removed", text: texts[result] };
}
