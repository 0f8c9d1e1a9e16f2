import type { Limits, Needs } from "./limits";
import { sharedLimits } from "./shared";
import { limitsInMemory } from "./in-memory";

/**
 * Sliding windows (D30): at most `max` admissions in any `seconds`. A rejection uses up nothing and prolongs nothing.
 * The decision is made in memory; admissions are written to the database before the response is sent, so that a restart
 * forgets none.
 */
export const openLimits = async (needs: Needs): Promise<Limits> =>
  needs.db.isShared ? sharedLimits(needs) : limitsInMemory(needs);
