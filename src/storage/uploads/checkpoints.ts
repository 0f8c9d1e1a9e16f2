/** What has just happened to an upload: the moments at which a crash would leave the most to repair. */
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

/** Called at every step. The service passes nothing; tests crash there. */
export type At = (step: Step) => void;
