import { endOverdue, releaseLeases } from "../../db/broadcasts/batches";
import { finish, promote } from "../../db/broadcasts/promote";
import { countInDoubt } from "../../db/broadcasts/sending";
import { unsubscribeToken } from "../security/unsubscribe-link";
import { described } from "../telemetry/log";
import type { WriteEmails } from "./attempt";
import { Deliveries, type Needs, ownerOf, type Reach } from "./deliveries";
import { Outage } from "./outage";
import { type Job, WorkFinder } from "./work";

type Options = {
  everyMs?: number;
  graceMs?: number;
  /** No other process sends: what is in flight when this one starts was left by one that died. */
  isOnlySender?: boolean;
  write: WriteEmails;
  reach?: Reach;
};

const maxInFlight = 4; // requests of many emails
const maxInDoubt = 5; // such requests before the provider counts as down

/**
 * Sends broadcasts: looks every second and after every answer, and never throws. The outbox worker uses the same provider
 * beside it, and comes first.
 */
export class Sender {
  private readonly inWork = new Set<Promise<void>>();
  private readonly aborting = new AbortController();
  private readonly work = new WorkFinder();
  private readonly deliveries: Deliveries;
  private readonly limits: { inWork: number; inDoubt: number };
  private timer: Timer | undefined;
  private wakeTimer: Timer | undefined;
  private preparing: Promise<void> | undefined;
  private turning: Promise<void> | undefined;
  private isWanted = false;
  private isClosed = false;

  constructor(
    private readonly needs: Needs,
    private readonly options: Options,
  ) {
    const { maxBatch, maxConcurrent } = needs.mail.provider;
    this.limits =
      maxBatch === 1
        ? { inWork: maxConcurrent, inDoubt: maxConcurrent }
        : { inWork: Math.min(maxInFlight, maxConcurrent), inDoubt: maxInDoubt };
    this.deliveries = new Deliveries(needs, options, this.aborting.signal, this.limits.inDoubt);
  }

  start(): this {
    this.timer = setInterval(() => void this.tick(), this.options.everyMs ?? 1_000);
    return this;
  }

  /** Sends all that can be sent now, and waits for it. For tests. */
  async drain(): Promise<void> {
    do {
      await this.tick();
      await Promise.all(this.inWork);
      await this.turning; // begun by those that have just ended
    } while (this.inWork.size);
  }

  /** Takes no more. What is in flight has two seconds; an attempt cut off is in doubt, as after a crash. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.timer);
    clearTimeout(this.wakeTimer);
    await this.turning;
    const graceTimer = setTimeout(() => this.aborting.abort(), this.options.graceMs ?? 2_000);
    await Promise.all(this.inWork);
    clearTimeout(graceTimer);
  }

  /** Does what time brings, and then what there is to send. */
  private async tick(): Promise<void> {
    const { db, log, now } = this.needs;
    if (this.isClosed) return;
    try {
      await (this.preparing ??= this.prepare());
      await endOverdue(db, now());
      await promote(db, await ownerOf(this.needs), now());
    } catch (error) {
      log.error("broadcasts failed", described(error));
    }
    await this.turn();
  }

  private async prepare(): Promise<void> {
    const { db } = this.needs;
    if (this.options.isOnlySender) await releaseLeases(db);
    this.deliveries.outage = new Outage(this.limits.inDoubt, await countInDoubt(db));
  }

  /** Takes batches as long as there are any. One call at a time; another in the meantime makes it look again. */
  private turn(): Promise<void> {
    this.isWanted = true;
    return (this.turning ??= this.takeTurns());
  }

  private async takeTurns(): Promise<void> {
    const { db, log, now } = this.needs;
    try {
      while (this.isWanted && !this.isClosed) {
        this.isWanted = false;
        while (!this.isClosed && (await this.next()));
        await finish(db, await ownerOf(this.needs), now());
      }
    } catch (error) {
      log.error("broadcasts failed", described(error));
    } finally {
      this.turning = undefined; // at once: a call that joined an ended turn would be forgotten
    }
  }

  /** Takes the next batch, or several of one email each. Returns whether it is worth looking again. */
  private async next(): Promise<boolean> {
    const { mail } = this.needs;
    const { outage } = this.deliveries;
    const isProbe = outage.isOn;
    const free = isProbe && this.inWork.size ? 0 : this.limits.inWork - this.inWork.size;
    const wanted = mail.provider.maxBatch === 1 && !isProbe ? free : Math.min(free, 1);
    if (!wanted) return false;
    const requests = mail.pace.take(wanted, "broadcasts");
    if (!requests) return this.wakeAt(mail.pace.nextAt("broadcasts"));
    let unused = requests;
    try {
      await this.options.reach?.("before claim");
      const allowance = { requests, mayClaim: outage.mayClaim(this.inWork.size), isProbe };
      const { jobs, hasMoved } = await this.work.next(await this.workNeeds(), allowance);
      unused -= jobs.length;
      for (const job of jobs) this.begin(job);
      return hasMoved;
    } finally {
      mail.pace.giveBack(unused);
    }
  }

  private async workNeeds() {
    const { config, db, mail, now } = this.needs;
    const { name, isIdempotent, maxBatch } = mail.provider;
    const by = { provider: name, isIdempotent, tokenOf: (email: string) => unsubscribeToken(config, email) };
    return { db, by, maxBatch, notify: await ownerOf(this.needs), now: now() };
  }

  private wakeAt(at: Date): false {
    clearTimeout(this.wakeTimer);
    const wait = at.getTime() - this.needs.now().getTime();
    if (wait < 1_000 && this.timer) this.wakeTimer = setTimeout(() => void this.turn(), Math.max(wait, 1));
    return false;
  }

  private begin(job: Job): void {
    const { log } = this.needs;
    const done = this.deliveries
      .send(job)
      .then((outcome) => {
        if (outcome?.kind === "refused" && outcome.reason === "too-large") this.work.tooLarge(job.broadcast);
      })
      .catch((error) => log.error("batch failed", { id: job.broadcast.id, batch: job.batch.row, ...described(error) }))
      .finally(() => {
        this.inWork.delete(done);
        void this.turn();
      });
    this.inWork.add(done);
  }
}
