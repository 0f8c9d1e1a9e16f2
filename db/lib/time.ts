export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The day since 1970, UTC. Figures are kept by UTC day, for all managers alike. */
export const dayOf = (at: Date) => Math.floor(at.getTime() / dayMs);

/**
 * How far in the future a stored time may be before the clock is considered to have been wrong. Clocks are normally
 * adjusted by seconds.
 */
export const clockSlackMs = 60_000;

/** How long deleted rows stay in the trash and can be restored (D39). */
export const trashRetentionMs = 30 * dayMs;
