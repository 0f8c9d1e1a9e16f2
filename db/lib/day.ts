export const dayMs = 86_400_000;

/** The day since 1970, UTC. Figures are kept by UTC day, for all managers alike. */
export const dayOf = (at: Date) => Math.floor(at.getTime() / dayMs);
