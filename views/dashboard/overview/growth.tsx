import type { SourceOfGrowth, SubscriberDay } from "../../../db/newsletter/counts";
import { BarChart } from "../../components/charts/bar-chart";
import { LineChart, type Mark } from "../../components/charts/line-chart";
import { bucketsOf, dayName, inPeriod, type Period, signed } from "../../components/charts/period";
import { rounded } from "../../components/charts/plot";
import { number, plural } from "../../components/list";
import type { DateStyle } from "../../components/time";
import type { Child } from "../../jsx/jsx-runtime";
import { paths } from "../../paths";

/** A day, with the number of active subscribers at its end; undefined if it is not known. */
export type GrowthDay = SubscriberDay & { total: number | undefined };

/** By how many the list changed on a day. Imported people are on it from the day of the import. */
export const changeOf = ({ joined, imported, added, unsubscribed, suppressed, deleted, paused }: SubscriberDay) =>
  joined - imported + added - unsubscribed - suppressed - deleted - paused;

const sumOf = (days: SubscriberDay[], of: Exclude<keyof SubscriberDay, "day">) =>
  days.reduce((sum, day) => sum + day[of], 0);

/** The columns between the day and the total. That of pauses is there once somebody pauses. */
const columnsOf = (days: SubscriberDay[]): [title: string, figure: (of: SubscriberDay[]) => number][] => [
  ["Joined", (of) => sumOf(of, "joined") - sumOf(of, "imported")],
  ["Imported", (of) => sumOf(of, "added")],
  ["Unsubscribed", (of) => sumOf(of, "unsubscribed")],
  ["Suppressed", (of) => sumOf(of, "suppressed")],
  ["Deleted", (of) => sumOf(of, "deleted")],
  ...(days.some(({ paused }) => paused !== 0)
    ? [["Paused", (of) => sumOf(of, "paused")] satisfies [string, (of: SubscriberDay[]) => number]]
    : []),
];

/**
 * The same figures, newest first. In each row, the previous total and the changes add up to the new total: imported people
 * are in the row of the import.
 */
const GrowthTable = ({ days, dates }: { days: GrowthDay[]; dates: DateStyle }) => {
  const first = days[0]?.day ?? 0;
  const { buckets, unit } = bucketsOf(first, first + days.length - 1, dates);
  const columns = columnsOf(days);
  return (
    <div class="scroll-x" role="region" aria-label="Subscribers as a table" tabindex="0">
      <table class="table">
        <caption class="sr">Subscribers, newest first. Days are in UTC.</caption>
        <thead>
          <tr>
            <th scope="col">{unit}</th>
            {columns.map(([title]) => (
              <th scope="col" class="num">
                {title}
              </th>
            ))}
            <th scope="col" class="num">
              Active
            </th>
          </tr>
        </thead>
        <tbody>
          {buckets.toReversed().map(({ from, to, name }) => (
            <Row name={name} columns={columns} days={days.slice(from - first, to - first + 1)} />
          ))}
        </tbody>
      </table>
    </div>
  );
};

type RowProps = { name: string; columns: ReturnType<typeof columnsOf>; days: GrowthDay[] };

const Row = ({ name, columns, days }: RowProps) => {
  const figures = columns.map(([, figure]) => figure(days));
  return (
    <tr>
      <th scope="row">{name}</th>
      {[...figures, days.at(-1)?.total].map((figure) =>
        figure === undefined ? <td class="num none">Not known</td> : <td class="num">{number(figure)}</td>,
      )}
    </tr>
  );
};

/** Where those who joined came from: the largest sources, and the rest together. */
type SourcesProps = { sources: SourceOfGrowth[]; joined: number; isLinked: boolean };

const Sources = ({ sources, joined, isLinked }: SourcesProps) => {
  if (!joined) return null;
  const others = joined - sources.reduce((sum, source) => sum + source.joined, 0);
  return (
    <div class="sources">
      <h3>Joined from</h3>
      <ul class="shares">
        {sources.map(({ source, joined: count }) => (
          <Source count={count} of={joined}>
            {source && !isLinked ? (
              source
            ) : source ? (
              <a href={`${paths.newsletter}?source=${encodeURIComponent(source)}`}>{source}</a>
            ) : (
              <span class="none">No source</span>
            )}
          </Source>
        ))}
        {others > 0 && (
          <Source count={others} of={joined}>
            Other sources
          </Source>
        )}
      </ul>
    </div>
  );
};

type SourceProps = { count: number; of: number; children: Child };

const Source = ({ count, of, children }: SourceProps) => (
  <li>
    <span class="wrap">{children}</span>
    <span class="num">{number(count)}</span>
    <svg class="share" aria-hidden="true">
      <rect class="rest" width="100%" height="100%" />
      <rect class="one" width={`${rounded((100 * count) / of)}%`} height="100%" />
    </svg>
  </li>
);

export type GrowthView = {
  period: Period;
  /** At the end of the period. */
  active: number;
  dates: DateStyle;
  /** Every day of the period, from the first one with any data. */
  days: GrowthDay[];
  sources: SourceOfGrowth[];
  /** Whether each source leads to its people. */
  isLinked: boolean;
};

/** How the list grew: in a sentence, as charts, as a table, and by source. */
export const Growth = (view: GrowthView) => (
  <section class="card" aria-labelledby="growth-title">
    <header>
      <h3 id="growth-title">Subscribers</h3>
      <span class="hint">Days in UTC</span>
    </header>
    <div class="body">
      {hasEnded(view) && view.days.every(({ total }) => total === undefined) ? (
        <p class="muted">How many subscribers there were is not known: they were counted later.</p>
      ) : view.days.length < 2 ? (
        <p class="muted">{tooFew(view)}</p>
      ) : (
        <Pictures {...view} />
      )}
    </div>
  </section>
);

const hasEnded = ({ period }: GrowthView) => period === "last-month";

/** In place of a chart of less than two days. */
const tooFew = (view: GrowthView) =>
  hasEnded(view)
    ? `${plural(view.active, "active subscriber")} at the end of the month. Your list began on its last day.`
    : "The chart of your subscribers starts on the second day.";

const Pictures = (view: GrowthView) => {
  const { days, period, sources, dates, isLinked } = view;
  return (
    <div class="growth">
      <figure class="chart">
        <Account {...view} />
        <Total days={days} dates={dates} />
        {(period === "7" || period === "30" || period === "last-month") && <Traffic days={days} dates={dates} />}
        <details>
          <summary>Show as a table</summary>
          <GrowthTable days={days} dates={dates} />
        </details>
      </figure>
      <Sources sources={sources} joined={sumOf(days, "joined")} isLinked={isLinked} />
    </div>
  );
};

/** The change of the total, since the first day on which it is known: "+12 in 30 days", "+3 since 11 Nov 2026". */
function changeIn(view: GrowthView): string {
  const { days, period, dates } = view;
  const [first] = days;
  const counted = first?.total === undefined ? days.filter(({ total }) => total !== undefined) : days;
  const isWhole = counted.length === days.length;
  const changes = (isWhole ? counted : counted.slice(1)).reduce((sum, day) => sum + changeOf(day), 0);
  if (isWhole) return `${signed(changes)} ${inPeriod(period)}`;
  const start = dayName(counted[0]?.day ?? 0, "full", dates);
  return `${signed(changes)} ${hasEnded(view) ? `from ${start} to the end of the month` : `since ${start}`}`;
}

/** The change of the total, and what caused it. */
const Account = (view: GrowthView) => {
  const { days, active } = view;
  const [joined, imported, added] = [sumOf(days, "joined"), sumOf(days, "imported"), sumOf(days, "added")];
  const [unsubscribed, deleted] = [sumOf(days, "unsubscribed"), sumOf(days, "deleted")];
  const [suppressed, paused] = [sumOf(days, "suppressed"), sumOf(days, "paused")];
  return (
    <figcaption class="dot-row" data-announce>
      <span>
        <strong>{number(active)}</strong> active{hasEnded(view) && " at the end of the month"}
      </span>
      <span class="change">{changeIn(view)}</span>
      <span>
        {number(joined)} joined{imported > 0 && `, ${number(imported)} of them imported`}
      </span>
      {added > 0 && added !== imported && <span>{number(added)} added by import</span>}
      <span>{number(unsubscribed)} unsubscribed</span>
      {suppressed !== 0 && <span>{number(suppressed)} suppressed</span>}
      {paused > 0 && <span>{number(paused)} paused</span>}
      {paused < 0 && <span>{number(-paused)} resumed</span>}
      {deleted > 0 && <span>{number(deleted)} deleted</span>}
    </figcaption>
  );
};

type DaysProps = { days: GrowthDay[]; dates: DateStyle };

const Total = ({ days, dates }: DaysProps) => {
  const marks = marksOf(days);
  return (
    <>
      <LineChart
        id="total"
        name="Active subscribers"
        from={days[0]?.day ?? 0}
        values={days.map(({ total }) => total)}
        marks={marks}
        dates={dates}
        about={marks.map(({ index, text }) => `${text}, ${dayName(days[index]?.day ?? 0, "long", dates)}.`).join(" ")}
      />
      {marks.length > 1 && (
        <ol class="marks">
          {marks.map(({ index, text }) => (
            <li>
              {text}, {dayName(days[index]?.day ?? 0, "full", dates)}
            </li>
          ))}
        </ol>
      )}
    </>
  );
};

const maxMarks = 6;

/** The largest imports, in order of time. */
const marksOf = (days: GrowthDay[]): Mark[] =>
  days
    .map(({ added }, index) => ({ added, index }))
    .filter(({ added }) => added > 0)
    .sort((a, b) => b.added - a.added)
    .slice(0, maxMarks)
    .sort((a, b) => a.index - b.index)
    .map(({ added, index }) => ({ index, text: `Import of ${plural(added, "person", "people")}` }));

/** Who joined, upwards, and who left, downwards. */
const Traffic = ({ days, dates }: DaysProps) => {
  const [joined, left] = [sumOf(days, "joined"), sumOf(days, "unsubscribed")];
  return (
    <>
      <p class="key">
        <span>Joined</span>
        <span class="went">Unsubscribed</span>
      </p>
      <BarChart
        id="traffic"
        title="Joined and unsubscribed by day"
        summary={`${plural(joined, "person", "people")} joined and ${number(left)} unsubscribed.`}
        to={days.at(-1)?.day ?? 0}
        dates={dates}
        bars={days.map(({ day, joined: value, unsubscribed: below }) => ({
          day,
          value,
          below,
          text: `${dayName(day, "full", dates)}: ${number(value)} joined, ${number(below)} unsubscribed`,
        }))}
      />
    </>
  );
};
