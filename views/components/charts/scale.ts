/** The round values of an axis, from lowest to highest. */
export type Scale = { ticks: number[]; low: number; high: number };

/** Yields 1, 2, 5, 10, 20, 25, 50, …: people and visits are whole numbers. */
function* roundSteps(): Generator<number> {
  for (let power = 1; ; power *= 10) yield* power === 1 ? [1, 2, 5] : [power, 2 * power, 2.5 * power, 5 * power];
}

/**
 * An axis that begins at 0 and has at most `steps` steps up to `max`: of the round step sizes, the one that wastes the
 * least space. With `below`, it continues below 0, so that heights on both sides can be compared.
 */
export function scaleFor(max: number, { steps = 3, below = 0 } = {}): Scale {
  const possible: Scale[] = [];
  for (const step of roundSteps()) {
    const [up, down] = [Math.ceil(Math.max(max, below ? 0 : 1) / step), Math.ceil(below / step)];
    if (up + down > steps && (up > 1 || down > 1)) continue;
    if (up + down < 2 && possible.length) break; // a single step is not enough for an axis
    const ticks = Array.from({ length: up + down + 1 }, (_, i) => (i - down) * step);
    possible.push({ ticks, low: -down * step, high: up * step });
    if (possible.length === 3) break;
  }
  const [best] = possible.sort((a, b) => a.high - a.low - (b.high - b.low));
  return best ?? { ticks: [0, 1], low: 0, high: 1 };
}

/** The position of a value, in percent from the top. */
export const heightOf = (value: number, { low, high }: Scale) => rounded((100 * (high - value)) / (high - low));

/** The position of one of `count` points, in percent from the left. */
export const placeOf = (index: number, count: number) => rounded(count > 1 ? (100 * index) / (count - 1) : 100);

/** Two decimals are a tenth of a pixel. */
export const rounded = (n: number) => Math.round(n * 100) / 100;

/** Chooses at most `most` of `count` positions, evenly, including the first and the last. */
export function spread(count: number, most: number): number[] {
  const some = Math.min(count, most);
  return some < 2 ? [0] : Array.from({ length: some }, (_, i) => Math.round((i * (count - 1)) / (some - 1)));
}
