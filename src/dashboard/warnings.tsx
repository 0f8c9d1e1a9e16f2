import type * as overview from "../../db/overview";
import { plural } from "../../views/components/list";
import { forgottenAfter } from "../../views/dashboard/access/api-keys";
import type { Warning } from "../../views/dashboard/overview/overview";
import { paths } from "../../views/paths";

type Facts = {
  isSimulated: boolean;
  mails: { queued: number; oldestQueuedSeconds: number; failedLately: number };
  storage: Pick<Awaited<ReturnType<typeof overview.storage>>, "down" | "full" | "nearlyFull">;
  idleKeys: { name: string }[];
  scanned: number;
};

const quarterHour = 900; // seconds

/** What wants to be known before it hurts, the most urgent first. */
export function warningsOf({ isSimulated, mails, storage, idleKeys, scanned }: Facts): Warning[] {
  const nodes = { href: paths.nodes, text: "See the nodes" };
  const emails = { href: paths.mails, text: "See the e-mails" };
  const checks: [boolean, Warning][] = [
    [
      storage.down.length > 0,
      {
        text: <>Storage is offline: {list(storage.down)} does not answer. Uploads may be refused.</>,
        link: nodes,
      },
    ],
    [
      mails.failedLately > 0,
      {
        text: `${plural(mails.failedLately, "e-mail")} could not be sent in the last 7 days.`,
        link: { href: `${paths.mails}?state=dead`, text: "See why" },
      },
    ],
    [
      mails.oldestQueuedSeconds > quarterHour,
      {
        text: `${plural(mails.queued, "e-mail")} waiting, the oldest for ${duration(mails.oldestQueuedSeconds)}.`,
        link: emails,
      },
    ],
    [
      scanned > 0,
      {
        icon: "shield-alert",
        text: `${plural(scanned, "person was", "people were")} probably unsubscribed by a mail scanner.`,
        link: { href: paths.newsletter, text: "Look and restore" },
      },
    ],
    [
      storage.full.length > 0,
      {
        text: (
          <>
            Storage is full: {list(storage.full)} refused an upload for want of room. New ones go to other nodes, if
            there are any.
          </>
        ),
        link: nodes,
      },
    ],
    [
      storage.nearlyFull.length > 0,
      {
        text: <>Storage is nearly full: {list(storage.nearlyFull)} has less than a tenth of its room left.</>,
        link: nodes,
      },
    ],
    [
      isSimulated,
      {
        icon: "mail",
        text: (
          <>
            E-mails are only logged, not sent. Set <code>MAILER_API_KEY</code> to send them.
          </>
        ),
        link: emails,
      },
    ],
    [
      idleKeys.length > 0,
      {
        icon: "key-round",
        text: `${list(idleKeys.map(({ name }) => `“${name}”`))}: not used for ${forgottenAfter} days. Deactivate what nobody needs.`,
        link: { href: `${paths.apiKeys}?status=active&sort=used`, text: "See the keys" },
      },
    ],
  ];
  return checks.filter(([applies]) => applies).map(([, warning]) => warning);
}

function duration(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  if (hours < 2) return plural(Math.floor(seconds / 60), "minute");
  return hours < 48 ? plural(hours, "hour") : plural(Math.floor(hours / 24), "day");
}

/** Three names at most: a warning is read at a glance. */
const list = (names: string[]) =>
  names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
