import * as outbox from "../../db/mail/outbox";
import type { Deps } from "../boot/deps";
import { described } from "../telemetry/log";
import { unsubscribeLink } from "../security/unsubscribe-link";
import type { createMailer, Delivery } from "./mailer";

type Sender = Pick<Deps, "config" | "db" | "log" | "now"> & {
  /** Undefined without a mail provider: mails are only logged. */
  mailer: ReturnType<typeof createMailer>;
  timeoutMs: number;
  /** Aborted when the service stops. */
  closing: AbortSignal;
};

/** The mails themselves, loaded with the first that is due. */
const loadMails = () => import("./compose");

/** Sends one mail of the outbox, or says in its row why not. */
export async function deliver(sender: Sender, mail: outbox.Mail): Promise<void> {
  const { db, mailer, now } = sender;
  const { whyNot } = await loadMails();
  const reason = await whyNot(db, mail);
  if (reason) return void (await outbox.cancel(db, mail.id, reason));
  if (mailer) return settle(sender, mail, await attempt(sender, mail));
  if (await outbox.simulated(db, mail.id, now())) logSimulated(sender, mail);
}

async function attempt({ config, db, log, mailer, timeoutMs, closing }: Sender, mail: outbox.Mail): Promise<Delivery> {
  try {
    const { compose } = await loadMails();
    const message = await compose({ config, db }, mail);
    if (!mailer || !message) return { outcome: "failed", error: "What it was about is gone", isPermanent: true };
    return await mailer.send(message, mail.id, AbortSignal.any([AbortSignal.timeout(timeoutMs), closing]));
  } catch (error) {
    log.error("mail not written", { id: mail.id, kind: mail.kind, ...described(error) });
    return { outcome: "failed", error: "The mail could not be written", isPermanent: false };
  }
}

async function settle({ db, log, now }: Sender, mail: outbox.Mail, delivery: Delivery): Promise<void> {
  if (delivery.outcome === "accepted") return outbox.sent(db, mail.id, delivery.providerId, now());
  const state = await outbox.failed(db, mail, delivery, now());
  const fields = { id: mail.id, kind: mail.kind, attempt: mail.attempts, state, error: delivery.error };
  log[state === "dead" ? "error" : "warn"]("mail not sent", fields);
}

/** The line of spec part 6. A warning, because somebody waits for this mail in vain. */
function logSimulated({ config, log }: Sender, { id, kind, recipient }: outbox.Mail) {
  const link = kind === "welcome" ? { unsubscribe: unsubscribeLink(config, recipient) } : {};
  log.warn("mail simulated", { id, kind, recipient, ...link });
}
