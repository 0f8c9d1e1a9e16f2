/** How far in the future a stored time may lie before it is the clock's mistake: clocks are set right by seconds. */
export const clockSlackMs = 60_000;
