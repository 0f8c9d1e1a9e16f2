import { DailyBars, DailyTable } from "../components/charts/daily";
import { inPeriod, type Period, PeriodLinks } from "../components/charts/period";
import { type Counted, Referrers, Shares } from "../components/charts/shares";
import { EmptyList, plural } from "../components/list";
import type { DateStyle } from "../components/time";
import { Crumb, Head } from "./shell";

type TopProps = { what: "posts" | "projects"; noun: string; items: Counted[] };

/** The most visited in the last 30 days. Each links to its own chart. */
const TopItems = ({ what, noun, items }: TopProps) => (
  <section class="card" aria-labelledby="top-title">
    <header>
      <h2 id="top-title">Most {noun === "view" ? "viewed" : "clicked"}</h2>
      <span class="hint">Last 30 days</span>
    </header>
    <div class="body">
      {items.length === 0 ? (
        <p class="muted">
          No {what} had {noun}s in the last 30 days.
        </p>
      ) : (
        <Shares items={items} noun={noun} />
      )}
    </div>
  </section>
);

/** Of one period. */
type ChartView = {
  noun: "view" | "click";
  path: string;
  period: Period;
  dates: DateStyle;
  /** The count of each day of the period, or since counting by day began; oldest first. */
  from: number;
  counts: number[];
};

export type VisitsView = ChartView & {
  crumb: { href: string; text: string } | undefined;
  title: string;
  /** Of all time. */
  total?: number | undefined;
  /** Which sites the views of the last 30 days came from. */
  referrers?: Counted[] | undefined;
  /** On the page of all of them together. */
  top?: { what: "posts" | "projects"; items: Counted[] } | undefined;
  /** Why there is nothing yet, if nothing has ever been counted: charts of nothing say less. */
  never?: string | undefined;
};

/** Views or clicks over time: of one post or project, or of all of them. */
export const VisitsPage = (view: VisitsView) => (
  <>
    {view.crumb && <Crumb href={view.crumb.href}>{view.crumb.text}</Crumb>}
    <Head title={view.title} lead={leadOf(view)} />
    {view.never ? (
      <EmptyList label={view.title} drawing="clock" title={`No ${view.noun}s yet`}>
        <p>{view.never}</p>
      </EmptyList>
    ) : (
      <div class="stack">
        <Visits {...view} />
        {view.top && <TopItems {...view.top} noun={view.noun} />}
        {view.noun === "view" && <Referrers items={view.referrers} hint="Last 30 days" />}
      </div>
    )}
  </>
);

const leadOf = ({ noun, total }: VisitsView) =>
  `${!total ? "" : `${plural(total, noun)} in all. `}Each visitor counts once a day; bots and previews do not count.`;

/** The part that changes with the period. */
export const Visits = (view: ChartView) => {
  const { counts, noun, period } = view;
  const sum = counts.reduce((a, b) => a + b, 0);
  const name = noun === "view" ? "Views" : "Clicks";
  const series = { name, words: (n: number) => plural(n, noun), counts };
  return (
    <section class="card" id="visits" aria-labelledby="visits-title">
      <header>
        <h2 id="visits-title">Over time</h2>
        <PeriodLinks path={view.path} period={period} target="visits" />
      </header>
      <div class="body">
        {counts.length < 2 ? (
          <p class="muted">
            {counts.length === 0 ? `No ${noun}s counted by day yet.` : `${plural(sum, noun)} today.`} The chart starts
            on the second day.
          </p>
        ) : (
          <figure class="chart">
            <figcaption class="dot-row" data-announce>
              <span>
                <strong>{plural(sum, noun)}</strong> {inPeriod(period)}
              </span>
              <span>days in UTC</span>
            </figcaption>
            {sum > 0 && (
              <>
                <DailyBars id="by-day" from={view.from} series={series} dates={view.dates} />
                <DailyTable from={view.from} series={[series]} dates={view.dates} />
              </>
            )}
          </figure>
        )}
      </div>
    </section>
  );
};
