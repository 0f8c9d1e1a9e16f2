const secondMs = 1_000;

/** The error of an attempt that was stopped. */
export const stopped = () => new DOMException("stopped", "AbortError");

/** Resolves after that time; rejects immediately when stopped. */
export const delay = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    if (signal.aborted) return reject(stopped());
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(stopped())), { once: true });
  });

/** Retries after 1, 2, 4 and 8 seconds. `isFinal` identifies errors that retrying would not fix. */
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
