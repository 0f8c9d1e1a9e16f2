import { endQuiet, warnOfExpiry } from "../../db/access/keys/expiry";
import { deleteExpired } from "../../db/broadcasts/retention";
import { type Db, stoppable } from "../../db/engine/open";
import { Background } from "../../db/async/background";
import { resetFutureTimes } from "../../db/ops/clock";
import { lease, release, underLease } from "../../db/ops/leases";
import { cleanUp } from "../../db/ops/cleanup";
import { deleteOld } from "../../db/webhooks/deliveries";
import { ownerEmail } from "../../db/contact/owner";
import { endPauses } from "../../db/newsletter/pause";
import { wakeSnoozed } from "../../db/contact/messages";
import { endWaiting } from "../../db/people/erasures";
import { endOldEditions } from "../../db/sequences/editions";
import { stopEnded } from "../../db/sequences/states";
import { writeEmails } from "../broadcasts/letter/emails";
import { Sender } from "../broadcasts/sender";
import { described } from "../platform/log";
import { repeatChecks, stopChecks } from "../people/erasure-check";
import { rm } from "node:fs/promises";
import { startAlerts } from "../alerts/schedule";
import { abandoned, isBeingCopied } from "../backups/job";
import { openMail, providerWatch } from "../mail/open";
import { startWorker } from "../mail/worker";
import { variableWatch } from "../security/variables";
import { WebhookSender } from "../webhooks/sender";
import type { Config } from "../platform/config";
import type { Deps } from "./deps";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Loaded with the first email that is due. */
const loadEmails = () => import("../emails/compose");

/** Starts the background tasks. Returns a function that stops them and waits for them. */
export function startWork(deps: Deps) {
  const { counters, db, integrity, log, mail, storage } = deps;
  const housekeeping = startHousekeeping(deps);
  const alerts = startAlerts(deps);
  const mailbox = startMailbox(deps);
  const webhooks = new WebhookSender(deps, { isOnlySender: !db.isShared }).start();
  const configured = startConfigured(deps);
  counters.start();

  return async () => {
    await Promise.all([configured.close(), housekeeping.close(), alerts.close(), integrity.close(), webhooks.close()]);
    await (await mailbox)?.close();
    await stopChecks(db);
    await mail.provider.close();
    await counters.close();
    await storage.close();
    await release(db).catch((error) => log.error("leases", described(error)));
  };
}

/** Reads what comes back, if BOUNCE_MAILBOX says where. */
async function startMailbox(deps: Deps) {
  if (!deps.config.BOUNCE_MAILBOX) return;
  const { startReading } = await import("../mailbox/reader");
  return startReading(deps);
}

const lookEveryMs = 1_000;

/**
 * What depends on variables that owners may set in the dashboard: who sends emails, and the copies. A second after the
 * provider was changed, in whichever process, those who send are stopped as at the end of a process, and start with the
 * new one.
 */
function startConfigured(deps: Deps) {
  const { config, db, log } = deps;
  const background = new Background((error) => log.error("configuration", described(error)));
  const refresh = variableWatch(deps);
  const hasOtherProvider = providerWatch(config);
  let sending = startSending(deps);
  let backups: Promise<Background> | undefined;
  const startCopies = () => {
    if (config.BACKUP_URL) backups ??= import("../backups/schedule").then(({ startBackups }) => startBackups(deps));
  };
  async function look(): Promise<void> {
    await db.fresh().catch(() => undefined); // no request may ask what other processes changed; later, if the database is away
    await refresh();
    startCopies();
    if (!hasOtherProvider()) return;
    await sending.close();
    await deps.mail.provider.close();
    Object.assign(deps.mail, openMail(deps));
    sending = startSending(deps);
    log.info("email provider", { name: deps.mail.provider.name });
  }
  startCopies();
  let isBusy = false;
  background.every(lookEveryMs, async () => {
    if (isBusy) return;
    isBusy = true;
    await look().finally(() => (isBusy = false));
  });
  return {
    async close(): Promise<void> {
      await background.close();
      await Promise.all([sending.close(), (await backups)?.close()]);
    },
  };
}

function startSending(deps: Deps) {
  const outbox = startWorker({ ...deps, compose: async (email) => (await loadEmails()).compose(deps, email) });
  const sender = new Sender(deps, { write: writeEmails, isOnlySender: !deps.db.isShared }).start();
  return { close: () => Promise.all([outbox.close(), sender.close()]) };
}

/** Deletes what has expired, now and every hour. A stop interrupts it between two commits. */
function startHousekeeping({ config, db, limits, log, now }: Deps): Background {
  const background = new Background((error) => log.error("housekeeping", described(error)));
  const own = stoppable(db, background.signal);
  const mayCleanUp = lease(db, "cleanup", now);
  const tasks = [cleanUp, resetFutureTimes, deleteExpired, deleteOld, endQuiet, endWaiting, stopEnded, endOldEditions];
  const sweep = () =>
    underLease(mayCleanUp, async () => {
      background.run(() => limits.sweep());
      for (const task of tasks) background.run(() => task(own, now()));
      background.run(() => repeatChecks({ db, log, now }));
      background.run(() => warnOwner(config, own, now()));
    });
  background.run(sweep);
  const { file } = db;
  if (file) background.run(() => removeAbandoned(config.DATA_DIR, file));
  background.every(hourMs, sweep);
  background.every(minuteMs, () => endPauses(own, now()));
  background.every(minuteMs, () => wakeSnoozed(own, now()));
  return background;
}

async function removeAbandoned(dataDir: string, database: string): Promise<void> {
  const folders = abandoned(dataDir);
  if (!folders.length || isBeingCopied({ database })) return; // perhaps in another container, whose processes are not seen here
  for (const path of folders) await rm(path, { recursive: true, force: true });
}

/** Warns the owner, and who made them, of API keys that are about to expire. Without an owner's address, they are warned once there is one. */
async function warnOwner(config: Config, db: Db, now: Date): Promise<void> {
  const recipient = await ownerEmail({ config, db });
  if (recipient) await warnOfExpiry(db, recipient, now);
}
