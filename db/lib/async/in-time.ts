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
