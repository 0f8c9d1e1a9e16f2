import type { Db } from "../../../db/engine/open";
import { z } from "zod";
import * as apiKeys from "../../../db/access/keys/api-keys";
import { expiringBefore } from "../../../db/access/keys/replace";
import { underWay } from "../../../db/broadcasts/list";
import { countQuarantined } from "../../../db/contact/quarantine";
import * as hourlyLimits from "../../../db/limits/hourly-limits";
import * as audit from "../../../db/audit";
import * as messages from "../../../db/contact/messages";
import * as messageList from "../../../db/contact/list";
import { stats as mailStats } from "../../../db/mail/stats";
import { progress as firstProgress } from "../../../db/overview";
import { dayOf } from "../../../db/lib/time";
import { countJoined } from "../../../db/newsletter/growth";
import * as endpoints from "../../../db/webhooks/endpoints";
import * as overview from "../../../db/overview";
import * as scanner from "../../../db/newsletter/scanner";
import type { Frame } from "../../../views/components/frame";
import { forgottenAfter } from "../../../views/dashboard/access/api-keys";
import { Growth } from "../../../views/dashboard/overview/growth";
import { FirstRun, OverviewPage } from "../../../views/dashboard/overview/overview";
import type { Deps } from "../deps";
import { isLive } from "../../mail/open";
import { ChartQuery, type ChartPeriod } from "../period";
import { part, show } from "../responses";
import { frameOf, isPartial, pages } from "../pages";
import { pausedLines } from "./broadcast-lines";
import { growthOf } from "./growth";
import { limitWarnings } from "./limit-warnings";
import { firstSteps, showFirstSteps } from "./first-steps";
import { endsSoonDays, warningsOf } from "./warnings";
import { runsOf, showRunning } from "./running";
import type { AssetName } from "../../../views/assets";
import { paths } from "../../../views/paths";

const day = 86_400_000; // ms

const Choice = z.object({ firstSteps: z.enum(["shown", "hidden"]) });

/** `/dashboard`: what is new, what needs attention, figures, and how the list grew. */
export const overviewDashboard = (deps: Deps) =>
  pages(paths.overview, deps)
    .get("/", ({ request, query }) => showOverview(deps, request, ChartQuery.parse(query).days))
    .get("/running", () => showRunning(deps))
    .post("/first-steps", ({ request, body }) => showFirstSteps(deps, request, body.firstSteps), { body: Choice });

async function showOverview(deps: Deps, request: Request, period: ChartPeriod) {
  const { config, db } = deps;
  const frame = await frameOf(deps, request);
  const { now: at, preferences } = frame;
  const growth = { ...(await growthOf(db, period, at)), dates: preferences.dates };
  if (isPartial(request)) return part(<Growth {...growth} />);
  const [progress, storage] = await Promise.all([firstProgress(db, at), overview.storage(db, at)]);
  const [{ mails, ...news }, concerns, broadcasts] = await Promise.all([
    latest(deps, at),
    concernsOf(db, at),
    underWay(db),
  ]);
  const steps = firstSteps(frame, { config, progress, storage });
  const title = "Overview";
  const greeting = greet(frame);
  const isFirstRun = !progress.hasSubscriber && news.messages.length === 0 && steps.length > 0;
  if (isFirstRun) return show({ frame, title }, <FirstRun frame={frame} greeting={greeting} steps={steps} />);

  const warnings = [
    ...pausedLines(broadcasts),
    ...limitWarnings({ ...concerns, awaitingTurn: mails.awaitingTurn }, frame),
    ...warningsOf({
      ...concerns,
      isSimulated: !isLive(config),
      lacksBlog: progress.isPublishing && !config.hasBlog,
      mails,
      storage,
      at,
    }),
  ];
  const figures = {
    failedMails: mails.failedLately,
    storage,
    growth,
    joinedLately: await countJoined(db, dayOf(at) - 6),
    runs: await runsOf(deps, broadcasts),
  };
  const extras: AssetName[] = figures.runs.length ? ["broadcasts.css", "poll.js"] : [];
  return show(
    { frame, title, extras },
    <OverviewPage frame={frame} greeting={greeting} steps={steps} warnings={warnings} {...figures} {...news} />,
  );
}

/** What may need a manager's attention. */
async function concernsOf(db: Db, at: Date) {
  const [scanned, reached, quarantined, idleKeys, endingKeys, webhooks] = await Promise.all([
    scanner.countScanned(db),
    hourlyLimits.recentlyReached(db, day, at),
    countQuarantined(db),
    apiKeys.idleSince(db, new Date(at.getTime() - forgottenAfter * day), at),
    expiringBefore(db, new Date(at.getTime() + endsSoonDays * day), at),
    endpoints.list(db),
  ]);
  return { scanned, reached, quarantined, idleKeys, endingKeys, endpoints: webhooks };
}

async function latest({ db }: Deps, at: Date) {
  const [unread, mails, inbox, events] = await Promise.all([
    messages.unread(db),
    mailStats(db, at),
    messageList.list(db, { box: "inbox" }, { page: 1, per: 5 }),
    audit.latest(db, 5),
  ]);
  return { unread, mails, messages: inbox.rows, events };
}

/** A greeting by the manager's time of day, with the name if there is one. */
function greet({ now, manager, preferences }: Frame): string {
  const { hour } = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(preferences.timeZone);
  const part = hour < 5 ? "evening" : hour < 12 ? "morning" : hour < 18 ? "afternoon" : "evening";
  const [name] = manager.name.split(/\s/);
  return name ? `Good ${part}, ${name}` : `Good ${part}`;
}
