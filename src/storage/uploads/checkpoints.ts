/** What has just become true of an upload: the moments at which a crash would leave the most to repair. */
export type Step =
  | "reserved"
  | "initiated"
  | "opened"
  | "reopening"
  | "completing"
  | "completed at the provider"
  | "aborting"
  | "aborted at the provider"
  | "settled";

/** Told of every step. The service tells nobody; tests crash there. */
export type At = (step: Step) => void;
