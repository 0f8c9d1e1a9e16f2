/** Numbers derived from a seed alone, so that a run can be repeated. */
export function randomFrom(seed: number) {
  let state = Math.imul(seed, 0x9e3779b1);
  /** mulberry32 */
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (n: number) => next() % n;
  const of = <T>(all: readonly T[]): T => {
    const chosen = all[below(all.length)];
    if (chosen === undefined) throw new Error("There is nothing to choose from");
    return chosen;
  };
  return { below, of };
}

export type Random = ReturnType<typeof randomFrom>;
