import { dayName } from "../../components/charts/period";
import { rounded } from "../../components/charts/plot";
import { number } from "../../components/list";
import type { DateStyle } from "../../components/time";

/** The results of a day's calls, so far. */
export type CallDay = { day: number; delivered: number; retrying: number; failed: number };

const width = 10;
const height = 20;
const gap = 2;
const least = 1.5; // the least height that can be seen

type WeekProps = { days: CallDay[]; max: number; dates: DateStyle };

/**
 * The calls of seven days: the delivered ones, and on top of them those that failed, for good or so far. All rows of a
 * page share a scale.
 */
export function Week({ days, max, dates }: WeekProps) {
  const sum = (of: "delivered" | "retrying" | "failed") => days.reduce((all, day) => all + day[of], 0);
  const words = wordsOf({ delivered: sum("delivered"), retrying: sum("retrying"), failed: sum("failed") });
  return (
    <>
      <svg
        class="week"
        viewBox={`0 0 ${days.length * width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${words} in ${days.length} days`}
      >
        {days.map((day, i) => (
          <DayBar day={day} at={i * width} max={max} dates={dates} />
        ))}
        <line class="base" x1="0" x2={days.length * width} y1={height} y2={height} />
      </svg>
      <span class="sub" aria-hidden="true">
        {words}
      </span>
    </>
  );
}

/** "12 delivered, 1 retrying, 0 failed": the words of the deliveries below. */
const wordsOf = ({ delivered, retrying, failed }: Omit<CallDay, "day">) =>
  [`${number(delivered)} delivered`, retrying > 0 && `${number(retrying)} retrying`, `${number(failed)} failed`]
    .filter(Boolean)
    .join(", ");

/** The heights of the two parts of a bar. */
export function heightsOf({ delivered, failed }: Pick<CallDay, "delivered" | "failed">, max: number) {
  const of = (count: number) => (count ? Math.max(least, rounded((height * count) / Math.max(max, 1))) : 0);
  return { delivered: of(delivered), failed: of(failed) };
}

const DayBar = ({ day, at, max, dates }: { day: CallDay; at: number; max: number; dates: DateStyle }) => {
  const heights = heightsOf({ delivered: day.delivered, failed: day.retrying + day.failed }, max);
  const x = at + gap / 2;
  return (
    <g>
      <title>
        {dayName(day.day, "full", dates)}: {wordsOf(day)}
      </title>
      <rect class="hit" x={at} y={0} width={width} height={height} />
      <rect class="ok" x={x} y={height - heights.delivered} width={width - gap} height={heights.delivered} />
      <rect
        class="no"
        x={x}
        y={height - heights.delivered - heights.failed}
        width={width - gap}
        height={heights.failed}
      />
    </g>
  );
};
