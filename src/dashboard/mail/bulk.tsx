import { z } from "zod";
import type { ChangedMails } from "../../../db/mail/list";
import { bulkActions } from "../bulk-actions";
import { bulkBody } from "../bulk-request";

export const MailBulk = bulkBody(["retry", "cancel"]);
export type MailBulk = z.output<typeof MailBulk>;

/** The bulk actions on emails. */
export const mailActions = bulkActions<MailBulk["do"], NonNullable<ChangedMails["first"]>>({
  rows: ["email", "emails"],
  nameOf: ({ recipient }) => `Email to ${recipient}`,
  noneSelected: "No emails selected.",
  tooLate: () => "",
  others: () => "",
  actions: {
    retry: {
      verb: (rows) => `Retry ${rows}`,
      asks: "never",
      past: "queued",
      tooLate: "Nothing to retry: none of the selected emails had failed.",
    },
    cancel: {
      verb: (rows) => `Cancel ${rows}`,
      asks: "never",
      past: "cancelled",
      tooLate: "Nothing to cancel: none of the selected emails was queued.",
    },
  },
});
