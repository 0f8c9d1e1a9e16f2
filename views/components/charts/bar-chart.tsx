import type { DateStyle } from "../time";
import { axisName, dayName, daysName } from "./period";
import { heightOf, Plot, rounded, type Scale, scaleFor, spread } from "./plot";

type Bar = {
  /** The day of the bar, or its first one. */
  day: number;
  value: number;
  /** Drawn below the axis. */
  below?: number;
  /** The tooltip. */
  text: string;
};

type BarChartProps = {
  id: string;
  title: string;
  summary: string;
  bars: Bar[];
  /** The last day, which matters if the last bar has several. */
  to: number;
  /** Grey, for losses. */
  isLoss?: boolean;
  /** Each bar is a month, and is labelled below its middle. */
  isByMonth?: boolean;
  dates?: DateStyle | undefined;
};

const maxDates = 4;

/** Bars from 0, one for each day or a few days. Values below 0 use the same scale. */
export function BarChart({ id, title, summary, bars, to, isLoss, isByMonth, dates }: BarChartProps) {
  const from = bars[0]?.day ?? to;
  const below = Math.max(0, ...bars.map((bar) => bar.below ?? 0));
  const scale = scaleFor(Math.max(...bars.map(({ value }) => value)), { steps: below ? 4 : 3, below });
  return (
    <Plot
      id={id}
      title={`${title}, ${daysName(from, to, dates)}`}
      summary={summary}
      scale={scale}
      dates={spread(bars.length, maxDates).map((at, i, all) =>
        isByMonth
          ? { x: middleOf(at, bars.length), text: dayName(bars[at]?.day ?? from, "month", dates), isInMiddle: true }
          : {
              x: i === 0 ? 0 : i === all.length - 1 ? 100 : middleOf(at, bars.length),
              text: axisName(bars[at]?.day ?? from, from, to, dates),
            },
      )}
      isLow
    >
      {bars.map((bar, i) => (
        <BarShape bar={bar} at={i} count={bars.length} scale={scale} kind={isLoss ? "two" : "one"} />
      ))}
    </Plot>
  );
}

const middleOf = (index: number, count: number) => rounded((100 * (index + 0.5)) / count);

/** The position of a bar, in percent. Bars other than 0 are always visible, because of their outline. */
export function barAt(index: number, count: number, from: number, to: number, scale: Scale) {
  const [top, bottom] = [heightOf(to, scale), heightOf(from, scale)];
  return {
    x: `${rounded((100 * (index + 0.2)) / count)}%`,
    y: `${top}%`,
    width: `${rounded(60 / count)}%`,
    height: `${rounded(bottom - top)}%`,
  };
}

type ShapeProps = { bar: Bar; at: number; count: number; scale: Scale; kind: "one" | "two" };

const BarShape = ({ bar: { value, below = 0, text }, at, count, scale, kind }: ShapeProps) => (
  <g>
    <title>{text}</title>
    <rect class="hit" x={`${rounded((100 * at) / count)}%`} y="0" width={`${rounded(100 / count)}%`} height="100%" />
    {value > 0 && <rect class={kind} {...barAt(at, count, 0, value, scale)} />}
    {below > 0 && <rect class="two" {...barAt(at, count, -below, 0, scale)} />}
  </g>
);
