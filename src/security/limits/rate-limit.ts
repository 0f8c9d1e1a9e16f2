import type { Limits, Needs } from "./limits";
import { sharedLimits } from "./shared";
import { limitsInMemory } from "./in-memory";

/**
 * Sliding windows (D30): in any `seconds` at most `max` admissions. A refusal costs nothing and prolongs nothing.
 * The decision is made in memory; what was admitted is written down, and the response waits for that, so a restart
 * forgives nobody.
 */
export const openLimits = async (needs: Needs): Promise<Limits> =>
  needs.db.isShared ? sharedLimits(needs) : limitsInMemory(needs);
