import type { Broadcast } from "../../db/broadcasts/broadcasts";

/** The JSON of a broadcast: its state, its audience and every counter. */
export function summaryOf(broadcast: Broadcast, now: Date) {
  const { id, subject, state, stateReason, stateDetail, audience, ...rest } = broadcast;
  const { claimed, accepted, delivered, bounced, softBounced, complained, unsubscribed } = rest;
  const { failed, uncertain, skipped, simulated, version, slug } = rest;
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
  return {
    ...{ id, slug, subject, state, stateReason, stateDetail, version, ...times, ...resting, audience },
    ...{ claimed, accepted, delivered, bounced, softBounced, complained, unsubscribed },
    ...{ failed, uncertain, skipped, simulated },
  };
}
