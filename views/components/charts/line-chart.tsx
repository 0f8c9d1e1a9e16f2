import { number } from "../list";
import type { DateStyle } from "../time";
import { axisName, dayName, daysName } from "./period";
import { heightOf, placeOf, Plot, type Scale, rounded, scaleAround, spread } from "./plot";

/** An event that explains a jump. */
export type Mark = { index: number; text: string };

type LineProps = {
  id: string;
  /** The name of what is counted: "Active subscribers". */
  name: string;
  /** The first day; each value is one day. */
  from: number;
  /** Undefined before the first day on which it is known. */
  values: (number | undefined)[];
  marks: Mark[];
  /** Describes the marks for people who cannot see them. */
  about: string;
  dates?: DateStyle | undefined;
};

const maxPoints = 120; // a year looks the same with these, and ten years take no more bytes
const maxDates = 4;

/**
 * A total over time, on a scale around its values (`scaleAround` in `plot.tsx`, which draws the SVG), because one from 0
 * would hide how a long list grows. The last value has a dot. The days before the first known value are shaded, and
 * named “Not known” where there is room for it.
 */
export function LineChart({ id, name, from, values, marks, about, dates }: LineProps) {
  const to = from + values.length - 1;
  const counted = values.filter((value) => value !== undefined);
  const unknown = values.length - counted.length;
  const [first = 0, last = 0] = [counted[0], counted.at(-1)];
  const scale = scaleAround(Math.min(...counted), Math.max(...counted));
  const since = unknown > 0 ? `Not known before ${dayName(from + unknown, "long", dates)}. ` : "";
  return (
    <Plot
      id={id}
      title={`${name}, ${daysName(from, to, dates)}`}
      summary={`${since}From ${number(first)} to ${number(last)}. ${about}`.trim()}
      scale={scale}
      dates={spread(values.length, maxDates).map((at) => ({
        x: placeOf(at, values.length),
        text: axisName(from + at, from, to, dates),
      }))}
      hasMarks={marks.length > 0}
    >
      {unknown > 0 && <Unknown width={placeOf(unknown, values.length)} />}
      <svg
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        width="100%"
        height="100%"
        aria-hidden="true"
        class="stretched"
      >
        <path class="curve" d={curveOf(values, scale)} />
      </svg>
      {marks.map((mark, i) => (
        <MarkLine
          x={placeOf(mark.index, values.length)}
          y={heightOf(values[mark.index] ?? 0, scale)}
          text={marks.length === 1 ? mark.text : String(i + 1)}
        />
      ))}
      <circle class="dot" cx="100%" cy={`${heightOf(last, scale)}%`} r="4">
        <title>
          {dayName(to, "full", dates)}: {number(last)}
        </title>
      </circle>
    </Plot>
  );
}

const leastForWords = 25; // percent of the width that "Not known" takes on a phone

const Unknown = ({ width }: { width: number }) => (
  <>
    <rect class="unknown" width={`${width}%`} height="100%" />
    {width >= leastForWords && (
      <text x={`${rounded(width / 2)}%`} y="50%" text-anchor="middle">
        Not known
      </text>
    )}
  </>
);

/** The path through the points that are known. */
export const curveOf = (values: (number | undefined)[], scale: Scale) =>
  [...new Set([values.findIndex((value) => value !== undefined), ...spread(values.length, maxPoints)])]
    .filter((at) => values[at] !== undefined)
    .sort((a, b) => a - b)
    .map((at, i) => `${i ? "L" : "M"}${placeOf(at, values.length)} ${heightOf(values[at] ?? 0, scale)}`)
    .join("");

/** A line without axes, for the shape alone: what it says is in words beside it. Nothing, until there are two days. */
export const Sparkline = ({ values }: { values: number[] }) => {
  if (values.length < 2) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const scale = { ticks: [], low, high: high > low ? high : low + 1 };
  return (
    <svg class="spark" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <path d={curveOf(values, scale)} />
    </svg>
  );
};

/** A vertical line at an event, with its text above the plot. Near an edge, the text extends away from that edge. */
const MarkLine = ({ x, y, text }: { x: number; y: number; text: string }) => (
  <>
    <line class="event" x1={`${x}%`} x2={`${x}%`} y1="0" y2="100%" />
    <circle class="dot" cx={`${x}%`} cy={`${y}%`} r="4" />
    <text class="mark" x={`${x}%`} y="0" dy="-10" text-anchor={x > 75 ? "end" : x > 25 ? "middle" : "start"}>
      {text}
    </text>
  </>
);
