import { version } from "../../package.json";
import { claim, isDue } from "../../db/mail/claim";
import * as outbox from "../../db/mail/outbox";
import { mayTakeTasks } from "../../db/ops/leases";
import type { Db } from "../../db/engine/open";
import type { Config } from "../platform/config";
import { WorkLoop } from "../platform/work-loop";
import { described, type Log } from "../platform/log";
import { type Compose, deliver } from "./deliver";
import { type Mail, openMail } from "./open";

type Needs = {
  config: Config;
  db: Db;
  log: Log;
  now: () => Date;
  compose: Compose;
  /** Shared with the broadcast sender. Opened here if absent. */
  mail?: Mail;
};
/** Milliseconds. An attempt must end well within the minute for which an email is claimed. */
type Timing = { everyMs?: number; timeoutMs?: number; graceMs?: number };

const maxConcurrent = 10; // emails in progress

/**
 * Sends queued emails (D32). Looks for them every second, sends at most ten at a time and never throws. Several
 * processes may run one worker each; each email is claimed by one of them at a time.
 */
export function startWorker(needs: Needs, timing: Timing = {}) {
  const worker = new Worker(needs, timing);
  return { drain: () => worker.drain(), close: () => worker.close() };
}

class Worker {
  private readonly loop: WorkLoop;
  private readonly aborting = new AbortController();
  private readonly send: (mail: outbox.Mail) => Promise<boolean>;
  private readonly mail: Mail;
  private readonly maxInWork: number;

  constructor(
    private readonly needs: Needs,
    private readonly timing: Timing,
  ) {
    this.mail = needs.mail ?? openMail(needs);
    const { provider } = this.mail;
    const { timeoutMs = provider.isIdempotent ? 10_000 : 40_000 } = timing; // longer for SMTP, where the recipient may see a repetition
    this.maxInWork = Math.min(maxConcurrent, provider.maxConcurrent);
    const sender = { ...needs, provider, timeoutMs, closing: this.aborting.signal };
    this.send = (mail) => deliver(sender, mail);
    this.loop = new WorkLoop(needs.log, {
      name: "outbox",
      mayTake: mayTakeTasks(needs.db, needs.now, version),
      take: () => this.take(),
    });
    this.loop.start(timing.everyMs);
  }

  /** Sends everything that is due, as far as the pace allows, and waits for it. For tests. */
  async drain() {
    const { db, now } = this.needs;
    const isAllowed = () => this.mail.pace.nextAt("outbox") <= now();
    do await this.loop.drain();
    while (isAllowed() && (await isDue(db, now())));
  }

  /**
   * Takes no more emails. Those in progress have two seconds; an interrupted attempt is repeated after the next start.
   */
  async close() {
    await this.loop.close(this.timing.graceMs);
    this.aborting.abort();
    await this.loop.ended();
  }

  private async take() {
    const { db, now } = this.needs;
    const { pace } = this.mail;
    if (this.loop.size === this.maxInWork || !(await isDue(db, now()))) return;
    const free = this.maxInWork - this.loop.size; // read late: the emails of one commit end together
    let tokens = pace.take(free, "outbox");
    try {
      if (!tokens) return this.loop.wakeIn(pace.nextAt("outbox").getTime() - now().getTime());
      const mails = await claim(db, tokens, now());
      tokens -= mails.length;
      for (const mail of mails) this.loop.add(this.work(mail));
    } finally {
      pace.giveBack(tokens);
    }
  }

  private async work(mail: outbox.Mail) {
    try {
      const wasAsked = await this.send(mail);
      this.mail.pace.giveBack(wasAsked ? 0 : 1);
    } catch (error) {
      this.needs.log.error("mail failed", { id: mail.id, kind: mail.kind, ...described(error) });
    }
  }
}
