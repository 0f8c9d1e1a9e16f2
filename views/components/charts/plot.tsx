import type { Child } from "../../jsx/jsx-runtime";
import { number } from "../list";

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

const maxSteps = 3;

/** An axis with round values around `min` and `max`. It begins at 0 only if that is near. */
export function scaleAround(min: number, max: number): Scale {
  for (const step of roundSteps()) {
    const low = Math.max(0, Math.floor(min / step)) * step;
    const high = Math.max(Math.ceil(max / step) * step, low + step);
    if ((high - low) / step > maxSteps) continue;
    return { ticks: Array.from({ length: (high - low) / step + 1 }, (_, i) => low + i * step), low, high };
  }
  return { ticks: [0, 1], low: 0, high: 1 };
}

/** The position of a value, in percent from the top. */
export const heightOf = (value: number, { low, high }: Scale) => rounded((100 * (high - value)) / (high - low));

/** The position of one of `count` points, in percent from the left. */
export const placeOf = (index: number, count: number) => rounded(count > 1 ? (100 * index) / (count - 1) : 100);

/** Rounds a percentage to two decimals, which is a tenth of a pixel. */
export const rounded = (n: number) => Math.round(n * 100) / 100;

/** Chooses at most `most` of `count` positions, evenly, including the first and the last. */
export function spread(count: number, most: number): number[] {
  const some = Math.min(count, most);
  return some < 2 ? [0] : Array.from({ length: some }, (_, i) => Math.round((i * (count - 1)) / (some - 1)));
}

type Place = { x: number; text: string; isInMiddle?: boolean };
type PlotProps = {
  id: string;
  /** What is shown, and for which period. */
  title: string;
  /** Describes the chart in a sentence. */
  summary: string;
  scale: Scale;
  /** Below the axis, from left to right. */
  dates: Place[];
  isLow?: boolean;
  /** Whether texts above the plot need space. */
  hasMarks?: boolean;
  children?: Child;
};

/**
 * The axes of a chart and their labels. The svg has no viewBox: positions are percentages, so that shapes stretch and
 * texts keep their size. People who cannot see it get the summary, and the table below has every number.
 */
export const Plot = ({ id, title, summary, scale, dates, isLow, hasMarks, children }: PlotProps) => (
  <svg
    class={["plot", isLow && "low", hasMarks && "marked"].filter(Boolean).join(" ")}
    role="img"
    aria-labelledby={`${id}-title`}
    aria-describedby={`${id}-summary`}
  >
    <title id={`${id}-title`}>{title}</title>
    <desc id={`${id}-summary`}>{summary}</desc>
    {scale.ticks.map((tick) => (
      <>
        {tick !== baseOf(scale) && <Rule at={heightOf(tick, scale)} class="rule" />}
        <text x="0" dx="-10" y={`${heightOf(tick, scale)}%`} dy="4" text-anchor="end">
          {tickName(Math.abs(tick))}
        </text>
      </>
    ))}
    {children}
    <Rule at={heightOf(baseOf(scale), scale)} class="base" />
    {dates.map(({ x, text, isInMiddle }, i) => (
      <text x={`${x}%`} y="100%" dy="18" text-anchor={isInMiddle ? "middle" : anchorOf(i, dates.length)}>
        {text}
      </text>
    ))}
  </svg>
);

/** Where the axis is: at 0, or at the bottom of a scale that begins above it. */
const baseOf = ({ low }: Scale) => Math.max(0, low);

/** The first and last labels are aligned to the edges. */
const anchorOf = (index: number, count: number) => (index === 0 ? "start" : index === count - 1 ? "end" : "middle");

const Rule = ({ at, class: name }: { at: number; class: string }) => (
  <line class={name} x1="0" x2="100%" y1={`${at}%`} y2={`${at}%`} />
);

const million = 1_000_000;
/** "15,000", but "1.5M" where the space beside the axis ends. */
const tickName = (tick: number) => (tick < million ? number(tick) : `${number(tick / million)}M`);
