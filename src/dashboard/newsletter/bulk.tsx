import { z } from "zod";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import { bulkActions } from "../bulk-actions";
import { bulkBody, type selectionBody, selectionOf } from "../bulk-request";
import { filterOf, Query } from "./query";

export const SubscriberBulk = bulkBody(["reactivate", "delete"]);
export type SubscriberBulk = z.output<typeof SubscriberBulk>;

export const selected = (bulk: z.output<typeof selectionBody>) =>
  selectionOf(bulk, (given) => filterOf(Query.parse(given)));

/** What can be done to subscribers. */
export const subscriberActions = bulkActions<SubscriberBulk["do"], Subscriber>({
  rows: ["subscriber", "subscribers"],
  nameOf: ({ email }) => email,
  noneSelected: "Nobody was selected.",
  tooLate: () => "Already deleted.",
  others: () => "",
  actions: {
    reactivate: {
      verb: (rows) => `Reactivate ${rows}`,
      asks: "several",
      consequence: () =>
        "They will get the newsletter again. Only do this if they asked you to: writing to people who unsubscribed is against the law in many places.",
      past: () => "will get the newsletter again",
      tooLate: "Nothing to do: they are active already, or gone.",
    },
    delete: {
      verb: (rows) => `Delete ${rows}`,
      asks: "always",
      consequence: () =>
        "They are removed for good, and this cannot be undone. Export them first if you may need the addresses again.",
      past: (count) => (count === 1 ? "was deleted" : "were deleted"),
    },
  },
});
