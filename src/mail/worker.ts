import * as outbox from "../../db/mail/outbox";
import type { Deps } from "../boot/deps";
import { described } from "../telemetry/log";
import { deliver } from "./deliver";
import { type Mail, openMail } from "./open";

type Needs = Pick<Deps, "config" | "db" | "log" | "now"> & {
  /** Shared with the sender of broadcasts. Opened here when there is none. */
  mail?: Mail;
};
/** Milliseconds. An attempt has to end well within the minute for which a mail is claimed. */
type Timing = { everyMs?: number; timeoutMs?: number; graceMs?: number };

const maxConcurrent = 10; // mails
const lookEveryMs = 1_000;

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
  private readonly send: (mail: outbox.Mail) => Promise<boolean>;
  private readonly mail: Mail;
  private readonly maxInWork: number;
  private timer: Timer | undefined;
  private waking: Timer | undefined;
  private taking: Promise<void> | undefined;
  private isClosed = false;

  constructor(
    private readonly needs: Needs,
    private readonly timing: Timing,
  ) {
    this.mail = needs.mail ?? openMail(needs);
    const { provider } = this.mail;
    const { timeoutMs = provider.isIdempotent ? 10_000 : 40_000 } = timing; // cut off late where a repetition may be seen
    this.maxInWork = Math.min(maxConcurrent, provider.maxConcurrent);
    const sender = { ...needs, provider, timeoutMs, closing: this.aborting.signal };
    this.send = (mail) => deliver(sender, mail);
  }

  start() {
    this.timer = setInterval(() => void this.take(), this.timing.everyMs ?? lookEveryMs);
  }

  /** Sends all that is due by now, as far as the pace allows, and waits for it. For tests. */
  async drain() {
    const { db, now } = this.needs;
    const isAllowed = () => this.mail.pace.nextAt("outbox") <= now();
    do {
      await this.take();
      await Promise.all(this.inWork);
      await this.taking; // begun by those that have just ended
    } while (this.inWork.size || (isAllowed() && (await outbox.isDue(db, now()))));
  }

  /** Takes no more. What is in work has two seconds; an attempt cut off is repeated by the next start. */
  async close() {
    this.isClosed = true;
    clearInterval(this.timer);
    await this.taking;
    clearTimeout(this.waking);
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
    const { pace } = this.mail;
    if (this.isClosed || this.inWork.size === this.maxInWork) return;
    let tokens = 0;
    try {
      if (!(await outbox.isDue(db, now()))) return;
      const free = this.maxInWork - this.inWork.size; // asked late: the mails of one commit end together
      tokens = pace.take(free, "outbox");
      if (!tokens) this.wake();
      const mails = tokens ? await outbox.claim(db, tokens, now()) : [];
      tokens -= mails.length;
      for (const mail of mails) this.work(mail);
    } catch (error) {
      log.error("outbox failed", described(error));
    } finally {
      pace.giveBack(tokens);
    }
  }

  /** Looks again as soon as the pace allows, if that is before the next look. */
  private wake() {
    const wait = this.mail.pace.nextAt("outbox").getTime() - this.needs.now().getTime();
    clearTimeout(this.waking);
    if (wait < lookEveryMs) this.waking = setTimeout(() => void this.take(), wait);
  }

  private work(mail: outbox.Mail) {
    const { log } = this.needs;
    const job = this.send(mail)
      .then((wasAsked) => this.mail.pace.giveBack(wasAsked ? 0 : 1))
      .catch((error) => log.error("mail failed", { id: mail.id, kind: mail.kind, ...described(error) }))
      .finally(() => {
        this.inWork.delete(job);
        void this.take();
      });
    this.inWork.add(job);
  }
}
