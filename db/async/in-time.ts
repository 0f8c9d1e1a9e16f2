/**
 * Resolves like `answer`, but rejects if it takes longer than `ms` milliseconds.
 *
 * @param tooLate makes the error for that case
 */
export const inTime = <T>(answer: Promise<T>, ms: number, tooLate: () => Error): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLate()), ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });

/**
 * Returns a function that resolves like the promise it is given. But if none of its promises settles for `ms`
 * milliseconds, all that are pending reject.
 *
 * @param silent makes the errors for that case
 */
export function unlessSilent(ms: number, silent: () => Error) {
  const pending = new Set<(error: Error) => void>();
  let timer: Timer | undefined;

  function listen() {
    clearTimeout(timer);
    if (pending.size) timer = setTimeout(giveUp, ms);
  }
  function giveUp() {
    for (const reject of pending) reject(silent());
    pending.clear();
  }

  return <T>(answer: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      pending.add(reject);
      if (pending.size === 1) listen();
      answer.then(resolve, reject).finally(() => {
        pending.delete(reject);
        listen();
      });
    });
}
