import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { reportsOf, wentOutWhole } from "../../../db/broadcasts/ledger";
import { dayName, headingOf, type Period, PeriodLinks } from "../../components/charts/period";
import { Sparkline } from "../../components/charts/line-chart";
import { type Counted, Referrers, Shares } from "../../components/charts/shares";
import { Postmark } from "../../components/drawings";
import type { Frame } from "../../components/frame";
import { Icon } from "../../components/icon";
import { number, plural } from "../../components/list";
import { date, exactRange } from "../../components/time";
import { paths } from "../../paths";
import { handedOver, path as broadcastsPath, titleOf } from "../broadcasts/state";
import { Growth, type GrowthView } from "./growth";

/** Something that is counted by day. */
export type Trend = {
  label: string;
  href?: string | undefined;
  /** The days of the period, from the first that was counted: none if that was later. Undefined if nothing ever was. */
  counts: number[] | undefined;
  /** In the period before this one; undefined if that was not counted from its first day. */
  before: number | undefined;
};

export type LastBroadcast = { broadcast: Broadcast; visits: number | undefined };

export type StoryView = {
  frame: Frame;
  period: Period;
  /** The first day of the period. */
  from: number;
  growth: GrowthView | undefined;
  trends: Trend[];
  /** The posts with the most views in the period. */
  viewed: Counted[];
  /** The sites that the most views came from; undefined if none was ever named. */
  referrers: Counted[] | undefined;
  /** For how many days the sites are kept. */
  keptDays: number;
  last: LastBroadcast | undefined;
};

/** What happened in one period, which is chosen once for everything in it. */
export const Story = ({ frame, period, from, growth, trends, viewed, referrers, keptDays, last }: StoryView) => (
  <div id="growth" class="story">
    <header>
      <h2>{headingOf(period, from, frame.preferences.dates)}</h2>
      <PeriodLinks path={paths.overview} period={period} target="growth" />
    </header>
    {growth && <Growth {...growth} />}
    <dl class="card figures trends">
      {trends.map((trend) => (
        <TrendFigure {...trend} />
      ))}
    </dl>
    {last && <LastSent {...last} frame={frame} />}
    <div class="columns overview">
      <MostViewed viewed={viewed} />
      <Referrers items={referrers} period={period} keptDays={keptDays} />
    </div>
  </div>
);

const TrendFigure = ({ label, href, counts, before }: Trend) => {
  const total = counts?.length ? counts.reduce((a, b) => a + b, 0) : undefined;
  const [none, why] = counts ? ["Not known", "Counting began later"] : ["None yet", "Counting starts with the first"];
  return (
    <div>
      <dt>{href ? <a href={href}>{label}</a> : label}</dt>
      <dd class={total === undefined ? "value unknown" : "value"}>{total === undefined ? none : number(total)}</dd>
      <dd class="about">{total === undefined ? why : comparedWith(total, before)}</dd>
      {counts && (
        <dd>
          <Sparkline values={counts} />
        </dd>
      )}
    </div>
  );
};

const comparedWith = (total: number, before: number | undefined) =>
  before === undefined ? (
    "The time before was not counted"
  ) : (
    <>
      {before > 0 && <span class={total >= before ? "up" : "down"}>{share(total, before)} </span>}
      from {number(before)}
    </>
  );

/** "+12%", "−3%". */
function share(total: number, before: number): string {
  const percent = Math.round((100 * (total - before)) / before);
  return `${percent < 0 ? "−" : "+"}${number(Math.abs(percent))}%`;
}

const MostViewed = ({ viewed }: { viewed: Counted[] }) => (
  <section class="card" aria-labelledby="viewed-title">
    <header>
      <h2 id="viewed-title">Most viewed</h2>
      <a href={paths.postViews}>All views</a>
    </header>
    <div class="body">
      {viewed.length === 0 ? (
        <p class="muted">No post had views in this time.</p>
      ) : (
        <Shares items={viewed} noun="view" />
      )}
    </div>
  </section>
);

const LastSent = ({ broadcast, visits, frame }: LastBroadcast & { frame: Frame }) => {
  const { id, startedAt, finishedAt, unsubscribed } = broadcast;
  const { delivered } = reportsOf(broadcast);
  const isWhole = wentOutWhole(broadcast);
  const facts: [name: string, count: number | undefined][] = [
    ["Handed over", handedOver(broadcast)],
    ["Delivered", delivered],
    ["Visits", visits],
    ["Unsubscribed", unsubscribed],
  ];
  return (
    <section class="card last-sent" aria-labelledby="last-title">
      <header>
        <h2 id="last-title">Last broadcast</h2>
        <a href={`${broadcastsPath}/${id}`}>Report</a>
      </header>
      <div class="body">
        {finishedAt && isWhole && <Postmark day={date(finishedAt, frame.preferences)} />}
        <h3 class="wrap">{titleOf(broadcast)}</h3>
        <p class="hint">
          {finishedAt && exactRange(startedAt ?? finishedAt, finishedAt, frame.preferences)}.
          {isWhole && " Every email was accepted, none of them twice."}
        </p>
        <dl>
          {facts.map(
            ([name, count]) =>
              count !== undefined && (
                <div>
                  <dt>{name}</dt>
                  <dd>{number(count)}</dd>
                </div>
              ),
          )}
        </dl>
      </div>
    </section>
  );
};

/** A round number of subscribers that was reached lately, or the first of them. */
export type Milestone = { count: number; day: number };

/** Said once, without noise, for a week. */
export const Celebration = ({ milestone, frame }: { milestone: Milestone; frame: Frame }) => (
  <p class="milestone">
    <Icon name="circle-check" />
    <span>
      {milestone.count === 1
        ? "Your first subscriber joined"
        : `You have passed ${plural(milestone.count, "subscriber")}`}{" "}
      on {dayName(milestone.day, "full", frame.preferences.dates)}.
    </span>
  </p>
);
