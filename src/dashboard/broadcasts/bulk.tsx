import { z } from "zod";
import type { BroadcastAction, ChangedBroadcasts } from "../../../db/broadcasts/list";
import { plural } from "../../../views/components/list";
import { bulkActions } from "../bulk-actions";
import { bulkBody } from "../bulk-request";

/** What the list's forms send. */
export const BroadcastBulk = bulkBody(["trash", "restore", "delete"]);
export type BroadcastBulk = z.output<typeof BroadcastBulk>;

/** The bulk actions on broadcasts. Sent broadcasts, and those under way, cannot be deleted. */
export const broadcastActions = bulkActions<BroadcastAction, NonNullable<ChangedBroadcasts["first"]>>({
  rows: ["broadcast", "broadcasts"],
  nameOf: ({ subject }) => (subject ? `“${subject}”` : "Broadcast"),
  noneSelected: "No broadcasts selected.",
  tooLate: () => "Nothing changed: only drafts and cancelled broadcasts can be deleted.",
  others: (count) => `${plural(count, "other")} not changed: only drafts and cancelled broadcasts can be deleted.`,
  actions: {
    trash: {
      verb: (rows) => `Delete ${rows}`,
      asks: "several",
      consequence: () => "They will be moved to the trash and can be restored for 30 days.",
      past: "moved to the trash",
      undo: { do: "restore", ofMany: true },
    },
    restore: { verb: (rows) => `Restore ${rows}`, asks: "never", past: "restored", tooLate: "Nothing changed." },
    delete: {
      verb: (rows) => `Permanently delete ${rows}`,
      asks: "always",
      consequence: (n) =>
        `The ${n === 1 ? "broadcast and its" : "broadcasts and their"} reports will be permanently deleted. This cannot be undone.`,
      past: "permanently deleted",
      tooLate: "Nothing changed.",
    },
  },
});
