import type { Db, Orm } from "../../db/engine/open";
import type { Broadcast } from "../../db/broadcasts/broadcasts";
import type { ClaimedBatch } from "../../db/broadcasts/sending/claim";
import { maxRefusals, type PauseReason } from "../../db/broadcasts/rules";
import { pauseIn } from "../../db/broadcasts/sending/promote";
import * as settle from "../../db/broadcasts/sending/settle";
import { hourMs } from "../../db/lib/time";
import { deferredDelaysMs } from "../../db/mail/rules";
import type { MailProvider, Outcome, Reason } from "../mail/provider";

type Refusal = Extract<Outcome, { kind: "refused" }>;
type Context = {
  db: Db;
  provider: MailProvider;
  /** When the sender may call the provider again, if it is paused. */
  pausedUntil: Date | undefined;
  notify: string | undefined;
  now: Date;
};
type Job = { broadcast: Broadcast; batch: ClaimedBatch };

/** The longest pause, whatever the provider asks for: its daily limit resets sooner. */
const maxPauseMs = 25 * hourMs;

/** Records what an outcome means for a batch (docs/decisions/sending.md). */
export async function settleBatch(context: Context, job: Job, outcome: Outcome): Promise<void> {
  const { db, provider, now } = context;
  const { batch } = job;
  if (outcome.kind === "accepted") await settle.accepted(db, batch, outcome.ids, now);
  else if (outcome.kind === "conflict") await settle.conflicting(db, batch, outcome.message, now);
  else if (outcome.kind === "unknown")
    await settle.unknown(db, batch, { error: outcome.message, isRepeatable: provider.isIdempotent }, now);
  else await refused[outcome.reason](context, job, outcome);
}

/** The letter cannot be written: nothing was sent, and no retry would help, so the broadcast is paused. */
export async function letterFailed({ db, notify, now }: Context, { broadcast, batch }: Job): Promise<void> {
  const follow = (orm: Orm) => pauseIn(orm, broadcast.id, { reason: "letter", notify }, now);
  await settle.postponed(db, batch, { error: "The email could not be created", at: now, now }, follow);
}

/** The lease ended before the attempt: nothing was sent, and the next lease makes the attempt. */
export const leaseOver = ({ db, now }: Context, { batch }: Job) =>
  settle.postponed(db, batch, { error: "The process was paused before the attempt", at: now, now });

type Answer = (context: Context, job: Job, refusal: Refusal) => Promise<void>;

const refused: Record<Reason, Answer> = {
  rate: (context, job, refusal) => pauseSending(context, job, refusal, "rate"),
  unavailable: (context, job, refusal) => pauseSending(context, job, refusal, "unavailable"),
  /**
   * Halves use what is left of the day's quota. A batch in doubt cannot be halved, because its key stands for all of
   * it.
   */
  "daily-quota": (context, job, refusal) =>
    settle.isRepetition(job.batch)
      ? pauseSending(context, job, refusal, "daily-quota")
      : halve(context, job, refusal, () => pauseSending(context, job, refusal, "daily-quota")),
  "monthly-quota": (context, job, refusal) => pause(context, job, refusal, "quota"),
  credentials: (context, job, refusal) => pause(context, job, refusal, "credentials"),
  "too-large": (context, job, refusal) => halve(context, job, refusal, () => fail(context, job, refusal)),
  invalid: (context, job, refusal) => halve(context, job, refusal, () => fail(context, job, refusal)),
  bounced: (context, job, refusal) => halve(context, job, refusal, () => fail(context, job, refusal)),
  async deferred(context, job, refusal) {
    const { db, now } = context;
    const delay = deferredDelaysMs[job.batch.epoch];
    if (delay === undefined) return fail(context, job, refusal);
    await settle.postponed(db, job.batch, { error: refusal.message, at: new Date(now.getTime() + delay), now });
  },
};

/** Everything waits: as long as the provider asked, or until it may be called again. */
async function pauseSending(
  { db, pausedUntil, now }: Context,
  { batch }: Job,
  refusal: Refusal,
  reason: settle.PausedFor,
) {
  const asked = new Date(now.getTime() + Math.min(refusal.retryAfterMs ?? 1_000, maxPauseMs));
  const until = pausedUntil && pausedUntil > asked && reason !== "daily-quota" ? pausedUntil : asked;
  await settle.postponed(db, batch, { error: refusal.message, at: until, now }, (orm) =>
    settle.pauseSendingIn(orm, until, reason),
  );
}

async function pause({ db, notify, now }: Context, { broadcast, batch }: Job, refusal: Refusal, reason: PauseReason) {
  const follow = (orm: Orm) => pauseIn(orm, broadcast.id, { reason, detail: refusal.message, notify }, now);
  await settle.postponed(db, batch, { error: refusal.message, at: now, now }, follow);
}

/**
 * Splits a batch repeatedly, down to the single email that is at fault. A problem with the content existed at an
 * earlier attempt under the same key too, so that attempt was not sent either.
 */
async function halve({ db, now }: Context, { batch }: Job, refusal: Refusal, single: () => Promise<void>) {
  if (batch.frozen.length === 1) return single();
  await settle.split(db, batch, refusal.message, now);
}

async function fail({ db, notify, now }: Context, { broadcast, batch }: Job, { reason, message }: Refusal) {
  const isBounce = reason === "bounced";
  await settle.failed(db, batch, { error: message, isBounce, now }, async (orm, { refusals, wasAccepted }) => {
    const most = wasAccepted ? maxRefusals.later : maxRefusals.beforeAny;
    if (isBounce || refusals < most) return;
    await pauseIn(orm, broadcast.id, { reason: "refused", detail: message, notify }, now);
  });
}
