import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { ledgerOf } from "../../../db/broadcasts/ledger";
import { countUnderWay, recentPerSecond } from "../../../db/broadcasts/report/progress";
import { countsOn } from "../../../db/visits";
import type { Db } from "../../../db/engine/open";
import { dayOf } from "../../../db/lib/time";
import { hourlyLimit } from "../../../db/limits/hourly-limits";
import { readSegment } from "../../../db/newsletter/segments/definition";
import { listSegments } from "../../../db/newsletter/segments/saved";
import * as postEdits from "../../../db/posts/edit";
import { sequenceOfStep } from "../../../db/sequences/sequences";
import type { AssetName } from "../../../views/assets";
import type { Frame } from "../../../views/components/frame";
import { number } from "../../../views/components/list";
import { type DaysOfReport, FiguresPage, ReportPage } from "../../../views/dashboard/broadcasts/report/report";
import { isWriter } from "../../../views/dashboard/broadcasts/broadcasts";
import { Progress, type RunView } from "../../../views/dashboard/broadcasts/run/progress";
import { RunPage } from "../../../views/dashboard/broadcasts/run/run";
import { StepPage } from "../../../views/dashboard/sequences/step";
import { isUnsent, titleOf, webPageOf } from "../../../views/dashboard/broadcasts/state";
import { fragment } from "../../http/response";
import { senderOf } from "../../mail/headers";
import { audienceWords } from "../segments/words";
import type { Deps } from "../deps";
import { frameOf } from "../pages";
import { show } from "../responses";
import { withEmptyDays } from "../visits/visits";

const extras: AssetName[] = ["broadcasts.css", "progress.js"];
const ended: Broadcast["state"][] = ["sent", "cancelled"];

/** The page of a confirmed broadcast: its progress, or its report. */
export async function showRun(deps: Deps, request: Request, broadcast: Broadcast) {
  const frame = await frameOf(deps, request);
  return show({ frame, title: titleOf(broadcast), extras }, await content(deps, frame, broadcast));
}

/** The figures alone, every two seconds; the whole page if the state has changed. */
export async function refreshRun(deps: Deps, request: Request, broadcast: Broadcast, stateOnPage: string | undefined) {
  const frame = await frameOf(deps, request);
  if (isWriter(frame) && broadcast.state === stateOnPage && !ended.includes(broadcast.state))
    return fragment(<Progress {...await runView(deps, frame, broadcast)} />);
  const headers = { "hx-retarget": "#broadcast", "hx-reswap": "outerHTML" };
  return fragment(await content(deps, frame, broadcast, true), 200, headers);
}

async function content(deps: Deps, frame: Frame, broadcast: Broadcast, isNews = false) {
  if (!isWriter(frame))
    return <FiguresPage frame={frame} broadcast={broadcast} days={await daysOfReport(deps, broadcast)} />;
  const view = { ...(await runView(deps, frame, broadcast)), isNews };
  const sequence = broadcast.kind === "step" ? await sequenceOfStep(deps.db, broadcast) : undefined;
  if (sequence) return <StepPage {...view} sequence={sequence} />;
  if (!ended.includes(broadcast.state)) return <RunPage {...view} />;
  return <ReportPage {...view} days={await daysOfReport(deps, broadcast)} />;
}

async function runView({ config, db }: Deps, frame: Frame, broadcast: Broadcast): Promise<RunView> {
  const [[words = ""], left, underWay, post, newerSegment] = await Promise.all([
    audienceWords(db, [broadcast], frame.preferences),
    leftOf(db, broadcast, frame.now),
    countUnderWay(db, broadcast, frame.now),
    broadcast.postId ? postEdits.byId(db, broadcast.postId) : undefined,
    newerSegmentOf(db, broadcast),
  ]);
  return {
    frame,
    broadcast,
    audienceWords: words,
    left,
    underWay,
    from: senderOf(config.MAIL_FROM),
    isPostNewer: Boolean(post && broadcast.postVersion !== null && post.version !== broadcast.postVersion),
    newerSegment,
  };
}

/** The name of the saved segment if it was changed since the broadcast to it was scheduled. */
async function newerSegmentOf(db: Db, { state, segmentRow, segment }: Broadcast): Promise<string | undefined> {
  if (state !== "scheduled" || segmentRow === null) return undefined;
  const saved = (await listSegments(db)).find(({ row }) => row === segmentRow);
  return saved && !Bun.deepEquals(readSegment(saved.definition), readSegment(segment)) ? saved.name : undefined;
}

/** How long sending will take at the current pace; undefined until that is known. */
export async function leftOf(db: Db, broadcast: Broadcast, now: Date): Promise<RunView["left"]> {
  const perSecond = await recentPerSecond(db, broadcast, now);
  if (!perSecond) return;
  const seconds = ledgerOf(broadcast).waiting / perSecond;
  return { perSecond, words: aboutTime(seconds), endsAt: new Date(now.getTime() + seconds * 1_000) };
}

const daysShown = 14;

/** What happened on each day since it was sent. Empty if nothing was. */
async function daysOfReport({ db, now }: Deps, broadcast: Broadcast): Promise<DaysOfReport | undefined> {
  const { id, startedAt } = broadcast;
  if (!startedAt || isUnsent(broadcast)) return;
  const from = dayOf(startedAt);
  const to = Math.min(dayOf(now()), from + daysShown - 1);
  const counts = async (kind: "page" | "unsubscribe") =>
    withEmptyDays(await countsOn(db, kind, { from, to }, id), from, to);
  const [views, unsubscribed] = await Promise.all([counts("page"), counts("unsubscribe")]);
  return { from, unsubscribed, views: webPageOf(broadcast) ? views : undefined };
}

/** How long sending takes at the current pace, and whose limit that is: "About 41 minutes, at 5 a second". */
export async function durationOf({ db, mail }: Deps, people: number): Promise<string> {
  const { provider, pace } = mail;
  if (provider.name === "simulated") return "A moment: emails are simulated";
  const perHour = await db.read((orm) => hourlyLimit(orm, "broadcastEmailsPerHour"));
  const fastest = provider.name === "smtp" ? undefined : pace.perSecond * provider.maxBatch;
  if (perHour && (!fastest || perHour / 3_600 < fastest))
    return `${aboutTime((people / perHour) * 3_600)}, at ${number(perHour)} an hour, which is your limit`;
  if (!fastest) return "As fast as your mail server accepts";
  const rounded = Math.max(1, Math.round(fastest));
  return `${aboutTime(people / fastest)}, at ${number(rounded)} a second, as fast as the provider allows`;
}

/** Rounds: below 1, 5 or 10 minutes, then to quarters of an hour, then to hours. */
export function aboutTime(seconds: number): string {
  const minutes = seconds / 60;
  if (minutes <= 1) return "Less than a minute";
  if (minutes <= 10) return `About ${Math.ceil(minutes)} minutes`;
  if (minutes <= 60) return `About ${Math.ceil(minutes / 5) * 5} minutes`;
  if (minutes <= 240) return `About ${Math.ceil(minutes / 15) / 4} hours`;
  return minutes <= 2_880 ? `About ${Math.ceil(minutes / 60)} hours` : `About ${Math.ceil(minutes / 1_440)} days`;
}
