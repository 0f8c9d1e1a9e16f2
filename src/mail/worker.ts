import * as outbox from "../../db/mail/outbox";
import type { Deps } from "../boot/deps";
import { described } from "../telemetry/log";
import { unsubscribeLink } from "../security/unsubscribe-link";
import { createMailer, type Delivery } from "./mailer";

type Needs = Pick<Deps, "config" | "db" | "log" | "now">;
/** Milliseconds. An attempt has to end well within the minute for which a mail is claimed. */
type Pace = { everyMs?: number; timeoutMs?: number; graceMs?: number };

const atOnce = 10;

/** The mails themselves, loaded with the first that is due. */
const letters = () => import("./compose");

/**
 * Sends what lies in the outbox (D32): looks every second, has at most ten mails in work, and never throws. Several
 * processes may run one each; a mail is claimed by one of them at a time.
 */
export function startWorker({ config, db, log, now }: Needs, pace: Pace = {}) {
  const { everyMs = 1_000, timeoutMs = 10_000, graceMs = 2_000 } = pace;
  const mailer = createMailer(config);
  const inWork = new Set<Promise<void>>();
  const closing = new AbortController();
  let taking: Promise<void> | undefined;
  let isClosed = false;

  /** Takes what is due. One at a time: a call in the meantime joins the first. */
  const take = () => (taking ??= takeDue().finally(() => (taking = undefined)));

  async function takeDue() {
    if (isClosed || inWork.size === atOnce) return;
    try {
      if (!(await outbox.isDue(db, now()))) return;
      const room = atOnce - inWork.size; // asked late: the mails of one commit end together
      for (const mail of await outbox.claim(db, room, now())) work(mail);
    } catch (error) {
      log.error("outbox failed", described(error));
    }
  }

  function work(mail: outbox.Mail) {
    const job = deliver(mail)
      .catch((error) => log.error("mail failed", { id: mail.id, kind: mail.kind, ...described(error) }))
      .finally(() => {
        inWork.delete(job);
        void take();
      });
    inWork.add(job);
  }

  async function deliver(mail: outbox.Mail) {
    const { whyNot } = await letters();
    const reason = await whyNot(db, mail);
    if (reason) return void (await outbox.cancel(db, mail.id, reason));
    if (mailer) return settle(mail, await attempt(mail));
    if (await outbox.simulated(db, mail.id, now())) logSimulated(mail);
  }

  async function attempt(mail: outbox.Mail): Promise<Delivery> {
    try {
      const { compose } = await letters();
      const letter = await compose({ config, db }, mail);
      if (!mailer || !letter) return { outcome: "failed", error: "What it was about is gone", isPermanent: true };
      return await mailer.send(letter, mail.id, AbortSignal.any([AbortSignal.timeout(timeoutMs), closing.signal]));
    } catch (error) {
      log.error("mail not written", { id: mail.id, kind: mail.kind, ...described(error) });
      return { outcome: "failed", error: "The mail could not be written", isPermanent: false };
    }
  }

  async function settle(mail: outbox.Mail, delivery: Delivery) {
    if (delivery.outcome === "accepted") return outbox.sent(db, mail.id, delivery.providerId, now());
    const state = await outbox.failed(db, mail, delivery, now());
    const fields = { id: mail.id, kind: mail.kind, attempt: mail.attempts, state, error: delivery.error };
    log[state === "dead" ? "error" : "warn"]("mail not sent", fields);
  }

  /** The line of spec part 6. A warning, because somebody waits for this mail in vain. */
  function logSimulated({ id, kind, recipient }: outbox.Mail) {
    const link = kind === "welcome" ? { unsubscribe: unsubscribeLink(config, recipient) } : {};
    log.warn("mail simulated", { id, kind, recipient, ...link });
  }

  const clock = setInterval(() => void take(), everyMs);

  return {
    /** Sends all that is due by now and waits for it. For tests. */
    async drain() {
      do {
        await take();
        await Promise.all(inWork);
      } while (inWork.size || (await outbox.isDue(db, now())));
    },
    /** Takes no more. What is in work has two seconds; an attempt cut off is repeated by the next start. */
    async close() {
      isClosed = true;
      clearInterval(clock);
      await taking;
      const patience = setTimeout(() => closing.abort(), graceMs);
      await Promise.all(inWork);
      clearTimeout(patience);
    },
  };
}
