import type { SuppressionReason } from "../../../db/suppressions/suppressions";

/** Why an address gets no email, as pages word it. */
export const suppressionReasons: Record<SuppressionReason, string> = {
  bounce: "Bounced",
  complaint: "Marked as spam",
  provider: "Blocked by the provider",
  manual: "Added by a manager",
  erased: "Erased",
  import: "Imported",
};
