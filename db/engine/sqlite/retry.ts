/**
 * Retries `work` every few milliseconds while another process holds the write lock, for at most `timeoutMs`.
 *
 * SQLite's own busy_timeout would block the whole event loop while it waits.
 */
export async function retryWhileBusy<T>(work: () => T, timeoutMs: number): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await Bun.sleep(2 + Math.random() * 18);
    }
  }
}

const isBusy = (error: unknown) =>
  error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
