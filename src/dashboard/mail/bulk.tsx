import { z } from "zod";
import type { ChangedMails } from "../../../db/mail/list";
import { bulkActions } from "../bulk-actions";
import { bulkBody } from "../bulk-request";

export const MailBulk = bulkBody(["retry", "cancel"]);
export type MailBulk = z.output<typeof MailBulk>;

/** What can be done to mails. */
export const mailActions = bulkActions<MailBulk["do"], NonNullable<ChangedMails["first"]>>({
  rows: ["mail", "mails"],
  nameOf: ({ recipient }) => `The mail to ${recipient}`,
  noneSelected: "No mail was selected.",
  tooLate: () => "",
  others: () => "",
  actions: {
    retry: {
      verb: (rows) => `Send ${rows} again`,
      asks: "never",
      past: (count) => (count === 1 ? "is queued" : "are queued"),
      tooLate: "Nothing to do: none of them had failed.",
    },
    cancel: {
      verb: (rows) => `Cancel ${rows}`,
      asks: "never",
      past: () => "will not be sent",
      tooLate: "Nothing to do: none of them was waiting.",
    },
  },
});
