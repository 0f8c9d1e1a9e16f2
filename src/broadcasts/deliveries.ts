import { hasten, rest } from "../../db/broadcasts/sending/settle";
import { ownerAddress } from "../../db/contact/owner";
import type { Db } from "../../db/engine/open";
import type { Config } from "../platform/config";
import type { Mail } from "../mail/open";
import type { Outcome } from "../mail/provider";
import { described, type Log } from "../platform/log";
import { attempt, type WriteEmails } from "./attempt";
import { Outage } from "./outage";
import { leaseOver, letterFailed, settleBatch } from "./outcomes";
import type { Job } from "./work";

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
    this.note(job, outcome);
    return outcome;
  }

  private async context() {
    const { db, mail, now } = this.needs;
    const { provider, pace } = mail;
    return { db, provider, restUntil: pace.restUntil, notify: await ownerOf(this.needs), now: now() };
  }

  /** Notices that the provider is down, or responds again. */
  private async follow(outcome: Outcome): Promise<void> {
    const { db, now } = this.needs;
    if (outcome.kind !== "unknown") {
      if (this.outage.answered()) await hasten(db, now());
      return;
    }
    const restMs = this.outage.unknown();
    if (restMs) await rest(db, new Date(now().getTime() + restMs), "unknown");
  }

  /** Logs rows, never addresses. */
  private note({ broadcast: { id }, batch }: Job, outcome: Outcome): void {
    const { log, mail } = this.needs;
    const answer = outcome.kind === "refused" ? outcome.reason : outcome.kind;
    const fields = { id, batch: batch.row, count: batch.frozen.length };
    if (mail.provider.name === "simulated") log.info("broadcast simulated", fields);
    else if (outcome.kind !== "accepted") log.warn("batch not sent", { ...fields, answer, error: outcome.message });
  }
}

/** Whether the lease is over, as after a pause of the process: then another sender may have the batch. */
const isLate = ({ batch: { leaseUntil } }: Job, now: Date) => leaseUntil !== null && leaseUntil <= now;

/** Who is emailed when a broadcast is sent, or pauses automatically. */
export const ownerOf = async ({ config, db }: Pick<Needs, "config" | "db">): Promise<string | undefined> =>
  config.OWNER_EMAIL ?? db.read(ownerAddress);
