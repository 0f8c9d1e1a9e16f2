import { DailyBars, DailyTable, type Series } from "../../../components/charts/daily";
import { number, plural } from "../../../components/list";
import type { DateStyle } from "../../../components/time";

/** Each day for two weeks after it was sent. */
export type DaysOfReport = {
  from: number;
  /** Views of its page; undefined if it has none. */
  views: number[] | undefined;
  unsubscribed: number[];
};

const sumOf = (counts: number[]) => counts.reduce((a, b) => a + b, 0);

/** Two charts with separate scales: a shared one would flatten the smaller. */
export const ByDay = ({ from, views, unsubscribed, dates }: DaysOfReport & { dates: DateStyle }) => {
  const left = { name: "Unsubscribed", words: (n: number) => `${number(n)} unsubscribed`, counts: unsubscribed };
  const read = views && { name: "Views", words: (n: number) => plural(n, "view"), counts: views };
  const all = read ? [read, left] : [left];
  const isEmpty = all.every(({ counts }) => sumOf(counts) === 0);
  return (
    <section class="card" aria-labelledby="days-title">
      <header>
        <h2 id="days-title">Day by day</h2>
        <span class="hint">First 14 days, in UTC</span>
      </header>
      <div class="body">
        {unsubscribed.length < 2 ? (
          <p class="muted">Today: {all.map(saidOf).join(", ")}. The charts start on the second day.</p>
        ) : isEmpty ? (
          <p class="muted">{read ? "No one viewed the web page or unsubscribed." : "No one unsubscribed."}</p>
        ) : (
          <figure class="chart">
            {all.map((series) => (
              <Days from={from} series={series} isLoss={series === left} dates={dates} />
            ))}
            <DailyTable from={from} series={all} dates={dates} />
          </figure>
        )}
      </div>
    </section>
  );
};

const saidOf = ({ name, words, counts }: Series) =>
  `${words(sumOf(counts))}${name === "Views" ? " of the web page" : ""}`;

type DaysProps = { from: number; series: Series; isLoss: boolean; dates: DateStyle };

/** The total, and its bars unless all of them are zero. */
const Days = ({ from, series, isLoss, dates }: DaysProps) => (
  <>
    <p class="key">
      <span class={isLoss ? "went" : undefined}>{saidOf(series)}</span>
    </p>
    {sumOf(series.counts) > 0 && (
      <DailyBars id={series.name.toLowerCase()} from={from} series={series} dates={dates} isLoss={isLoss} />
    )}
  </>
);
