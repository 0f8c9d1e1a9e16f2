import type { FrozenRecipient } from "../../db/schema/broadcasts";
import type { Mail } from "../mail/open";
import type { Email, Outcome } from "../mail/provider";
import type { Job } from "./work";
import { hasten, pauseSending } from "../../db/broadcasts/sending/settle";
import { ownerEmail } from "../../db/contact/owner";
import type { Db } from "../../db/engine/open";
import type { Config } from "../platform/config";
import { described, type Log } from "../platform/log";
import { leaseOver, letterFailed, settleBatch } from "./outcomes";

const [firstPauseMs, maxPauseMs] = [5_000, 600_000];

/**
 * Notices that the provider is down: several unknown outcomes in a row. Then one batch at a time tests whether it
 * responds again, so that an outage leaves no more batches in doubt than that.
 */
export class Outage {
  private unknowns: number;

  /** @param inDoubt batches that were in doubt when this process started */
  constructor(
    private readonly max: number,
    inDoubt: number,
  ) {
    this.unknowns = Math.min(inDoubt, max);
  }

  get isOn(): boolean {
    return this.unknowns >= this.max;
  }

  /** Whether another batch may be claimed besides those in flight, which may all end in doubt. */
  mayClaim(inFlight: number): boolean {
    return this.isOn ? inFlight === 0 : this.unknowns + inFlight < this.max;
  }

  /** Records an unknown outcome. Returns how long to pause, if at all. */
  unknown(): number {
    this.unknowns++;
    return this.isOn ? Math.min(firstPauseMs * 2 ** (this.unknowns - this.max), maxPauseMs) : 0;
  }

  /** Records a response. Returns whether the provider had been down. */
  answered(): boolean {
    const wasOn = this.isOn;
    this.unknowns = 0;
    return wasOn;
  }
}

/** Writes the emails of a batch from frozen data alone, so that a retry has the same bytes. */
export type WriteEmails = (letter: unknown, recipients: FrozenRecipient[], broadcastId: string) => Email[];

/**
 * Makes one attempt to send a batch, under the key of its epoch. Simulated emails are not even written.
 *
 * @throws if the letter cannot be written
 */
async function attempt(
  { provider }: Pick<Mail, "provider">,
  { letter, broadcast, batch }: Job,
  write: WriteEmails,
  signal: AbortSignal,
): Promise<Outcome> {
  if (provider.name === "simulated") return { kind: "accepted", ids: [] };
  const emails = write(letter, batch.frozen, broadcast.id);
  const key = `b/${broadcast.id}/${batch.row}/${batch.epoch}`;
  const [first] = emails;
  if (!first) throw new Error("There is no email in the batch");
  return provider.maxBatch === 1 ? provider.send(first, key, signal) : provider.sendBatch(emails, key, signal);
}

export type Needs = { config: Config; db: Db; log: Log; mail: Mail; now: () => Date };
/** Where a test can stop a sender permanently, as if its process had died. */
type Point = "before claim" | "after claim" | "after send";
export type Reach = (point: Point) => void | Promise<void>;
type Options = { write: WriteEmails; reach?: Reach };

/** Sends batches and records what became of them. */
export class Deliveries {
  outage: Outage;

  constructor(
    private readonly needs: Needs,
    private readonly options: Options,
    private readonly closing: AbortSignal,
    maxInDoubt: number,
  ) {
    this.outage = new Outage(maxInDoubt, 0);
  }

  /** Returns the provider's outcome; undefined if there was nothing to send. */
  async send(job: Job): Promise<Outcome | undefined> {
    const { log, mail } = this.needs;
    await this.options.reach?.("after claim");
    if (isLate(job, this.needs.now())) return void (await leaseOver(await this.context(), job));
    const outcome = await attempt(mail, job, this.options.write, this.closing).catch((error) => {
      log.error("email not created", { id: job.broadcast.id, ...described(error) });
    });
    await this.options.reach?.("after send");
    if (!outcome) return void (await letterFailed(await this.context(), job));
    await settleBatch(await this.context(), job, outcome);
    await this.follow(outcome);
    this.logOutcome(job, outcome);
    return outcome;
  }

  private async context() {
    const { db, mail, now } = this.needs;
    const { provider, pace } = mail;
    return { db, provider, pausedUntil: pace.pausedUntil, notify: await ownerEmail(this.needs), now: now() };
  }

  /** Notices that the provider is down, or responds again. */
  private async follow(outcome: Outcome): Promise<void> {
    const { db, now } = this.needs;
    if (outcome.kind !== "unknown") {
      if (this.outage.answered()) await hasten(db, now());
      return;
    }
    const pauseMs = this.outage.unknown();
    if (pauseMs) await pauseSending(db, new Date(now().getTime() + pauseMs), "unknown");
  }

  /** Logs rows, never addresses. */
  private logOutcome({ broadcast: { id }, batch }: Job, outcome: Outcome): void {
    const { log, mail } = this.needs;
    const answer = outcome.kind === "refused" ? outcome.reason : outcome.kind;
    const fields = { id, batch: batch.row, count: batch.frozen.length };
    if (mail.provider.name === "simulated") log.info("broadcast simulated", fields);
    else if (outcome.kind !== "accepted") log.warn("batch not sent", { ...fields, answer, error: outcome.message });
  }
}

/** Whether the lease is over, as after a pause of the process: then another sender may have the batch. */
const isLate = ({ batch: { leaseUntil } }: Job, now: Date) => leaseUntil !== null && leaseUntil <= now;
