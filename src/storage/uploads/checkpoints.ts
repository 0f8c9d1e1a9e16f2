/** A step that an upload has just taken: after each, a crash leaves something different to repair. */
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
