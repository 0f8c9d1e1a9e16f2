/** Milliseconds after which a test is ended. Ends what hangs, and judges nothing: a busy machine needs 20 times as long. */
export const testTimeoutMs = 1_800_000;

/** Milliseconds after which waiting is pointless; on a busy machine everything takes long. */
export const waitTimeoutMs = 120_000;

/**
 * Waits for what a test cannot do without.
 *
 * @param what did not come if it does not, in words
 * @throws saying so, when waiting is pointless: earlier than the test's own end, which says nothing
 */
export async function within<T>(promise: Promise<T>, what: string, timeoutMs = waitTimeoutMs): Promise<T> {
  const problem = new Error(`Not after ${timeoutMs} ms: ${what}`); // with the stack of the one who waits
  const late = Promise.withResolvers<never>();
  const end = Date.now() + timeoutMs;
  // Looks again and again, which also wakes an event loop that has overlooked something
  const timer = setInterval(() => Date.now() >= end && late.reject(problem), Math.min(timeoutMs, 1_000));
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearInterval(timer);
  }
}
