import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { maxTestsPerHour } from "../../../db/broadcasts/rules";
import { ledgerOf, reportsOf } from "../../../db/broadcasts/ledger";
import { Badge } from "../../components/badge";
import type { Frame } from "../../components/frame";
import { exact, Time } from "../../components/time";
import { paths } from "../../paths";

export const path = paths.broadcasts;

/** Why no test email is sent any more. */
export const tooManyTests = `At most ${maxTestsPerHour} test emails can be sent in an hour. Try again later.`;

/** Says that a test is on its way, in the words that its email has on the page of emails. */
export const testQueued = (addresses: string[], isSimulated: boolean) =>
  `Test queued for ${addresses.join(", ")}.${isSimulated ? " It will be simulated." : ""}`;

export const titleOf = ({ subject }: Pick<Broadcast, "subject">) => subject || "No subject yet";

const badges = {
  draft: <Badge tone="off">Draft</Badge>,
  scheduled: <Badge tone="plan">Scheduled</Badge>,
  sending: <Badge tone="busy">Sending</Badge>,
  paused: <Badge tone="warn">Paused</Badge>,
  sent: <Badge tone="good">Sent</Badge>,
  cancelled: <Badge tone="off">Cancelled</Badge>,
};

/** The state of a broadcast as a badge. */
export const BroadcastBadge = ({ broadcast }: { broadcast: Broadcast }) =>
  isSimulated(broadcast) ? <Badge tone="off">Simulated</Badge> : badges[broadcast.state];

const reasons: Record<string, string> = {
  manager: "by a manager",
  missed: "the start was missed",
  restored: "restored from a backup",
  post: "its post is not public",
  segment: "the audience cannot be read",
  letter: "the email cannot be written",
  bounces: "too many bounced",
  complaints: "too many complaints",
  refused: "the provider refuses emails",
  credentials: "the provider rejects the key",
  quota: "the provider’s quota is used up",
  sequence: "with its sequence",
  late: "many people should have got it days ago",
};

/** Why it is paused: "too many bounced". */
export const reasonOf = ({ stateReason }: Broadcast) => reasons[stateReason ?? ""] ?? "";

/** How "is paused" goes on: " by a manager", or ": too many bounced". */
export const pauseOf = (broadcast: Broadcast) =>
  broadcast.stateReason === "manager" ? ` ${reasonOf(broadcast)}` : `: ${reasonOf(broadcast)}`;

/** Whether it is known how many bounced. Without any report, that is unknown, not zero. */
export const hasReports = (broadcast: Broadcast) => reportsOf(broadcast).bounced !== undefined;

/** Whether the provider got none of it, as after cancelling before the first email: then there is nothing to report. */
export const isUnsent = ({ accepted, uncertain, simulated }: Broadcast) => accepted + uncertain + simulated === 0;

/** Whether it went to the end and no one got it: without a provider, emails are only logged. */
export const isSimulated = ({ state, accepted, uncertain, simulated }: Broadcast) =>
  state === "sent" && simulated > 0 && accepted + uncertain === 0;

/** The URL of its web page once it was started. A post has a page of its own. */
export const webPageOf = ({ archive, kind, startedAt, slug }: Broadcast) =>
  archive !== "none" && kind === "own" && startedAt ? `/newsletter/${encodeURIComponent(slug)}` : undefined;

/** The people whose email was handed over. */
export const handedOver = ({ accepted, simulated }: Broadcast) => accepted + simulated;

/** The progress as a bar. */
export const Bar = ({ broadcast, isTall = false }: { broadcast: Broadcast; isTall?: boolean }) => {
  const { recipients, waiting } = ledgerOf(broadcast);
  const size = isTall ? "bar tall" : "bar";
  return (
    <progress
      class={broadcast.state === "sending" ? size : `${size} held`}
      max={String(Math.max(recipients, 1))}
      value={String(recipients - waiting)}
      aria-label={isTall ? "Progress" : `Progress of ${titleOf(broadcast)}`}
    />
  );
};

/** The time that matters in its state: saved, due, started or ended. */
export function When({ broadcast, frame }: { broadcast: Broadcast; frame: Frame }) {
  const { state, deletedAt, scheduledAt, startedAt, finishedAt, updatedAt } = broadcast;
  if (deletedAt) return <Time at={deletedAt} clock={frame} />;
  if (state === "draft")
    return (
      <span class="none">
        Saved <Time at={updatedAt} clock={frame} />
      </span>
    );
  if (state === "scheduled" && scheduledAt)
    return (
      <time datetime={scheduledAt.toISOString()} title={`${exact(scheduledAt, "UTC")} UTC`}>
        {exact(scheduledAt, frame.preferences)}
      </time>
    );
  return <Time at={finishedAt ?? startedAt ?? updatedAt} clock={frame} />;
}
