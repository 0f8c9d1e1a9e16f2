import { DailyBars, DailyTable } from "../components/charts/daily";
import { headingOf, inPeriod, type Period, PeriodLinks } from "../components/charts/period";
import { type Counted, Referrers, Shares } from "../components/charts/shares";
import { helps } from "../components/help";
import { EmptyList, plural } from "../components/list";
import { Exports } from "../components/lists/head";
import type { DateStyle } from "../components/time";
import { Crumb, Head } from "./shell";

type TopProps = { what: "posts" | "projects"; noun: string; items: Counted[]; hint: string };

/** The most visited in the period. Each links to its own chart. */
const TopItems = ({ what, noun, items, hint }: TopProps) => (
  <section class="card" aria-labelledby="top-title">
    <header>
      <h2 id="top-title">Most {noun === "view" ? "viewed" : "clicked"}</h2>
      <span class="hint">{hint}</span>
    </header>
    <div class="body">
      {items.length === 0 ? (
        <p class="muted">
          No {what} had {noun}s in this time.
        </p>
      ) : (
        <Shares items={items} noun={noun} />
      )}
    </div>
  </section>
);

/** Of one period. */
export type ChartView = {
  noun: "view" | "click";
  path: string;
  period: Period;
  /** The first day of the period. */
  start: number;
  dates: DateStyle;
  /** The count of each day of the period, or since counting by day began; oldest first. */
  from: number;
  counts: number[];
  /** On the page of all of them together. */
  top?: { what: "posts" | "projects"; items: Counted[] } | undefined;
  /** Which sites the views came from. */
  referrers?: Counted[] | undefined;
  /** For how many days the sites are kept. */
  keptDays: number;
};

type VisitsView = ChartView & {
  crumb: { href: string; text: string } | undefined;
  title: string;
  /** Of all time. */
  total?: number | undefined;
  /** Why there is nothing yet, if nothing has ever been counted: charts of nothing say less. */
  never?: string | undefined;
};

/** Views or clicks over time: of one post or project, or of all of them. */
export const VisitsPage = (view: VisitsView) => (
  <>
    {view.crumb && <Crumb href={view.crumb.href}>{view.crumb.text}</Crumb>}
    <Head title={view.title} lead={leadOf(view)}>
      {view.never === undefined && <VisitsExport {...view} />}
    </Head>
    <div class="stack">
      {view.never ? (
        <EmptyList label={view.title} drawing="clock" title={`No ${view.noun}s yet`}>
          <p>{view.never}</p>
        </EmptyList>
      ) : (
        <Visits {...view} />
      )}
      {view.noun === "view" && (
        <p class="hint" id="not-measured">
          {helps.notMeasured.text}
        </p>
      )}
    </div>
  </>
);

const leadOf = ({ noun, total }: VisitsView) =>
  `${!total ? "" : `${plural(total, noun)} in all. `}Each visitor counts once a day; bots and previews do not count.`;

/** A file of what the page shows. */
export const VisitsExport = ({ path, period }: ChartView) => (
  <Exports state={{ path, query: { days: period } }} formats={["csv"]} what="figures" />
);

/** The part that changes with the period. */
export const Visits = (view: ChartView) => {
  const hint = headingOf(view.period, view.start, view.dates);
  return (
    <div class="stack" id="visits">
      <OverTime {...view} />
      {view.top && <TopItems {...view.top} noun={view.noun} hint={hint} />}
      {view.noun === "view" && <Referrers {...view} items={view.referrers} hint={hint} />}
    </div>
  );
};

const OverTime = (view: ChartView) => {
  const { counts, noun, period } = view;
  const sum = counts.reduce((a, b) => a + b, 0);
  const name = noun === "view" ? "Views" : "Clicks";
  const series = { name, words: (n: number) => plural(n, noun), counts };
  return (
    <section class="card" aria-labelledby="visits-title">
      <header>
        <h2 id="visits-title">Over time</h2>
        <PeriodLinks path={view.path} period={period} target="visits" />
      </header>
      <div class="body">
        {counts.length < 2 ? (
          <p class="muted">{tooFew(view)}</p>
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

/** In place of a chart of less than two days. */
function tooFew({ noun, period, counts }: ChartView): string {
  const [count] = counts;
  if (period === "last-month")
    return count === undefined ? `No ${noun}s were counted by day then.` : `${plural(count, noun)}, on its last day.`;
  const start = count === undefined ? `No ${noun}s counted by day yet.` : `${plural(count, noun)} today.`;
  return `${start} The chart starts on the second day.`;
}
