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
  const timer = setTimeout(() => late.reject(problem), timeoutMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
