import type { Text } from "./text";

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
export type Letter = Pick<Email, "to" | "subject" | "replyTo" | "headers"> & { html: string; text: string };

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
