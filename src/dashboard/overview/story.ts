import * as broadcastList from "../../../db/broadcasts/list";
import { countedSince, countsOn, keptDays, largestOn } from "../../../db/visits";
import type { Db } from "../../../db/engine/open";
import { type Days, dayOf } from "../../../db/lib/time";
import { visited } from "../../../db/posts/list";
import type { Counted } from "../../../views/components/charts/shares";
import type { Frame } from "../../../views/components/frame";
import { webPageOf } from "../../../views/dashboard/broadcasts/state";
import { changeOf, type GrowthView } from "../../../views/dashboard/overview/growth";
import type { LastBroadcast, Milestone, StoryView, Trend } from "../../../views/dashboard/overview/story";
import { paths } from "../../../views/paths";
import { type ChartPeriod, daysBefore, daysOf } from "../period";
import { referrersOf, withEmptyDays } from "../visits/visits";

/** What happened in a period, as far as the manager's role includes it. */
export async function storyOf(
  db: Db,
  frame: Frame,
  period: ChartPeriod,
  growth: GrowthView | undefined,
): Promise<StoryView> {
  const today = dayOf(frame.now);
  const days = daysOf(period, today);
  const [views, clicks, pages, viewed, referrers, last] = await Promise.all([
    trendOf(db, "view", period, today),
    trendOf(db, "click", period, today),
    growth && trendOf(db, "page", period, today),
    mostViewed(db, days),
    referrersOf(db, days, maxViewed),
    frame.may(paths.broadcasts) ? lastSent(db) : undefined,
  ]);
  const trends = [
    { label: "Views of posts", href: paths.postViews, ...views },
    { label: "Clicks of projects", href: paths.projectClicks, ...clicks },
    ...(pages ? [{ label: "Newsletters read on the web", href: paths.broadcasts, ...pages }] : []),
  ];
  return { frame, period, from: days.from, growth, trends, viewed, referrers, keptDays, last };
}

type Counts = Omit<Trend, "label" | "href">;

/** The counts of a period, and their sum in the one before it, if that was counted from its first day. */
async function trendOf(db: Db, kind: "view" | "click" | "page", period: ChartPeriod, today: number): Promise<Counts> {
  const since = await countedSince(db, kind);
  if (since === undefined) return { counts: undefined, before: undefined };
  const { from, to } = daysOf(period, today);
  const before = daysBefore(period, today);
  const rows = await countsOn(db, kind, { from: before?.from ?? from, to });
  const sum = rows.reduce((all, { day, count }) => (day < from ? all + count : all), 0);
  const inPeriod = rows.filter(({ day }) => day >= from);
  return {
    counts: withEmptyDays(inPeriod, Math.max(from, since), to),
    before: before && since <= before.from ? sum : undefined,
  };
}

const maxViewed = 5;

async function mostViewed(db: Db, days: Days): Promise<Counted[]> {
  const largest = await largestOn(db, "view", days, maxViewed);
  const posts = new Map(
    (
      await visited(
        db,
        largest.map(({ id }) => id),
      )
    ).map((post) => [post.id, post]),
  );
  return largest.flatMap(({ id, count }) => {
    const post = posts.get(id);
    return post && !post.deletedAt ? [{ href: paths.viewsOf(id), title: post.title, count }] : [];
  });
}

const latestFinished = 10;

/** The broadcast that was finished last, of the newest ones. */
async function lastSent(db: Db): Promise<LastBroadcast | undefined> {
  const { rows } = await broadcastList.list(db, { tab: "sent" }, { page: 1, per: latestFinished });
  const finishedAt = (row: (typeof rows)[number]) => row.finishedAt?.getTime() ?? 0;
  const [broadcast] = rows
    .filter((row) => row.state === "sent" && row.finishedAt)
    .sort((a, b) => finishedAt(b) - finishedAt(a));
  if (!broadcast) return;
  const { id, startedAt } = broadcast;
  if (!webPageOf(broadcast) || !startedAt) return { broadcast, visits: undefined };
  const counts = await countsOn(db, "page", { from: dayOf(startedAt) }, id);
  return { broadcast, visits: counts.reduce((sum, { count }) => sum + count, 0) };
}

const milestones = [1, 100, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000];
const celebratedDays = 7;

/** The largest milestone that people who joined reached lately. Imports reach none. */
export function milestoneOf({ days, period }: GrowthView, today: number): Milestone | undefined {
  const hasBegun = period === "all" || days.length < Number(period); // the list, within this period
  const reached = days.flatMap((day, at) => {
    const { total, added } = day;
    if (total === undefined || added > 0 || today - day.day >= celebratedDays) return [];
    const before = total - changeOf(day);
    return milestones
      .filter((count) => before < count && total >= count && (count > 1 || (hasBegun && at === 0)))
      .map((count) => ({ count, day: day.day }));
  });
  return reached.at(-1);
}
