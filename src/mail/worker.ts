import * as outbox from "../../db/mail/outbox";
import type { Deps } from "../boot/deps";
import { described } from "../telemetry/log";
import { deliver } from "./deliver";
import { createMailer } from "./mailer";

type Needs = Pick<Deps, "config" | "db" | "log" | "now">;
/** Milliseconds. An attempt has to end well within the minute for which a mail is claimed. */
type Timing = { everyMs?: number; timeoutMs?: number; graceMs?: number };

const maxConcurrent = 10; // mails

/**
 * Sends what lies in the outbox (D32): looks every second, has at most ten mails in work, and never throws. Several
 * processes may run one each; a mail is claimed by one of them at a time.
 */
export function startWorker(needs: Needs, timing: Timing = {}) {
  const worker = new Worker(needs, timing);
  worker.start();
  return { drain: () => worker.drain(), close: () => worker.close() };
}

class Worker {
  private readonly inWork = new Set<Promise<void>>();
  private readonly aborting = new AbortController();
  private readonly send: (mail: outbox.Mail) => Promise<void>;
  private timer: Timer | undefined;
  private taking: Promise<void> | undefined;
  private isClosed = false;

  constructor(
    private readonly needs: Needs,
    private readonly timing: Timing,
  ) {
    const { timeoutMs = 10_000 } = timing;
    const sender = { ...needs, mailer: createMailer(needs.config), timeoutMs, closing: this.aborting.signal };
    this.send = (mail) => deliver(sender, mail);
  }

  start() {
    this.timer = setInterval(() => void this.take(), this.timing.everyMs ?? 1_000);
  }

  /** Sends all that is due by now and waits for it. For tests. */
  async drain() {
    const { db, now } = this.needs;
    do {
      await this.take();
      await Promise.all(this.inWork);
    } while (this.inWork.size || (await outbox.isDue(db, now())));
  }

  /** Takes no more. What is in work has two seconds; an attempt cut off is repeated by the next start. */
  async close() {
    this.isClosed = true;
    clearInterval(this.timer);
    await this.taking;
    const graceTimer = setTimeout(() => this.aborting.abort(), this.timing.graceMs ?? 2_000);
    await Promise.all(this.inWork);
    clearTimeout(graceTimer);
  }

  /** Takes what is due. One at a time: a call in the meantime joins the first. */
  private take(): Promise<void> {
    return (this.taking ??= this.takeDue().finally(() => (this.taking = undefined)));
  }

  private async takeDue() {
    const { db, log, now } = this.needs;
    if (this.isClosed || this.inWork.size === maxConcurrent) return;
    try {
      if (!(await outbox.isDue(db, now()))) return;
      const free = maxConcurrent - this.inWork.size; // asked late: the mails of one commit end together
      for (const mail of await outbox.claim(db, free, now())) this.work(mail);
    } catch (error) {
      log.error("outbox failed", described(error));
    }
  }

  private work(mail: outbox.Mail) {
    const { log } = this.needs;
    const job = this.send(mail)
      .catch((error) => log.error("mail failed", { id: mail.id, kind: mail.kind, ...described(error) }))
      .finally(() => {
        this.inWork.delete(job);
        void this.take();
      });
    this.inWork.add(job);
  }
}
