/**
 * Stops waiting for an answer after `ms` milliseconds.
 *
 * @param tooLate the error it rejects with then
 */
export const inTime = <T>(answer: Promise<T>, ms: number, tooLate: () => Error): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooLate()), ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
