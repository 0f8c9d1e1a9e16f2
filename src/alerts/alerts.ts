import { failedSignIns } from "../../db/access/sessions";
import { underWay } from "../../db/broadcasts/list";
import { latestBounces } from "../../db/broadcasts/sending/under-way";
import type { Db } from "../../db/engine/open";
import { dayMs } from "../../db/lib/time";
import { maxWaitMs, stats as mailStats } from "../../db/mail/stats";
import { mailboxState } from "../../db/mailbox/position";
import type { Checked, Fault } from "../../db/ops/alerts";
import { backupState, isBackupOverdue } from "../../db/ops/backup-state";
import { migrationFailure } from "../../db/ops/migration-failure";
import * as overview from "../../db/overview";
import { list as storageNodes } from "../../db/storage/nodes/nodes";
import { bytes } from "../../views/components/bytes";
import { number, plural } from "../../views/components/list";
import { reasonOf } from "../../views/dashboard/broadcasts/state";
import { moment } from "../../views/emails/email-layout";
import { paths } from "../../views/paths";
import { publicLine } from "../broadcasts/letter/text";
import { siteTranslator } from "../http/site-language";
import { daysUntil, endsSoon, type Validity } from "../platform/certificate";
import type { Config } from "../platform/config";
import { type DiskSpace, isNearlyFull, littleSpaceText } from "../platform/data-dir";
import { mailboxName, readMailboxUrl } from "../platform/mail-urls";
import { limits } from "../security/limits/limits";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** What the checks need. */
export type Situation = {
  config: Config;
  db: Db;
  now: Date;
  /** Whether this subject has been told, so that it must be better by a margin before it counts as well. */
  isTold: (subject: string) => boolean;
  diskSpace: (folder: string) => Promise<DiskSpace>;
  /** Undefined if the host did not answer. */
  certificateValidity: (host: string, port: number) => Promise<Validity | undefined>;
};

type Alert = {
  /** What is asked, and when it is well again: the words of docs/operations.md. */
  raised: string;
  cleared: string;
  remedy: string;
  /** Where to look in the dashboard. */
  page: { href: string; text: string };
  /** Whether it is told by email too. */
  email: boolean;
  /** Whether it has a line on the overview: the others are what the overview itself asks, each time it is opened. */
  line: boolean;
  /** How long it must last before it is told, and be well before that is. */
  confirmMs?: number;
  check(situation: Situation): Promise<{ faults: Fault[]; unknown?: Checked["unknown"] }>;
};

const well = { faults: [] };
/** A fault of the only subject. */
const fault = (title: string, detail: string) => ({ faults: [{ subject: "", title, detail }] });
const sentence = (text: string) => text.replace(/(?<![.\s])[.\s]*$/, ".");
const onOverview = { href: paths.overview, text: "Open the overview" };
const onNodes = { href: paths.nodes, text: "View storage nodes" };

/** The backups of PostgreSQL are its operator's. */
async function checkBackup({ config, db, now }: Situation) {
  const state = await backupState(db);
  if (db.isShared || !config.BACKUP_URL || !isBackupOverdue(state, config.BACKUP_EVERY, now)) return well;
  const { last, problem } = state;
  return fault(
    last ? `No good backup since ${moment(new Date(last.at))}` : "No good backup yet",
    problem
      ? sentence(`The last attempt failed: ${problem.text}`)
      : "No attempt failed: perhaps there is no key yet (“npm run postroom -- backup init”).",
  );
}

/** The disk of PostgreSQL is its operator's. */
async function checkDisk({ config, db, diskSpace, isTold }: Situation) {
  if (db.isShared) return well;
  const { free, total } = await diskSpace(config.DATA_DIR);
  if (!isNearlyFull({ free, total }, isTold("") ? 1.5 : 1)) return well;
  return fault(
    `Only ${bytes(free)} of ${bytes(total)} are free in DATA_DIR`,
    "When the disk is full, nothing can be saved.",
  );
}

async function checkFailedEmails({ db, now }: Situation) {
  const { failedLately } = await mailStats(db, now);
  if (!failedLately) return well;
  return fault(`${plural(failedLately, "email")} could not be sent`, "They are those of the last 7 days.");
}

async function checkWaitingEmails({ db, now, isTold }: Situation) {
  const { queued, oldestQueuedSeconds } = await mailStats(db, now);
  if (oldestQueuedSeconds * 1_000 <= (isTold("") ? 5 * minuteMs : maxWaitMs)) return well;
  const since = moment(new Date(now.getTime() - oldestQueuedSeconds * 1_000));
  return fault(`${plural(queued, "email")} waiting to be sent`, `The oldest has been waiting since ${since}.`);
}

async function checkNodes({ db, now }: Situation) {
  const { down } = await overview.storage(db, now);
  return {
    faults: down.map((name) => ({
      subject: name,
      title: `The storage node “${name}” is offline`,
      detail: "Uploads to it fail, and its files may not be available.",
    })),
  };
}

async function checkSpace({ db, now, isTold }: Situation) {
  const { freeShares } = await overview.storage(db, now);
  const short = freeShares.filter(({ name, share }) => share < (isTold(name) ? 0.1 : 0.05));
  return {
    faults: short.map(({ name, share }) => ({
      subject: name,
      title: `The storage node “${name}” is ${share === 0 ? "full" : "nearly full"}`,
      detail: "New files go to other nodes, if there are any.",
    })),
  };
}

const manyFailures = 50; // in an hour, at any accounts

/** Attempts at an account are refused after ten in an hour, and those of known devices are counted separately. */
async function checkSignIns({ db, now, isTold }: Situation) {
  const failures = await failedSignIns(db, new Date(now.getTime() - hourMs));
  const all = failures.reduce((sum, { attempts }) => sum + attempts, 0);
  const isMany = all > (isTold("") ? 0 : manyFailures);
  const locked = failures.filter(
    ({ account, attempts }) => account && attempts >= (isTold(account) ? 1 : limits.account.max),
  );
  return {
    faults: [
      ...(isMany
        ? fault(`${number(all)} failed sign-ins within an hour`, "Someone may be guessing passwords.").faults
        : []),
      ...locked.map(({ account, attempts, addresses }) => ({
        subject: account ?? "",
        title: `${plural(attempts, "failed sign-in")} to one account within an hour`,
        detail: `They came from ${plural(addresses, "address", "addresses")}. After ${limits.account.max}, further attempts are refused for up to an hour, except from devices that have signed in before.`,
      })),
    ],
  };
}

/** Hosts that visitors and the service reach over https. */
async function hostsOf({ config, db }: Situation): Promise<Map<string, URL>> {
  const nodes = (await storageNodes(db)).filter(({ state }) => state !== "down");
  const urls = [config.BASE_URL, config.BLOG_URL, ...nodes.flatMap((node) => [node.endpoint, node.publicEndpoint])];
  const secure = urls.filter((url) => url.startsWith("https:")).map((url) => new URL(url));
  return new Map(secure.map((url) => [url.host, url]));
}

async function checkCertificates(situation: Situation) {
  const checked = await Promise.all(
    [...(await hostsOf(situation))].map(async ([subject, { hostname, port }]) => {
      const validity = await situation.certificateValidity(hostname.replace(/^\[|\]$/g, ""), Number(port) || 443);
      return { subject, validity };
    }),
  );
  return {
    unknown: checked.filter(({ validity }) => !validity).map(({ subject }) => subject),
    faults: checked.flatMap(({ subject, validity }) => {
      if (!validity || !endsSoon(validity, situation.now)) return [];
      const { end } = validity;
      const days = daysUntil(end, situation.now);
      const title =
        days < 0
          ? `The certificate of ${subject} has ended`
          : `The certificate of ${subject} ends within ${plural(days + 1, "day")}`;
      return [{ subject, title, detail: `It is valid until ${moment(end)}. Browsers then refuse to connect.` }];
    }),
  };
}

async function checkMigration({ db }: Situation) {
  const failure = await migrationFailure(db);
  if (!failure) return well;
  return fault(
    "A new version could not migrate the database",
    `${sentence(`It failed on ${moment(new Date(failure.at))}: ${failure.problem}`)} The earlier version is running.`,
  );
}

async function checkBroadcasts({ db }: Situation) {
  const translate = await siteTranslator(db);
  const paused = (await underWay(db)).filter(
    ({ state, stateReason }) => state === "paused" && stateReason !== "manager",
  );
  return {
    faults: paused.map((broadcast) => ({
      subject: broadcast.id,
      title: `“${publicLine(broadcast.subject, translate)}” is paused`,
      detail: sentence(`The reason: ${reasonOf(broadcast)}`),
    })),
  };
}

/** A server that is down for an hour loses nothing: its emails are read afterwards. */
async function checkMailbox({ config, db, now }: Situation) {
  const mailbox = config.BOUNCE_MAILBOX === undefined ? undefined : readMailboxUrl(config.BOUNCE_MAILBOX);
  const state = typeof mailbox === "object" ? await mailboxState(db, mailboxName(mailbox)) : undefined;
  const { name, problem, problemAt } = state ?? {};
  if (!problem || !problemAt || now.getTime() - problemAt.getTime() < hourMs) return well;
  return fault(
    "The mailbox for bounces cannot be read",
    sentence(`Bounces, complaints and answers in ${name} are not known since ${moment(problemAt)}: ${problem}`),
  );
}

const bounces = { most: 1_000, least: 200, raised: 0.04, cleared: 0.02 };

async function checkBounces({ db, now, isTold }: Situation) {
  const { of, bounced } = await latestBounces(db, bounces.most, new Date(now.getTime() - 7 * dayMs));
  if (of < bounces.least || bounced <= of * (isTold("") ? bounces.cleared : bounces.raised)) return well;
  return fault(
    `${((100 * bounced) / of).toFixed(1)} % of recent emails bounced`,
    `${number(bounced)} of the last ${number(of)} emails of broadcasts. At 8 % in one broadcast, it is paused.`,
  );
}

/** Every alert, by its name in webhook events. docs/operations.md has the same table, which a test compares. */
export const alerts = {
  backup: {
    raised: "no copy was proved good for two periods of `BACKUP_EVERY`; not with PostgreSQL",
    cleared: "one is",
    remedy:
      "Check that the server in BACKUP_URL can be reached and has free space. Run “npm run postroom -- backup now” to try again immediately.",
    page: onOverview,
    email: true,
    line: false,
    check: checkBackup,
  },
  disk: {
    raised: `the disk of \`DATA_DIR\` has ${littleSpaceText}; not with PostgreSQL`,
    cleared: "it has 15 %, and 1.5 GB or 30 %",
    remedy: "Delete what is not needed, such as old copies in DATA_DIR/backups, or enlarge the disk.",
    page: onOverview,
    email: true,
    line: true,
    check: checkDisk,
  },
  "emails-failed": {
    raised: "an email of the last 7 days could not be sent",
    cleared: "they were sent again, or are older",
    remedy: "The list of failed emails shows what the provider said. Send them again from there.",
    page: { href: `${paths.mails}?state=dead`, text: "View failed emails" },
    email: true,
    line: false,
    check: checkFailedEmails,
  },
  "emails-waiting": {
    raised: "an email has been waiting for 15 minutes, unless an hourly limit holds it back",
    cleared: "none has been for 5 minutes",
    remedy: "The list of queued emails shows what the provider said. Check its status page, and the key.",
    page: { href: paths.mails, text: "View emails" },
    email: false, // it would wait with the others
    line: false,
    check: checkWaitingEmails,
  },
  "node-offline": {
    raised: "a storage node has not been available for 5 minutes",
    cleared: "it has been for 5 minutes",
    remedy: "Check that the server runs and can be reached. Testing the node shows the reason and the fix.",
    page: onNodes,
    email: true,
    line: false,
    confirmMs: 5 * minuteMs,
    check: checkNodes,
  },
  "node-full": {
    raised: "a storage node is full, or less than 5 % of it is free",
    cleared: "10 % are",
    remedy: "Enlarge its disk or its capacity, delete files, or add another node.",
    page: onNodes,
    email: true,
    line: false,
    check: checkSpace,
  },
  "sign-ins": {
    raised: "10 sign-ins to an account failed within an hour, or more than 50 in all",
    cleared: "none has for an hour",
    remedy:
      "The audit log names the account and the addresses. If it was not its manager, check that the password is used nowhere else, and turn on two-step verification.",
    page: { href: `${paths.audit}?action=session`, text: "View sign-ins" },
    email: true,
    line: true,
    check: checkSignIns,
  },
  certificate: {
    raised:
      "the certificate of `BASE_URL`, `BLOG_URL` or a storage node ends within 14 days, or within a sixth of its time if that is less; asked every hour",
    cleared: "it was renewed",
    remedy: "Renew it. If that is automatic, the log of the program that does it says why it failed.",
    page: onOverview,
    email: true,
    line: true,
    check: checkCertificates,
  },
  migration: {
    raised: "a new version could not migrate the database, and the earlier one runs again",
    cleared: "a migration succeeds",
    remedy: "Keep the earlier version running, and read the log of the new one. Its changes were rolled back.",
    page: onOverview,
    email: true,
    line: true,
    check: checkMigration,
  },
  "broadcast-paused": {
    raised: "a broadcast has paused automatically",
    cleared: "it was resumed or cancelled",
    remedy: "Review it, then resume or cancel it.",
    page: { href: paths.broadcasts, text: "View broadcasts" },
    email: false, // the pause itself queues one, with the figures
    line: false,
    check: checkBroadcasts,
  },
  bounces: {
    raised: "more than 4 % of the last 1,000 emails of broadcasts bounced, of 200 or more within 7 days",
    cleared: "2 % or fewer did",
    remedy: "Look for where these addresses came from, such as an old list, before you send the next broadcast.",
    page: { href: paths.broadcasts, text: "View broadcasts" },
    email: true,
    line: true,
    check: checkBounces,
  },
  mailbox: {
    raised: "the mailbox of `BOUNCE_MAILBOX` could not be read for an hour",
    cleared: "it was read",
    remedy:
      "Run “npm run postroom -- doctor”, and check the password. What arrives is read afterwards; nothing is lost.",
    page: { href: paths.mails, text: "View emails" },
    email: true,
    line: true,
    check: checkMailbox,
  },
} satisfies Record<string, Alert>;

const byName: Record<string, Alert | undefined> = alerts;

/** Returns the alert; undefined for one that an earlier or later version knows. */
export const alertNamed = (name: string): Alert | undefined => byName[name];
