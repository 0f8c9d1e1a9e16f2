import { version } from "../../package.json";
import { ownerEmail } from "../../db/contact/owner";
import { endOverdue, releaseLeases } from "../../db/broadcasts/sending/batches";
import { dueDigests, gatherDue } from "../../db/broadcasts/from-posts/digests";
import { dueMailings } from "../../db/broadcasts/from-posts/due";
import { finish, promote } from "../../db/broadcasts/sending/promote";
import { countInDoubt } from "../../db/broadcasts/sending/under-way";
import { mayTakeTasks } from "../../db/ops/leases";
import { advance } from "../../db/sequences/advance";
import { carryOn } from "../../db/sequences/carry-on";
import { tellEnded } from "../../db/sequences/tell-ended";
import { WorkLoop } from "../platform/work-loop";
import { unsubscribeToken } from "../security/links";
import { described } from "../platform/log";
import { Deliveries, type Needs, Outage, type Reach, type WriteEmails } from "./deliveries";
import { siteTranslator } from "../http/site-language";
import { publicLine } from "./letter/text";
import { type Job, WorkFinder } from "./work";

type Options = {
  everyMs?: number;
  graceMs?: number;
  /** No other process sends: what is in flight when this one starts was left by one that died. */
  isOnlySender?: boolean;
  write: WriteEmails;
  reach?: Reach;
};

const maxInFlight = 4; // requests with many emails
const maxInDoubt = 5; // such requests, until the provider counts as down

/**
 * Sends broadcasts: looks every second and after every response, and never throws. The outbox worker uses the same
 * provider at the same time, and has priority.
 */
export class Sender {
  private readonly loop: WorkLoop;
  private readonly aborting = new AbortController();
  private readonly work = new WorkFinder();
  private readonly deliveries: Deliveries;
  private readonly limits: { inWork: number; inDoubt: number };

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
    this.loop = new WorkLoop(needs.log, {
      name: "broadcasts",
      mayTake: mayTakeTasks(needs.db, needs.now, version),
      begin: () => this.begin(),
      prepare: () => this.prepare(),
      take: () => this.take(),
    });
  }

  start(): this {
    this.loop.start(this.options.everyMs);
    return this;
  }

  /** Sends everything that can be sent now, and waits for it. For tests. */
  drain(): Promise<void> {
    return this.loop.drain();
  }

  /** Takes no more batches. Those in flight have two seconds; an interrupted attempt is in doubt, as after a crash. */
  async close(): Promise<void> {
    await this.loop.close(this.options.graceMs);
    this.aborting.abort();
    await this.loop.ended();
  }

  /** Does what is due by time. */
  private async prepare(): Promise<void> {
    const { db, now } = this.needs;
    await endOverdue(db, now());
    await this.scheduleFromPosts();
    await promote(db, await ownerEmail(this.needs), now());
  }

  /** Schedules what rules make of posts. One that fails does not keep others from being sent. */
  private async scheduleFromPosts(): Promise<void> {
    const { db, now } = this.needs;
    const notifying = async () => ({ ...this.needs, notify: await ownerEmail(this.needs) });
    // from-posts brings the reader of MDX, which is not loaded at start-up
    for (const due of await dueMailings(db))
      await this.attempt({ post: due.postId }, async () =>
        (await import("./from-posts")).scheduleDue(await notifying(), due, now()),
      );
    await this.attempt({}, () => gatherDue(db, now()));
    for (const digest of await dueDigests(db))
      await this.attempt({ digest: digest.week }, async () =>
        (await import("./from-posts")).scheduleDigest(await notifying(), digest, now()),
      );
  }

  /** Does `work`, and logs its failure. */
  private attempt(what: Record<string, string>, work: () => Promise<void>): Promise<void> {
    return work().catch((error) => this.needs.log.error("newsletter of posts", { ...what, ...described(error) }));
  }

  private async begin(): Promise<void> {
    const { db } = this.needs;
    if (this.options.isOnlySender) await releaseLeases(db);
    this.deliveries.outage = new Outage(this.limits.inDoubt, await countInDoubt(db));
  }

  /** Takes batches as long as there are any. */
  private async take(): Promise<void> {
    const { db, now } = this.needs;
    do {
      while (!this.loop.isClosed && (await this.next()));
    } while (!this.loop.isClosed && (await this.moveOn())); // the next email of a sequence may be due at once
    const t = await siteTranslator(db);
    await finish(db, await ownerEmail(this.needs), (subject) => publicLine(subject, t), now());
  }

  /** Moves on some people in sequences, in a commit each, so that batches go out in between. Returns whether there were any. */
  private async moveOn(): Promise<boolean> {
    const { db, now } = this.needs;
    const moved = [await carryOn(db, now()), await advance(db, now()), await tellEnded(db, now())];
    return moved.includes(true);
  }

  /** Takes the next batch, or several of one email each. Returns whether it is worth looking again. */
  private async next(): Promise<boolean> {
    const { mail } = this.needs;
    const { outage } = this.deliveries;
    const isProbe = outage.isOn;
    const free = isProbe && this.loop.size ? 0 : this.limits.inWork - this.loop.size;
    const wanted = mail.provider.maxBatch === 1 && !isProbe ? free : Math.min(free, 1);
    if (!wanted) return false;
    const requests = mail.pace.take(wanted, "broadcasts");
    if (!requests) return this.wakeAt(mail.pace.nextAt("broadcasts"));
    let unused = requests;
    try {
      await this.options.reach?.("before claim");
      const allowance = { requests, mayClaim: outage.mayClaim(this.loop.size), isProbe };
      const { jobs, hasMoved } = await this.work.next(await this.workNeeds(), allowance);
      unused -= jobs.length;
      for (const job of jobs) this.loop.add(this.send(job));
      return hasMoved;
    } finally {
      mail.pace.giveBack(unused);
    }
  }

  private async workNeeds() {
    const { config, db, mail, now } = this.needs;
    const { name, isIdempotent, maxBatch } = mail.provider;
    const by = { provider: name, isIdempotent, tokenOf: (email: string) => unsubscribeToken(config, email) };
    return { db, by, maxBatch, notify: await ownerEmail(this.needs), now: now() };
  }

  private wakeAt(at: Date): false {
    this.loop.wakeIn(at.getTime() - this.needs.now().getTime());
    return false;
  }

  private async send(job: Job): Promise<void> {
    const { broadcast, batch } = job;
    try {
      const outcome = await this.deliveries.send(job);
      if (outcome?.kind === "refused" && outcome.reason === "too-large") this.work.tooLarge(broadcast);
    } catch (error) {
      this.needs.log.error("batch failed", { id: broadcast.id, batch: batch.row, ...described(error) });
    }
  }
}
