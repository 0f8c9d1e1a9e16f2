import type * as overview from "../../../db/overview";
import { plural } from "../../../views/components/list";
import { forgottenAfter } from "../../../views/dashboard/access/key-row";
import type { Warning } from "../../../views/dashboard/overview/overview";
import { paths } from "../../../views/paths";

type Facts = {
  isSimulated: boolean;
  mails: { queued: number; oldestQueuedSeconds: number; failedLately: number };
  storage: Pick<Awaited<ReturnType<typeof overview.storage>>, "down" | "full" | "nearlyFull">;
  idleKeys: { name: string }[];
  scanned: number;
};

const queueTooOldSeconds = 900;

const nodes = { href: paths.nodes, text: "See the nodes" };
const emails = { href: paths.mails, text: "See the e-mails" };

/** What managers should know before it hurts, the most urgent first. */
export const warningsOf = (facts: Facts): Warning[] => checks.flatMap((check) => check(facts) || []);

const storageDown = ({ storage: { down } }: Facts) =>
  down.length > 0 && {
    text: <>Storage is offline: {list(down)} does not answer. Uploads may be refused.</>,
    link: nodes,
  };

const mailsFailed = ({ mails: { failedLately } }: Facts) =>
  failedLately > 0 && {
    text: `${plural(failedLately, "e-mail")} could not be sent in the last 7 days.`,
    link: { href: `${paths.mails}?state=dead`, text: "See why" },
  };

const mailsDelayed = ({ mails: { queued, oldestQueuedSeconds } }: Facts) =>
  oldestQueuedSeconds > queueTooOldSeconds && {
    text: `${plural(queued, "e-mail")} waiting, the oldest for ${duration(oldestQueuedSeconds)}.`,
    link: emails,
  };

const unsubscribedByScanner = ({ scanned }: Facts) =>
  scanned > 0 && {
    icon: "shield-alert" as const,
    text: `${plural(scanned, "person was", "people were")} probably unsubscribed by a mail scanner.`,
    link: { href: paths.newsletter, text: "Look and restore" },
  };

const storageFull = ({ storage: { full } }: Facts) =>
  full.length > 0 && {
    text: <>Storage is full: {list(full)} has no room for uploads. They go to other nodes, if there are any.</>,
    link: nodes,
  };

const storageNearlyFull = ({ storage: { nearlyFull } }: Facts) =>
  nearlyFull.length > 0 && {
    text: <>Storage is nearly full: {list(nearlyFull)} has less than a tenth of its room left.</>,
    link: nodes,
  };

const mailsSimulated = ({ isSimulated }: Facts) =>
  isSimulated && {
    icon: "mail" as const,
    text: (
      <>
        E-mails are only logged, not sent. Set <code>MAILER_API_KEY</code> to send them.
      </>
    ),
    link: emails,
  };

const keysIdle = ({ idleKeys }: Facts) =>
  idleKeys.length > 0 && {
    icon: "key-round" as const,
    text: `${list(idleKeys.map(({ name }) => `“${name}”`))}: not used for ${forgottenAfter} days. Deactivate what nobody needs.`,
    link: { href: `${paths.apiKeys}?status=active&sort=used`, text: "See the keys" },
  };

const checks: ((facts: Facts) => Warning | false)[] = [
  storageDown,
  mailsFailed,
  mailsDelayed,
  unsubscribedByScanner,
  storageFull,
  storageNearlyFull,
  mailsSimulated,
  keysIdle,
];

function duration(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  if (hours < 2) return plural(Math.floor(seconds / 60), "minute");
  return hours < 48 ? plural(hours, "hour") : plural(Math.floor(hours / 24), "day");
}

/** Three names at most: a warning is read at a glance. */
const list = (names: string[]) =>
  names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
