import { BarChart } from "../../components/charts/bar-chart";
import { bucketsOf, dayName } from "../../components/charts/days";
import { number, plural } from "../../components/list";

type DailyChartProps = { id: string; noun: string; from: number; counts: number[]; isLoss?: boolean };

const maxBars = 92;
const sumOf = (counts: number[]) => counts.reduce((a, b) => a + b, 0);

/** How often something was counted, as bars of days, or of months where these would be too many, and as a table. */
export const DailyChart = ({ id, noun, from, counts, isLoss }: DailyChartProps) => {
  const to = from + counts.length - 1;
  const { buckets, unit } = bucketsOf(from, to);
  const rows = buckets.map((bucket) => ({
    ...{ day: bucket.from, name: bucket.name },
    value: sumOf(counts.slice(bucket.from - from, bucket.to - from + 1)),
  }));
  const days = counts.map((value, i) => ({ day: from + i, name: dayName(from + i), value }));
  const bars = counts.length > maxBars ? rows : days;
  return (
    <>
      <BarChart
        id={id}
        title={`${capitalised(noun)}s by ${bars === days ? "day" : "month"}`}
        summary={summaryOf(noun, bars)}
        bars={bars.map(({ day, name, value }) => ({ day, value, text: `${name}: ${plural(value, noun)}` }))}
        to={to}
        {...(isLoss && { isLoss })}
      />
      <details>
        <summary>Show as a table</summary>
        <table class="table">
          <caption class="sr">{capitalised(noun)}s, newest first. Days are in UTC.</caption>
          <thead>
            <tr>
              <th scope="col">{unit}</th>
              <th scope="col" class="num">
                {capitalised(noun)}s
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.toReversed().map(({ name, value }) => (
              <tr>
                <th scope="row">{name}</th>
                <td class="num">{number(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
};

const capitalised = (noun: string) => `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;

/** "1,060 views, most of them, 412, on 25 Oct 2026." */
function summaryOf(noun: string, bars: { name: string; value: number }[]): string {
  const sum = sumOf(bars.map(({ value }) => value));
  const [best] = bars.toSorted((a, b) => b.value - a.value);
  return best?.value ? `${plural(sum, noun)}; the most, ${number(best.value)}, on ${best.name}.` : `No ${noun}s.`;
}
