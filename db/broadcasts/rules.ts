import { dayMs, hourMs } from "../lib/time";
import type { Broadcast } from "./broadcasts";

/* What can still happen to a broadcast, by its state. A resumed or repeated one is "sending" again. */

type State = Broadcast["state"];

/** Confirmed and not over: these can be cancelled. */
export const openStates: readonly State[] = ["scheduled", "sending", "paused"];
/** Sending has begun, so someone may have it. */
export const startedStates: readonly State[] = ["sending", "paused", "sent", "cancelled"];
/** No one else gets it, unless a manager sends it again. */
export const endedStates: readonly State[] = ["sent", "cancelled"];

/** Whether it is confirmed and not over. */
export const isOpen = ({ state }: Pick<Broadcast, "state">): boolean => openStates.includes(state);
/** Whether no one else gets it. */
export const isEnded = ({ state }: Pick<Broadcast, "state">): boolean => endedStates.includes(state);

/** How long a subject and a preheader may be, in characters. */
export const maxSubject = 150;

/** How many test emails all broadcasts together may send in an hour. */
export const maxTestsPerHour = 20;

/** How long after “now” a broadcast starts: a minute to stop it. With a post that is scheduled, it starts at its time. */
export const timeToStopMs = 60_000;

/** How far ahead a broadcast can be scheduled. */
export const maxAheadMs = 366 * dayMs;

/* Why a broadcast pauses, and when automatically. Pure, so that pages say what is done. */

/** Why a broadcast is paused: by a manager, or automatically. */
export type PauseReason =
  | "manager"
  | "missed" // it was due while the service was down
  | "restored" // it comes from a backup
  | "sequence" // its sequence is paused, by a manager or because of another of its emails
  | "late" // many people of its sequence should have got it days ago
  | "post" // its post, with which it goes out, is not public
  | "segment" // its segment cannot be read
  | "letter" // its letter cannot be written
  | "bounces"
  | "complaints"
  | "refused" // the provider refused several emails in a row
  | "credentials"
  | "quota";

/** Whether a manager has to look at something before the broadcast is resumed. */
export const needsReview = ({ stateReason }: Pick<Broadcast, "stateReason">): boolean =>
  ["bounces", "complaints", "restored"].includes(stateReason ?? "");

/**
 * A broadcast that is overdue for longer is not sent automatically: the service was down, and the text may be out of
 * date.
 */
export const maxLatenessMs = 6 * hourMs;

/** A broadcast pauses after so many single emails refused in a row: the letter is at fault, or something else that no retry fixes. */
export const maxRefusals = { beforeAny: 3, later: 20 };

/* The brakes, which protect the sender's reputation. */

/** From so many emails that the provider answered on, these shares pause a broadcast, if there are so many at least. */
export const brakes = { from: 200, bounces: { share: 0.08, least: 10 }, complaints: { share: 0.003, least: 3 } };

/** How many there are, of how many, since a manager last looked. */
export type Sample = { count: number; of: number };

const answeredBy = ({ accepted, failed }: Broadcast) => accepted + failed;

/** The permanent bounces so far, which a manager has seen once the broadcast is resumed. */
export const bouncesIn = ({ bounced, refusedBounces }: Broadcast) => bounced + refusedBounces;

/**
 * Returns the permanent bounces, whether the provider refused the email for it or reported it later. They are compared
 * with the emails whose end was reported, or, if there are few such reports, with those that the provider answered: by
 * SMTP, no delivery is ever reported.
 */
export function bouncesOf(broadcast: Broadcast): Sample {
  const count = Math.max(0, bouncesIn(broadcast) - broadcast.reviewedBounced); // fewer once refused ones are tried again
  return { count, of: base(broadcast, deliveredOf(broadcast) + count) };
}

/** Returns the complaints, compared with the deliveries, or with the answered emails if few were reported. */
export const complaintsOf = (broadcast: Broadcast): Sample => ({
  count: broadcast.complained - broadcast.reviewedComplained,
  of: base(broadcast, deliveredOf(broadcast)),
});

const deliveredOf = ({ delivered, reviewedDelivered }: Broadcast) => delivered - reviewedDelivered;

function base(broadcast: Broadcast, reported: number): number {
  const answered = answeredBy(broadcast) - broadcast.reviewedAnswered;
  return reported >= brakes.from ? reported : Math.max(reported, answered);
}

/** Whether a sample is more than a broadcast may have. */
const isOver = ({ count, of }: Sample, { share, least }: { share: number; least: number }) =>
  count >= least && count > share * of;

/** Returns why the broadcast has to pause before more of it is sent; undefined if it need not. */
export function brake(broadcast: Broadcast): "bounces" | "complaints" | undefined {
  if (answeredBy(broadcast) < brakes.from) return;
  if (isOver(complaintsOf(broadcast), brakes.complaints)) return "complaints";
  if (isOver(bouncesOf(broadcast), brakes.bounces)) return "bounces";
}
