import { inTime } from "./in-time";

/**
 * Runs up to `max` pieces of work at the same time, the others in the order they came. One that waits for more than `ms`
 * milliseconds is not run.
 *
 * @param tooLate makes the error for that case
 */
export function atMost(max: number, ms: number, tooLate: () => Error) {
  const waiting = new Set<() => void>();
  let running = 0;

  function turn(): Promise<void> | undefined {
    if (running < max) return void running++;
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    return inTime(promise, ms, () => {
      waiting.delete(resolve);
      return tooLate();
    });
  }

  return async <T>(work: () => Promise<T>): Promise<T> => {
    await turn();
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next) waiting.delete(next);
      else running--;
      next?.(); // in the place of this one
    }
  };
}
