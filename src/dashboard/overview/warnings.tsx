import { dayMs } from "../../../db/lib/time";
import type { Broadcast } from "../../../db/broadcasts/broadcasts";
import { ledgerOf } from "../../../db/broadcasts/ledger";
import type { OpenAlert } from "../../../db/ops/alerts";
import { maxWaitMs } from "../../../db/mail/stats";
import type { HourlyLimit } from "../../../db/limits/hourly-limits";
import type * as overview from "../../../db/overview";
import type { Sequence } from "../../../db/sequences/sequences";
import type { Endpoint } from "../../../db/webhooks/endpoints";
import type { Frame } from "../../../views/components/frame";
import { number, plural } from "../../../views/components/list";
import { Time } from "../../../views/components/time";
import { forgottenAfter } from "../../../views/dashboard/access/api-keys";
import { handedOver, path, pauseOf, titleOf } from "../../../views/dashboard/broadcasts/state";
import type { Warning } from "../../../views/dashboard/overview/overview";
import { whyPaused } from "../../../views/dashboard/sequences/sequences";
import { paths } from "../../../views/paths";
import { alertNamed } from "../../alerts/alerts";

type Facts = {
  isSimulated: boolean;
  /** There are published posts, but no one has said where they are read. */
  lacksBlog: boolean;
  emails: { queued: number; oldestQueuedSeconds: number; failedLately: number; uncertainLately: number };
  storage: Pick<Awaited<ReturnType<typeof overview.storage>>, "nodes" | "down" | "full" | "nearlyFull">;
  idleKeys: { name: string }[];
  /** Keys that expire within two weeks. */
  endingKeys: { name: string }[];
  scanned: number;
  endpoints: Pick<Endpoint, "id" | "name" | "state" | "failingSince">[];
  at: Date;
};

export const endsSoonDays = 14;

const viewNodes = { href: paths.nodes, text: "View storage nodes" };
const viewEmails = { href: paths.mails, text: "View emails" };

/** What needs a manager's attention, most urgent first. */
export const warningsOf = (facts: Facts): Warning[] => checks.flatMap((check) => check(facts) || []);

const storageDown = ({ storage: { down } }: Facts) =>
  down.length > 0 && {
    isBad: true,
    text: (
      <>
        Storage is offline: {list(down)} {down.length === 1 ? "is" : "are"} not responding. Uploads may fail.
      </>
    ),
    link: viewNodes,
  };

const emailsFailed = ({ emails: { failedLately } }: Facts) =>
  failedLately > 0 && {
    text: `${plural(failedLately, "email")} could not be sent in the last 7 days.`,
    link: { href: `${paths.mails}?state=dead`, text: "View failed emails" },
  };

const emailsUncertain = ({ emails: { uncertainLately } }: Facts) =>
  uncertainLately > 0 && {
    text: `${plural(uncertainLately, "email")} of the last 7 days may not have arrived.`,
    link: { href: `${paths.mails}?state=uncertain`, text: "View uncertain emails" },
  };

const emailsDelayed = ({ emails: { queued, oldestQueuedSeconds } }: Facts) =>
  oldestQueuedSeconds * 1_000 > maxWaitMs && {
    isStop: true,
    text: `${plural(queued, "email")} waiting to be sent, the oldest for ${duration(oldestQueuedSeconds)}.`,
    link: viewEmails,
  };

const unsubscribedByScanner = ({ scanned }: Facts) =>
  scanned > 0 && {
    icon: "shield-alert" as const,
    text: `A mail scanner probably unsubscribed ${plural(scanned, "person", "people")}.`,
    link: { href: paths.newsletter, text: "Review and restore" },
  };

const storageFull = ({ storage: { nodes: all, down, full } }: Facts) =>
  full.length > 0 && {
    isStop: new Set([...down, ...full]).size >= all,
    text: <>Storage is full: no free space on {list(full)}. New files go to other nodes, if there are any.</>,
    link: viewNodes,
  };

const storageNearlyFull = ({ storage: { nearlyFull } }: Facts) =>
  nearlyFull.length > 0 && {
    text: <>Storage is nearly full: less than 10 % free on {list(nearlyFull)}.</>,
    link: viewNodes,
  };

const emailsSimulated = ({ isSimulated }: Facts) =>
  isSimulated && {
    isStop: true,
    icon: "mail" as const,
    text: "Emails are logged, not sent. Connect an email provider to send them.",
    link: { href: paths.emailSettings, text: "Connect a provider" },
  };

const blogMissing = ({ lacksBlog }: Facts) =>
  lacksBlog && {
    text: "Links to posts lead to pages that do not exist (404). The URL of your blog is not set.",
    link: { href: paths.siteSettings, text: "Set the URL" },
  };

const keysEnding = ({ endingKeys }: Facts) =>
  endingKeys.length > 0 && {
    icon: "key-round" as const,
    text: `API keys that expire within ${endsSoonDays} days: ${list(endingKeys.map(({ name }) => `“${name}”`))}. Replace them before your sites fail.`,
    link: { href: `${paths.apiKeys}?status=active`, text: "View API keys" },
  };

const keysIdle = ({ idleKeys }: Facts) =>
  idleKeys.length > 0 && {
    icon: "key-round" as const,
    text: `API keys not used for ${forgottenAfter} days: ${list(idleKeys.map(({ name }) => `“${name}”`))}. Deactivate keys you no longer need.`,
    link: { href: `${paths.apiKeys}?status=active&sort=used`, text: "View API keys" },
  };

/** A single failed call is retried; a day of failures is a problem of the receiver. */
const webhooksFail = ({ endpoints, at }: Facts): Warning[] =>
  endpoints.flatMap(({ id, name, state, failingSince }) => {
    const days = failingSince ? Math.floor((at.getTime() - failingSince.getTime()) / dayMs) : 0;
    if (state !== "broken" && (state !== "on" || days < 1)) return [];
    const text =
      state === "broken"
        ? `The webhook “${name}” was turned off, because no call succeeded for 5 days.`
        : `The webhook “${name}” has failed for ${plural(days, "day")}.`;
    return [{ icon: "webhook", isBad: true, text, link: { href: `${paths.webhooks}/${id}`, text: "Review" } }];
  });

const checks: ((facts: Facts) => Warning | Warning[] | false)[] = [
  storageDown,
  emailsFailed,
  emailsUncertain,
  emailsDelayed,
  webhooksFail,
  unsubscribedByScanner,
  storageFull,
  storageNearlyFull,
  blogMissing,
  emailsSimulated,
  keysEnding,
  keysIdle,
];

function duration(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  if (hours < 2) return plural(Math.floor(seconds / 60), "minute");
  return hours < 48 ? plural(hours, "hour") : plural(Math.floor(hours / 24), "day");
}

/** At most three names, so that a warning can be read at a glance. */
const list = (names: string[]) =>
  names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");

/** Paused broadcasts, which need a decision. */
export const pausedLines = (underWay: Broadcast[]): Warning[] =>
  underWay
    .filter(({ state }) => state === "paused")
    .map((broadcast) => ({
      icon: "pause",
      isStop: true,
      text: (
        <>
          <strong>“{titleOf(broadcast)}” is paused</strong>
          {pauseOf(broadcast)}. {number(handedOver(broadcast))} of {number(ledgerOf(broadcast).recipients)} emails were
          accepted.
        </>
      ),
      link: { href: `${path}/${broadcast.id}`, text: "Review" },
    }));

/** Sequences that paused by themselves. */
export const pausedSequences = (sequences: Sequence[]): Warning[] =>
  sequences
    .filter(({ state, reason }) => state === "paused" && reason !== "manager")
    .map((sequence) => ({
      icon: "pause",
      isStop: true,
      text: (
        <>
          <strong>The sequence “{sequence.name}” is paused:</strong> {whyPaused(sequence)} Nothing is being sent.
        </>
      ),
      link: { href: paths.sequence(sequence.id), text: "Review" },
    }));

const soonMs = dayMs;

/** Broadcasts that go out within a day, while there is time to look at them. */
export const plannedLines = (scheduled: Broadcast[], frame: Frame): Warning[] =>
  scheduled.flatMap(({ id, scheduledAt, subject }) =>
    scheduledAt && scheduledAt.getTime() - frame.now.getTime() < soonMs
      ? [
          {
            icon: "history",
            text: (
              <>
                <strong>“{titleOf({ subject })}” goes out</strong> <Time at={scheduledAt} clock={frame} />.
              </>
            ),
            link: { href: `${path}/${id}`, text: "Review" },
          },
        ]
      : [],
  );

/** Alerts about what the overview does not find out each time it is opened. */
export const alertLines = (open: OpenAlert[]): Warning[] =>
  open.flatMap(({ name, title, detail }) => {
    const alert = alertNamed(name);
    return alert?.line ? [{ isStop: true, text: `${title}. ${detail}`, link: alert.page }] : [];
  });

/** The hourly limits, and what is waiting because of them. */
type LimitFacts = {
  /** The limits reached in the last 24 hours, with their current values. */
  reached: { limit: HourlyLimit; reachedAt: Date; max: number }[];
  quarantined: number;
  awaitingTurn: number;
};

const viewLimits: NonNullable<Warning["link"]> = { href: paths.limitSettings, text: "View limits" };
const limitIcon = "shield-alert";

/** Says which limits were reached, when, and what happened above them. */
export function limitWarnings({ reached, quarantined, awaitingTurn }: LimitFacts, frame: Frame): Warning[] {
  const warning = (limit: HourlyLimit, what: string, consequence: string, link = viewLimits): Warning[] =>
    reached
      .filter((one) => one.limit === limit)
      .map(({ reachedAt, max }) => ({
        icon: limitIcon,
        text: (
          <>
            The limit of {max > 0 && number(max)} {what} an hour was reached <Time at={reachedAt} clock={frame} />.{" "}
            {consequence}
          </>
        ),
        link,
      }));
  const quarantine: Warning = {
    icon: limitIcon,
    text: `${plural(quarantined, "message is", "messages are")} in quarantine, because too many arrived within an hour.`,
    link: { href: `${paths.contact}?box=quarantine`, text: "Review messages" },
  };
  return [
    ...warning("newSubscribersPerHour", "new subscribers", "Visitors above the limit are asked to try again later."),
    ...warning("storedMessagesPerHour", "stored messages", "Visitors above the limit are asked to try again later."),
    ...(quarantined
      ? [quarantine]
      : warning("messagesPerHourBeforeQuarantine", "messages", "The quarantine is empty.")),
    ...warning(
      "emailsToStrangersPerHour",
      "emails to new subscribers",
      awaitingTurn
        ? `${plural(awaitingTurn, "email is", "emails are")} waiting for the limit. All others are sent as usual.`
        : "No emails are waiting for it.",
      { href: `${paths.mails}?state=queued`, text: "View emails" },
    ),
  ];
}
