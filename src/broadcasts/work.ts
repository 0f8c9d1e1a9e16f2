import type { Db } from "../../db/engine/open";
import { candidates, confirmedSegment } from "../../db/broadcasts/audience";
import { brake, type PauseReason } from "../../db/broadcasts/rules";
import { type Broadcast, letterOf } from "../../db/broadcasts/broadcasts";
import { admit, hasDue, lease } from "../../db/broadcasts/sending/lease";
import { claim, type Claimer, type ClaimedBatch, type Sending } from "../../db/broadcasts/sending/claim";
import { pauseAutomatically } from "../../db/broadcasts/sending/promote";
import { hourlyAllowance, sendingNow } from "../../db/broadcasts/sending/under-way";
import { pauseSending } from "../../db/broadcasts/sending/settle";
import { claimStep } from "../../db/sequences/claim";
import { isTooLate } from "../../db/sequences/late";
import type { WantedValues } from "../../db/newsletter/fields";
import { valuesIn } from "./letter/emails";

/** A batch to send now, with its broadcast and letter. */
export type Job = { broadcast: Broadcast; letter: unknown; batch: ClaimedBatch };
type Finding = {
  jobs: Job[];
  /** Something has changed: it is worth looking again. */
  hasMoved: boolean;
  /** A batch waits for the hourly limit, so nothing else may use what is left of it. */
  isFull?: boolean;
};
type Needs = {
  db: Db;
  by: Omit<Claimer, "perBatch">;
  maxBatch: number;
  notify: string | undefined;
  now: Date;
};
/** What may be taken now. */
type Allowance = { requests: number; mayClaim: boolean; isProbe: boolean };

/** A confirmed letter, and the values that it uses of each recipient. */
type Letter = { confirmedAt: number; letter: unknown; bytes: number; values: WantedValues | undefined };

const maxRequestBytes = 4 * 2 ** 20; // our own limit: the provider's is not documented
const bytesBesideLetter = 2_048; // headers, tags and JSON
const nothing: Finding = { jobs: [], hasMoved: false };

const isStep = ({ kind }: Pick<Broadcast, "kind">) => kind === "step";

/**
 * Finds what to send next. Broadcasts take turns, one batch each, so that a short one need not wait for a long one;
 * emails of sequences, which are due now, come before them. Batches that were tried before come first.
 */
export class WorkFinder {
  private readonly letters = new Map<number, Letter>();
  private readonly maxBytes = new Map<number, number>();
  private lastServed = 0;
  private lastStep = 0;

  /** The provider rejected a batch of this broadcast as too large. */
  tooLarge({ row }: Pick<Broadcast, "row">): void {
    this.maxBytes.set(row, (this.maxBytes.get(row) ?? maxRequestBytes) / 2);
  }

  async next(needs: Needs, allowance: Allowance): Promise<Finding> {
    const sending = await sendingNow(needs.db, needs.now);
    this.forgetOthers(sending);
    const steps = inTurn(sending.filter(isStep), this.lastStep);
    const others = inTurn(
      sending.filter((broadcast) => !isStep(broadcast)),
      this.lastServed,
    );
    let hasMoved = false;
    for (const broadcast of [...steps, ...others]) {
      const finding = await this.of(broadcast, needs, allowance);
      hasMoved ||= finding.hasMoved;
      if (finding.isFull) return finding;
      if (!finding.jobs.length) continue;
      if (isStep(broadcast)) this.lastStep = broadcast.row;
      else this.lastServed = broadcast.row;
      return finding;
    }
    return { jobs: [], hasMoved };
  }

  private async of(broadcast: Broadcast, needs: Needs, allowance: Allowance): Promise<Finding> {
    const stop = (reason: PauseReason) => pause(needs, broadcast, reason);
    const segment = confirmedSegment(broadcast);
    if (!segment) return stop("segment");
    const reason = brake(broadcast);
    if (reason) return stop(reason);
    if (isStep(broadcast) && (await isTooLate(needs.db, broadcast.row, needs.now))) return stop("late");
    const frozen = await this.letterOf(needs.db, broadcast);
    if (!frozen) return stop("letter");
    const { letter, bytes, values } = frozen;
    const perBatch = this.perBatch(broadcast, bytes, needs.maxBatch);
    const { row, cursor, ceiling } = broadcast;
    const sending = { row, cursor, ceiling: ceiling ?? 0, segment, isStep: isStep(broadcast), values };
    const by = { ...needs.by, perBatch };
    const due = await takeDue(needs, sending, by, allowance);
    if (due.isFull) return { jobs: [], hasMoved: false, isFull: true };
    const { batches, hasMoved } = due.batches.length ? due : await this.claim(needs, sending, by, allowance);
    return { jobs: batches.map((batch) => ({ broadcast, letter, batch })), hasMoved: hasMoved || due.hasMoved };
  }

  private async claim({ db, now }: Needs, sending: Sending & { ceiling: number }, by: Claimer, allowance: Allowance) {
    const isOver = !sending.isStep && sending.cursor >= sending.ceiling;
    if (!allowance.mayClaim || isOver) return { batches: [], hasMoved: false };
    const { left, opensAt } = await hourlyAllowance(db, now);
    if (left <= 0) {
      await pauseSending(db, opensAt, "hourly-limit");
      return { batches: [], hasMoved: false };
    }
    const size = Math.min(by.perBatch * (by.perBatch === 1 ? allowance.requests : 1), left);
    const isLimited = db.isShared && Number.isFinite(left);
    if (sending.isStep) return claimStep(db, sending, { size, isLimited }, by, now);
    const recipients = await candidates(db, sending, sending.segment, size);
    const batches = (await claim(db, sending, { ...recipients, isLimited }, by, now)) ?? [];
    return { batches, hasMoved: true };
  }

  private perBatch({ row }: Broadcast, bytes: number, maxBatch: number): number {
    const fitting = Math.floor((this.maxBytes.get(row) ?? maxRequestBytes) / (bytes + bytesBesideLetter));
    return Math.max(1, Math.min(maxBatch, fitting));
  }

  /** The confirmed letter, read once. */
  private async letterOf(db: Db, { row, confirmedAt }: Broadcast) {
    const at = confirmedAt?.getTime() ?? 0;
    const cached = this.letters.get(row);
    if (cached?.confirmedAt === at) return cached;
    const { letter, bytes } = (await db.read((orm) => letterOf(orm, row))) ?? {};
    if (!letter) return;
    const read = { confirmedAt: at, letter, bytes: bytes ?? 0, values: valuesIn(letter) };
    this.letters.set(row, read);
    return read;
  }

  private forgetOthers(sending: Broadcast[]): void {
    const rows = new Set(sending.map(({ row }) => row));
    for (const map of [this.letters, this.maxBytes]) for (const row of map.keys()) if (!rows.has(row)) map.delete(row);
  }
}

/** The one after the last that was served comes first. */
function inTurn(sending: Broadcast[], last: number): Broadcast[] {
  const turn = sending.findIndex(({ row }) => row > last);
  return turn > 0 ? [...sending.slice(turn), ...sending.slice(0, turn)] : sending;
}

async function takeDue({ db, now }: Needs, sending: Sending, by: Claimer, { requests, isProbe }: Allowance) {
  if (!(await hasDue(db, sending.row, isProbe, now))) return { batches: [], hasMoved: false };
  const how = { limit: requests, isProbe };
  const isLimited = Number.isFinite((await hourlyAllowance(db, now)).left);
  const admission = isLimited ? await admit(db, sending.row, how, now) : undefined;
  if (!admission?.fullUntil)
    return { batches: await lease(db, { sending, ...how, among: admission?.rows }, by, now), hasMoved: true };
  await pauseSending(db, admission.fullUntil, "hourly-limit");
  return { batches: [], hasMoved: false, isFull: true };
}

async function pause({ db, notify, now }: Needs, { id }: Broadcast, reason: PauseReason): Promise<Finding> {
  await pauseAutomatically(db, id, { reason, notify }, now);
  return nothing;
}
