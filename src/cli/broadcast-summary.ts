import type { Broadcast } from "../../db/broadcasts/broadcasts";
import { ledgerOf, reportsOf } from "../../db/broadcasts/ledger";

/**
 * The JSON of a broadcast: its state, where its recipients are (the figures after `recipients` add up to it), and what
 * was reported about accepted emails. null is not known.
 */
export function summaryOf(broadcast: Broadcast, now: Date) {
  const { id, subject, state, stateReason, stateDetail, audience, ...rest } = broadcast;
  const { unsubscribed, version, slug } = rest;
  const times = {
    scheduledAt: rest.scheduledAt?.toISOString() ?? null,
    startedAt: rest.startedAt?.toISOString() ?? null,
    finishedAt: rest.finishedAt?.toISOString() ?? null,
  };
  const isResting = rest.restUntil !== null && rest.restUntil > now; // an expired rest stays in the row until the next sending
  const resting = {
    restUntil: isResting ? rest.restUntil?.toISOString() : null,
    restReason: isResting ? rest.restReason : null,
  };
  const { delivered = null, bounced = null, softBounced = null, complained = null, unreported } = reportsOf(broadcast);
  return {
    id,
    slug,
    subject,
    state,
    stateReason,
    stateDetail,
    version,
    ...times,
    ...resting,
    audience,
    ...ledgerOf(broadcast),
    delivered,
    bounced,
    softBounced,
    unreported,
    complained,
    unsubscribed,
  };
}
