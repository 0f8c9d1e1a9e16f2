import { number } from "../list";
import type { DateStyle } from "../time";
import { BarChart } from "./bar-chart";
import { bucketsOf, dayName } from "./period";

/** The counts of each day. */
export type Series = {
  /** "Views" */
  name: string;
  /** "3 views" */
  words: (count: number) => string;
  counts: number[];
};

type DailyBarsProps = { id: string; from: number; series: Series; isLoss?: boolean; dates?: DateStyle | undefined };

const maxBars = 92;
const sumOf = (counts: number[]) => counts.reduce((a, b) => a + b, 0);

/** Groups of days with their totals. */
function totalsOf({ counts }: Series, from: number, dates?: DateStyle) {
  const { buckets, unit } = bucketsOf(from, from + counts.length - 1, dates);
  const rows = buckets.map((bucket) => ({
    day: bucket.from,
    name: bucket.name,
    value: sumOf(counts.slice(bucket.from - from, bucket.to - from + 1)),
  }));
  return { rows, unit };
}

/** A bar per day, or per month if there would be too many. */
export const DailyBars = ({ id, from, series, isLoss, dates }: DailyBarsProps) => {
  const { name, words, counts } = series;
  const isByDay = counts.length <= maxBars;
  const bars = isByDay
    ? counts.map((value, i) => ({ day: from + i, name: dayName(from + i, "full", dates), value }))
    : totalsOf(series, from, dates).rows;
  return (
    <BarChart
      id={id}
      title={`${name} by ${isByDay ? "day" : "month"}`}
      summary={summaryOf(series, bars)}
      bars={bars.map(({ day, name, value }) => ({ day, value, text: `${name}: ${words(value)}` }))}
      to={from + counts.length - 1}
      dates={dates}
      isByMonth={!isByDay}
      {...(isLoss && { isLoss })}
    />
  );
};

/** "1,060 views; the most, 412, on 25 Oct 2026." */
function summaryOf({ words, counts }: Series, bars: { name: string; value: number }[]): string {
  const [best] = bars.toSorted((a, b) => b.value - a.value);
  const sum = words(sumOf(counts));
  return best?.value ? `${sum}; the most, ${number(best.value)}, on ${best.name}.` : `${sum}.`;
}

type TableProps = { from: number; series: Series[]; dates?: DateStyle | undefined };

/** The numbers of charts with the same days, newest first: by day, week or month. */
export const DailyTable = ({ from, series, dates }: TableProps) => {
  const columns = series.map((each) => totalsOf(each, from, dates));
  const [first] = columns;
  return (
    <details>
      <summary>Show as a table</summary>
      <table class="table">
        <caption class="sr">{series.map(({ name }) => name).join(" and ")}, newest first. Days are in UTC.</caption>
        <thead>
          <tr>
            <th scope="col">{first?.unit}</th>
            {series.map(({ name }) => (
              <th scope="col" class="num">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first?.rows
            .map(({ name }, i) => (
              <tr>
                <th scope="row">{name}</th>
                {columns.map(({ rows }) => (
                  <td class="num">{number(rows[i]?.value ?? 0)}</td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </details>
  );
};
