import { z } from "zod";
import * as apiKeys from "../../../db/access/keys/api-keys";
import { expiringBefore } from "../../../db/access/keys/expiry";
import * as audit from "../../../db/audit";
import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import * as broadcastList from "../../../db/broadcasts/list";
import * as messageList from "../../../db/contact/list";
import { latestOf } from "../../../db/contact/conversation";
import * as messages from "../../../db/contact/messages";
import type { Db } from "../../../db/engine/open";
import { dayMs, dayOf } from "../../../db/lib/time";
import * as hourlyLimits from "../../../db/limits/hourly-limits";
import { stats as mailStats } from "../../../db/mail/stats";
import { type Growth as ListGrowth, growthSince, type SubscriberDay } from "../../../db/newsletter/counts";
import * as scanner from "../../../db/newsletter/scanner";
import { openAlerts } from "../../../db/ops/alerts";
import { archivingOf, backupRecipient, backupState, isBackupOverdue } from "../../../db/ops/backup-state";
import * as overview from "../../../db/overview";
import { counts as countPosts } from "../../../db/posts/list";
import { listSequences } from "../../../db/sequences/sequences";
import * as endpoints from "../../../db/webhooks/endpoints";
import type { AssetName } from "../../../views/assets";
import type { Frame } from "../../../views/components/frame";
import { Time } from "../../../views/components/time";
import { forgottenAfter } from "../../../views/dashboard/access/api-keys";
import type { BackupsView } from "../../../views/dashboard/overview/backups";
import { changeOf, type GrowthDay, type GrowthView } from "../../../views/dashboard/overview/growth";
import { FirstRun, OverviewPage, Running, type Warning } from "../../../views/dashboard/overview/overview";
import { PartOverview } from "../../../views/dashboard/overview/part";
import { Story } from "../../../views/dashboard/overview/story";
import { paths } from "../../../views/paths";
import { readPostUrl } from "../../content/post-url";
import { isLive } from "../../mail/open";
import { leftOf } from "../broadcasts/run";
import type { Deps } from "../deps";
import { frameOf, isPartial, pages } from "../pages";
import { type ChartPeriod, ChartQuery, daysOf } from "../period";
import { forAnalysts, forEveryone, forManagers } from "../permissions";
import { part, show } from "../responses";
import { firstSteps, showFirstSteps } from "./first-steps";
import { milestoneOf, storyOf } from "./story";
import {
  alertLines,
  endsSoonDays,
  limitWarnings,
  pausedLines,
  pausedSequences,
  plannedLines,
  warningsOf,
} from "./warnings";

const Choice = z.object({ firstSteps: z.enum(["shown", "hidden"]) });

/** `/dashboard`: what is new, what needs attention, figures, and how the list grew. */
export const overviewDashboard = (deps: Deps) =>
  pages(paths.overview, deps, forEveryone).get("/", ({ request, query }) =>
    showOverview(deps, request, ChartQuery.parse(query).days),
  );

export const runningDashboard = (deps: Deps) =>
  pages(paths.overview, deps, forAnalysts).get("/running", () => showRunning(deps));

export const firstStepsDashboard = (deps: Deps) =>
  pages(paths.overview, deps, forManagers).post(
    "/first-steps",
    ({ request, body }) => showFirstSteps(deps, request, body.firstSteps),
    { body: Choice },
  );

async function showOverview(deps: Deps, request: Request, period: ChartPeriod) {
  const { config, db } = deps;
  const frame = await frameOf(deps, request);
  const { now: at } = frame;
  if (!frame.may(paths.contact)) return showPart(deps, request, frame, period);
  const growth = await growthFor(db, frame, period);
  const story = await storyOf(db, frame, period, growth);
  if (isPartial(request)) return part(<Story {...story} />);
  const [progress, storage] = await Promise.all([overview.progress(db, at), overview.storage(db, at)]);
  const [{ emails, ...news }, concerns, broadcasts, planned] = await Promise.all([
    latest(deps, at),
    concernsOf(db, at),
    broadcastList.underWay(db),
    broadcastList.list(db, { tab: "scheduled" }, { page: 1, per: 5 }),
  ]);
  const steps = firstSteps(frame, { config, progress, storage });
  const title = "Overview";
  const greeting = greet(frame);
  const isFirstRun = !progress.hasSubscriber && news.messages.length === 0 && steps.length > 0;
  if (isFirstRun) return show({ frame, title }, <FirstRun frame={frame} greeting={greeting} steps={steps} />);

  const backups = await backupsOf(deps, frame);
  const warnings = [
    ...backups.warnings,
    ...alertLines(await openAlerts(db)),
    ...pausedLines(broadcasts),
    ...pausedSequences(await listSequences(db)),
    ...plannedLines(planned.rows, frame),
    ...limitWarnings({ ...concerns, awaitingTurn: emails.awaitingTurn }, frame),
    ...warningsOf({
      ...concerns,
      isSimulated: !isLive(config),
      lacksBlog: progress.isPublishing && !(await readPostUrl(deps)).isKnown,
      emails,
      storage,
      at,
    }),
  ];
  const figures = {
    story,
    milestone: milestoneOf(growth, dayOf(at)),
    backups: backups.view,
    runs: await runsOf(deps, broadcasts),
  };
  const extras: AssetName[] = figures.runs.length ? ["broadcasts.css", "poll.js"] : [];
  return show(
    { frame, title, extras },
    <OverviewPage frame={frame} greeting={greeting} steps={steps} warnings={warnings} {...figures} {...news} />,
  );
}

/** Visitors may name a source as they like. One that looks like an address is not for those who see only figures. */
async function growthFor(db: Db, { now, preferences, may }: Frame, period: ChartPeriod): Promise<GrowthView> {
  const growth = await growthOf(db, period, now);
  const isLinked = may(paths.newsletter);
  const sources = growth.sources.filter(({ source }) => isLinked || !source.includes("@"));
  return { ...growth, sources, dates: preferences.dates, isLinked };
}

/** The figures that the manager's role includes. */
async function showPart(deps: Deps, request: Request, frame: Frame, period: ChartPeriod) {
  const { db } = deps;
  const seesNewsletter = frame.may(paths.broadcasts);
  const growth = seesNewsletter ? await growthFor(db, frame, period) : undefined;
  const story = await storyOf(db, frame, period, growth);
  if (isPartial(request)) return part(<Story {...story} />);
  const [posts, runs] = await Promise.all([
    frame.may(paths.posts) ? countPosts(db, frame.now) : undefined,
    seesNewsletter ? runsOf(deps, await broadcastList.underWay(db)) : [],
  ]);
  const milestone = growth && milestoneOf(growth, dayOf(frame.now));
  const view = { frame, greeting: greet(frame), story, posts, runs, milestone };
  const extras: AssetName[] = runs.length ? ["broadcasts.css", "poll.js"] : [];
  return show({ frame, title: "Overview", extras }, <PartOverview {...view} />);
}

/** What may need a manager's attention. */
async function concernsOf(db: Db, at: Date) {
  const [scanned, reached, quarantined, idleKeys, endingKeys, webhooks] = await Promise.all([
    scanner.countScanned(db),
    hourlyLimits.recentlyReached(db, dayMs, at),
    messages.countQuarantined(db),
    apiKeys.idleSince(db, new Date(at.getTime() - forgottenAfter * dayMs), at),
    expiringBefore(db, new Date(at.getTime() + endsSoonDays * dayMs), at),
    endpoints.list(db),
  ]);
  return { scanned, reached, quarantined, idleKeys, endingKeys, endpoints: webhooks };
}

const maxEvents = 60; // before equal ones are put together

async function latest({ db }: Deps, at: Date) {
  const [unread, emails, inbox, events] = await Promise.all([
    messages.unread(db),
    mailStats(db, at),
    messageList.list(db, { box: "inbox" }, { page: 1, per: 5 }),
    audit.latest(db, maxEvents),
  ]);
  const ids = inbox.rows.map(({ id }) => id);
  return { unread, emails, messages: inbox.rows, latest: await latestOf(db, ids), events };
}

/** A greeting by the manager's time of day, with the name if there is one. */
function greet({ now, manager, preferences }: Frame): string {
  const { hour } = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(preferences.timeZone);
  const part = hour < 5 ? "evening" : hour < 12 ? "morning" : hour < 18 ? "afternoon" : "evening";
  const [name] = manager.name.split(/\s/);
  return name ? `Good ${part}, ${name}` : `Good ${part}`;
}

/** The broadcasts being sent, for Overview. */
const runsOf = ({ db, now }: Deps, broadcasts: Broadcast[]) =>
  Promise.all(
    broadcasts
      .filter(({ state }) => state === "sending")
      .map(async (broadcast) => ({ broadcast, left: (await leftOf(db, broadcast, now()))?.words })),
  );

const showRunning = async (deps: Deps) =>
  part(<Running runs={await runsOf(deps, await broadcastList.underWay(deps.db))} />);

/** How the list grew in a period, from the first day with any data; in all, from the first that was counted here. */
export async function growthOf(db: Db, period: ChartPeriod, at: Date): Promise<Omit<GrowthView, "dates" | "isLinked">> {
  const today = dayOf(at);
  const { from: first, to } = daysOf(period, today);
  const growth = await growthSince(db, first, to);
  const { sources, firstDay, countedFrom } = growth;
  const start = period === "all" && countedFrom !== null && countedFrom < today ? countedFrom : firstDay;
  const from = Math.min(Math.max(first, start ?? today), today);
  const days = totalsOf(growth, from, today).filter(({ day }) => day <= to);
  return { period, active: days.at(-1)?.total ?? growth.active, sources, days };
}

const noChange = { joined: 0, imported: 0, unsubscribed: 0, suppressed: 0, deleted: 0, paused: 0, added: 0 };

/**
 * Each day with the number of active subscribers at its end, counted back from today's. Imported people are on the list
 * from the import: who else was on another list when they joined it, and has left it since, is not known.
 */
function totalsOf({ active, days, countedFrom }: ListGrowth, from: number, to: number): GrowthDay[] {
  const changes = new Map<number, SubscriberDay>(days.map((day) => [day.day, day]));
  const all: GrowthDay[] = [];
  let total = active;
  for (let day = to; day >= from; day--) {
    const change = changes.get(day) ?? { ...noChange, day };
    all.push({ ...change, total: day >= (countedFrom ?? from) ? Math.max(0, total) : undefined });
    total -= changeOf(change);
  }
  return all.reverse();
}

const verifyEveryMs = 90 * dayMs;

/** The line about backups, and a warning if no copy was good for two periods. */
async function backupsOf(
  { config, db }: Pick<Deps, "config" | "db">,
  frame: Frame,
): Promise<{ view: BackupsView; warnings: Warning[] }> {
  const archiving = await archivingOf(db);
  if (archiving) return { view: { kind: "archive", ...archiving }, warnings: [] };
  if (!config.BACKUP_URL) return { view: { kind: "off" }, warnings: [] };
  const state = await backupState(db);
  const { last, problem, verifiedAt = 0 } = state;
  const isVerified = frame.now.getTime() - verifiedAt < verifyEveryMs;
  const hasKey = (await backupRecipient(db)) !== undefined;
  const view: BackupsView = hasKey ? { kind: "copies", last, problem, isVerified } : { kind: "no-key" };
  const isOverdue = isBackupOverdue(state, config.BACKUP_EVERY, frame.now);
  return { view, warnings: isOverdue ? [overdue(last?.at, frame)] : [] };
}

const overdue = (at: number | undefined, frame: Frame): Warning => ({
  isBad: true,
  text:
    at === undefined ? (
      "There is no good backup."
    ) : (
      <>
        There is no good backup since <Time at={new Date(at)} clock={frame} />.
      </>
    ),
  link: { href: "#backups-title", text: "View the reason" },
});
