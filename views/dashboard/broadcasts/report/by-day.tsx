import { DailyBars, DailyTable } from "../../../components/charts/daily";
import { number, plural } from "../../../components/list";
import type { DateStyle } from "../../../components/time";

/** Each day since it was sent, for two weeks. */
export type DaysOfReport = {
  from: number;
  /** Of its page; none if it has none. */
  views: number[] | undefined;
  unsubscribed: number[];
};

const sumOf = (counts: number[]) => counts.reduce((a, b) => a + b, 0);

/** Two charts with a scale of their own each: one for both would flatten the smaller one. */
export const ByDay = ({ from, views, unsubscribed, dates }: DaysOfReport & { dates: DateStyle }) => {
  const left = { name: "Unsubscribed", words: (n: number) => `${number(n)} unsubscribed`, counts: unsubscribed };
  const read = views && { name: "Views", words: (n: number) => plural(n, "view"), counts: views };
  return (
    <section class="card" aria-labelledby="days-title">
      <header>
        <h2 id="days-title">Day by day</h2>
        <span class="hint">First 14 days, in UTC</span>
      </header>
      <div class="body">
        {unsubscribed.length < 2 ? (
          <p class="muted">
            Today: {views && `${plural(sumOf(views), "view")} of the web page, `}
            {left.words(sumOf(unsubscribed))}. The charts start on the second day.
          </p>
        ) : (
          <figure class="chart">
            {read && (
              <>
                <p class="key">
                  <span>{read.words(sumOf(read.counts))} of the web page</span>
                </p>
                <DailyBars id="views" from={from} series={read} dates={dates} />
              </>
            )}
            <p class="key">
              <span class="went">{left.words(sumOf(unsubscribed))}</span>
            </p>
            <DailyBars id="unsubscribed" from={from} series={left} dates={dates} isLoss />
            <DailyTable from={from} series={read ? [read, left] : [left]} dates={dates} />
          </figure>
        )}
      </div>
    </section>
  );
};
