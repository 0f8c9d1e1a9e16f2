const secondMs = 1_000;

/** What happened to an attempt that somebody stopped. */
export const stopped = () => new DOMException("stopped", "AbortError");

/** Resolves after that time; rejects at once when it is stopped. */
export const delay = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    if (signal.aborted) return reject(stopped());
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(stopped())), { once: true });
  });

/** Tries again after 1, 2, 4 and 8 seconds. `isFinal` tells the errors that another try does not mend. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal,
  isFinal: (error: unknown) => boolean,
): Promise<T> {
  for (const pause of [1, 2, 4, 8]) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error;
    }
    await delay(pause * secondMs, signal);
  }
  return attempt();
}
