import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import type { Db } from "../../../db/engine/open";
import { ledgerOf } from "../../../db/broadcasts/ledger";
import { countUnderWay, recentPerSecond } from "../../../db/broadcasts/report/progress";
import * as postEdits from "../../../db/posts/edit";
import type { Frame } from "../../../views/components/frame";
import { ReportPage } from "../../../views/dashboard/broadcasts/report/report";
import { Progress, type RunView } from "../../../views/dashboard/broadcasts/run/progress";
import { RunPage } from "../../../views/dashboard/broadcasts/run/run";
import { titleOf } from "../../../views/dashboard/broadcasts/state";
import type { AssetName } from "../../../views/assets";
import type { Deps } from "../deps";
import { fragment } from "../../http/response";
import { senderOf } from "../../mail/headers";
import { frameOf } from "../pages";
import { show } from "../responses";
import { daysOfReport } from "./report-days";
import { aboutTime } from "./duration";
import { audienceWords } from "./audience/words";

const extras: AssetName[] = ["broadcasts.css", "progress.js"];
const ended: Broadcast["state"][] = ["sent", "cancelled"];

/** The page of a confirmed broadcast: its progress, or its report. */
export async function showRun(deps: Deps, request: Request, broadcast: Broadcast) {
  const frame = await frameOf(deps, request);
  return show({ frame, title: titleOf(broadcast), extras }, await content(deps, frame, broadcast));
}

/** The figures alone, every two seconds; the whole page if the state has changed. */
export async function followRun(deps: Deps, request: Request, broadcast: Broadcast, shown: string | undefined) {
  const frame = await frameOf(deps, request);
  if (broadcast.state === shown && !ended.includes(broadcast.state))
    return fragment(<Progress {...await runView(deps, frame, broadcast)} />);
  const headers = { "hx-retarget": "#broadcast", "hx-reswap": "outerHTML" };
  return fragment(await content(deps, frame, broadcast), 200, headers);
}

async function content(deps: Deps, frame: Frame, broadcast: Broadcast) {
  const view = await runView(deps, frame, broadcast);
  if (!ended.includes(broadcast.state)) return <RunPage {...view} />;
  return <ReportPage {...view} days={await daysOfReport(deps, broadcast)} />;
}

async function runView({ config, db }: Deps, frame: Frame, broadcast: Broadcast): Promise<RunView> {
  const [[words = ""], left, underWay, post] = await Promise.all([
    audienceWords(db, [broadcast], frame.preferences),
    leftOf(db, broadcast, frame.now),
    countUnderWay(db, broadcast, frame.now),
    broadcast.postId ? postEdits.byId(db, broadcast.postId) : undefined,
  ]);
  return {
    frame,
    broadcast,
    audienceWords: words,
    left,
    underWay,
    from: senderOf(config.MAIL_FROM),
    isPostNewer: Boolean(post && broadcast.postVersion !== null && post.version !== broadcast.postVersion),
  };
}

/** How long sending will take at the current pace; undefined until that is known. */
export async function leftOf(db: Db, broadcast: Broadcast, now: Date): Promise<RunView["left"]> {
  const perSecond = await recentPerSecond(db, broadcast, now);
  if (!perSecond) return;
  const seconds = ledgerOf(broadcast).waiting / perSecond;
  return { perSecond, words: aboutTime(seconds), endsAt: new Date(now.getTime() + seconds * 1_000) };
}
