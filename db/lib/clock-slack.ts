/**
 * How far in the future a stored time may be before the clock is considered to have been wrong. Clocks are normally
 * adjusted by seconds.
 */
export const clockSlackMs = 60_000;
