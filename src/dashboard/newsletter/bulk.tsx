import { z } from "zod";
import type { Subscriber } from "../../../db/newsletter/subscribers";
import { bulkActions } from "../bulk-actions";
import { bulkBody, type selectionBody, undoableSelectionOf } from "../bulk-request";
import { timeZoneOf } from "../period";
import { filterOf, Query } from "./list";

export const SubscriberBulk = bulkBody([
  ...(["reactivate", "unsubscribe", "resubscribe", "remind", "confirm", "delete"] as const),
]).extend({ note: z.string().optional() });
export type SubscriberBulk = z.output<typeof SubscriberBulk>;

export const selected = (request: Request, bulk: z.output<typeof selectionBody>) =>
  undoableSelectionOf(bulk, (given) => filterOf(Query.parse(given), timeZoneOf(request)));

/** The bulk actions on subscribers. */
export const subscriberActions = bulkActions<SubscriberBulk["do"], Subscriber>({
  rows: ["subscriber", "subscribers"],
  nameOf: ({ email }) => email,
  noneSelected: "No subscribers selected.",
  tooLate: () => "Already deleted.",
  others: () => "",
  actions: {
    reactivate: {
      verb: (rows) => `Reactivate ${rows}`,
      asks: "several",
      consequence: () =>
        "They will receive the newsletter again. Only do this if they asked you to: emailing people who unsubscribed is illegal in many countries.",
      past: "reactivated",
      tooLate: "Nothing to reactivate: already active or deleted.",
    },
    unsubscribe: {
      verb: (rows) => `Unsubscribe ${rows}`,
      asks: "several",
      consequence: () => "They will no longer receive the newsletter. Their addresses stay in the list.",
      past: "unsubscribed",
      tooLate: "Nothing to unsubscribe: already unsubscribed or deleted.",
      undo: { do: "resubscribe", ofMany: true },
    },
    /** Undoes an unsubscribe: offered only with its result, and by its moment if there are several. */
    resubscribe: {
      verb: (rows) => `Reactivate ${rows}`,
      asks: "never",
      past: "reactivated",
      tooLate: "Nothing to reactivate: already active or deleted.",
    },
    remind: {
      verb: (rows) => `Send the link to ${rows} again`,
      asks: "several",
      consequence: () =>
        "Those who are pending get another email with the link to confirm, at most five in 30 days and one in ten minutes.",
      past: "will get the link again",
      tooLate: "No link was sent: already confirmed, or too many emails recently.",
    },
    confirm: {
      verb: (rows) => `Confirm ${rows}`,
      asks: "always",
      consequence: () => "They will receive the newsletter. Your note is kept as proof of how they agreed.",
      past: "confirmed",
      tooLate: "Nothing to confirm: none of them was pending.",
    },
    delete: {
      verb: (rows) => `Delete ${rows}`,
      asks: "always",
      consequence: (count) =>
        count === 1
          ? "The address, name and source will be permanently deleted. This cannot be undone."
          : "They will be permanently deleted. Export them first if you may need the addresses later. This cannot be undone.",
      past: "deleted",
    },
  },
});
