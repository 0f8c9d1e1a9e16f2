import type { Child } from "../../jsx/jsx-runtime";
import { number } from "../list";
import { heightOf, type Scale } from "./scale";

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
        {tick !== 0 && <Rule at={heightOf(tick, scale)} class="rule" />}
        <text x="0" dx="-10" y={`${heightOf(tick, scale)}%`} dy="4" text-anchor="end">
          {tickName(Math.abs(tick))}
        </text>
      </>
    ))}
    {children}
    <Rule at={heightOf(0, scale)} class="base" />
    {dates.map(({ x, text, isInMiddle }, i) => (
      <text x={`${x}%`} y="100%" dy="18" text-anchor={isInMiddle ? "middle" : anchorOf(i, dates.length)}>
        {text}
      </text>
    ))}
  </svg>
);

/** The first and last labels are aligned to the edges. */
const anchorOf = (index: number, count: number) => (index === 0 ? "start" : index === count - 1 ? "end" : "middle");

const Rule = ({ at, class: name }: { at: number; class: string }) => (
  <line class={name} x1="0" x2="100%" y1={`${at}%`} y2={`${at}%`} />
);

const million = 1_000_000;
/** "15,000", but "1.5M" where the space beside the axis ends. */
const tickName = (tick: number) => (tick < million ? number(tick) : `${number(tick / million)}M`);
