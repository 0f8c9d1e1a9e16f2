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

/** Runs one piece of work at a time for each key, in the order they came. */
export function inTurn() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}

/**
 * Does it for each in one transaction: those with the same key one after another, the others together. On PostgreSQL,
 * what they ask then shares round trips. Returns the results in the same order.
 */
export async function together<T, R>(items: T[], keyOf: (item: T) => string, each: (item: T) => Promise<R>) {
  const turn = inTurn();
  const all = items.map((item) => turn(keyOf(item), () => each(item)));
  try {
    return await Promise.all(all);
  } finally {
    await Promise.allSettled(all); // after a failure, none may send statements into the next transaction
  }
}
