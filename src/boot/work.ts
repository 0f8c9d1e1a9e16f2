import { deleteExpired } from "../../db/broadcasts/retention";
import { resetFutureTimes } from "../../db/ops/clock";
import { lease, release, underLease } from "../../db/ops/leases";
import { cleanUp } from "../../db/ops/cleanup";
import { deleteOld } from "../../db/webhooks/deliveries";
import { endWaiting } from "../../db/people/erasures";
import { writeEmails } from "../broadcasts/letter/emails";
import { Sender } from "../broadcasts/sender";
import { described } from "../telemetry/log";
import { startWorker } from "../mail/worker";
import { WebhookSender } from "../webhooks/sender";
import type { Deps } from "./deps";

const hour = 3_600_000;

/** Starts the background tasks. Returns a function that stops them and waits for them. */
export function startWork(deps: Deps) {
  const { counters, db, integrity, limits, log, mail, now, storage } = deps;
  const mayCleanUp = lease(db, "cleanup", now);
  const sweep = () =>
    underLease(mayCleanUp, () => {
      const at = now();
      const cleaning = [
        cleanUp(db, at),
        resetFutureTimes(db, at),
        deleteExpired(db, at),
        deleteOld(db, at),
        endWaiting(db),
      ];
      return Promise.all([limits.sweep(), ...cleaning]);
    }).catch((error) => log.error("housekeeping", described(error)));
  const housekeeping = setInterval(() => void sweep(), hour);
  const outbox = startWorker(deps);
  const sender = new Sender(deps, { write: writeEmails, isOnlySender: !db.isShared }).start();
  const webhooks = new WebhookSender(deps, { isOnlySender: !db.isShared }).start();
  counters.start();
  void sweep();

  return async () => {
    clearInterval(housekeeping);
    integrity.close();
    await Promise.all([outbox.close(), sender.close(), webhooks.close()]);
    await mail.provider.close();
    await counters.close();
    await storage.close();
    await release(db).catch((error) => log.error("leases", described(error)));
  };
}
