import type { outbox } from "../schema/mail";

/* How often an email is tried, of the outbox or of a broadcast, and when never again. */

const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

export const maxRetryDelayMs = 8 * hours;

/**
 * How long an email of the outbox waits after each failure, and a batch of a broadcast in doubt before it is repeated; in
 * total less than the 24 hours for which the provider remembers our key.
 */
export const retryDelaysMs = [
  5 * seconds,
  30 * seconds,
  2 * minutes,
  10 * minutes,
  30 * minutes,
  1 * hours,
  2 * hours,
  4 * hours,
  maxRetryDelayMs,
];
export const maxAttempts = retryDelaysMs.length + 1;

/**
 * How long an email of the outbox waits after so many attempts, in milliseconds.
 *
 * @param retryAfterSeconds requested by the provider. It can lengthen a delay, up to eight hours, but never shorten it
 */
export const retryDelayOf = (attempts: number, retryAfterSeconds = 0): number =>
  Math.max(retryDelaysMs[attempts - 1] ?? 0, Math.min(retryAfterSeconds * 1_000, maxRetryDelayMs));

/** How long a broadcast's email waits, after each refusal, for an address that its server does not accept at the moment. */
export const deferredDelaysMs = [5 * minutes, 15 * minutes, 1 * hours, 2 * hours, 4 * hours, 8 * hours];

/**
 * Refusals after which an email of the outbox is not tried again: a problem with the email itself is permanent, and one
 * with the key is fixed by the operator.
 */
export const permanentReasons = ["invalid", "too-large", "bounced"] as const;

/** Whether a delay is well within the hour that began with the attempt before, whose place under the limit it keeps. */
export const isWithinItsHour = (delayMs: number): boolean => delayMs <= 30 * minutes;

/** How long a claim lasts, longer than any attempt. After that the worker is presumed dead. */
export const claimDurationMs = 60 * seconds;

/** How long what may have been sent can be repeated: the provider remembers a key for 24 hours, and clocks may differ. */
export const keyMs = 23 * hours;

/** Whether the provider may have an email, and no longer remembers its key, or will not when this time comes. */
export const isKeyOver = ({ inDoubtSince }: Pick<typeof outbox.$inferSelect, "inDoubtSince">, at: Date): boolean =>
  inDoubtSince !== null && at.getTime() - inDoubtSince.getTime() >= keyMs;
