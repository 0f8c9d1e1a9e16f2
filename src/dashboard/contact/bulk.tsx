import { z } from "zod";
import type { MessageAction, ChangedMessages } from "../../../db/contact/bulk";
import { plural } from "../../../views/components/list";
import { bulkActions } from "../bulk-actions";
import { bulkBody } from "../bulk-request";

/** What the forms of this page send: messages by their boxes, all that match the filter, or what one move took. */
export const MessageBulk = bulkBody([
  "read",
  "unread",
  "archive",
  "unarchive",
  "spam",
  "not-spam",
  "release",
  "trash",
  "restore",
  "delete",
]);
export type MessageBulk = z.output<typeof MessageBulk>;

const quick = (past: string, undo?: { do: MessageAction; ofMany: boolean }) => ({
  verb: (rows: string) => rows,
  asks: "never" as const,
  past: () => past,
  ...(undo && { undo }),
});

/** What can be done to messages. */
export const messageActions = bulkActions<MessageAction, NonNullable<ChangedMessages["first"]>>({
  rows: ["message", "messages"],
  nameOf: ({ name }) => `Message from ${name}`,
  noneSelected: "No message was selected.",
  tooLate: (count) => `Nothing to do: ${count === 1 ? "it was" : "they were"} moved or deleted already.`,
  others: (count) => `${plural(count, "other was", "others were")} moved or deleted already.`,
  actions: {
    read: quick("marked as read"),
    unread: quick("marked as unread"),
    archive: quick("archived", { do: "unarchive", ofMany: true }),
    unarchive: quick("back in the inbox"),
    spam: quick("marked as spam", { do: "not-spam", ofMany: false }),
    "not-spam": quick("no longer spam"),
    release: {
      verb: (rows) => `Release ${rows}`,
      asks: "many",
      consequence: () => "They move to the inbox, among your other messages. No notification emails are sent.",
      past: () => "released to the inbox",
    },
    trash: {
      verb: (rows) => `Delete ${rows}`,
      asks: "several",
      consequence: () => "They go to the trash, from where they can be restored for 30 days.",
      past: () => "moved to the trash",
      undo: { do: "restore", ofMany: true },
    },
    restore: quick("restored"),
    delete: {
      verb: (rows) => `Delete ${rows} for good`,
      asks: "always",
      consequence: (count) =>
        `${count === 1 ? "It is" : "They are"} removed with everything that was written. This cannot be undone.`,
      past: () => "deleted for good",
    },
  },
});
