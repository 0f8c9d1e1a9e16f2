import { z } from "zod";
import type { MessageAction, ChangedMessages } from "../../../db/contact/bulk";
import { plural } from "../../../views/components/list";
import { bulkActions } from "../bulk-actions";
import { toTrash } from "../bulk-subject";
import { bulkBody } from "../bulk-request";

/** What the page's forms send: selected messages, all that match the filter, or those that one action changed. */
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
  past,
  ...(undo && { undo }),
});

/** The bulk actions on messages. */
export const messageActions = bulkActions<MessageAction, NonNullable<ChangedMessages["first"]>>({
  rows: ["message", "messages"],
  nameOf: ({ name }) => `Message from ${name}`,
  noneSelected: "No messages selected.",
  tooLate: () => "Nothing changed: already moved or deleted.",
  others: (count) => `${plural(count, "other")} had already been moved or deleted.`,
  actions: {
    read: quick("marked as read"),
    unread: quick("marked as unread"),
    archive: quick("archived", { do: "unarchive", ofMany: true }),
    unarchive: quick("moved to the inbox"),
    spam: quick("marked as spam", { do: "not-spam", ofMany: false }),
    "not-spam": quick("marked as not spam"),
    release: {
      verb: (rows) => `Release ${rows}`,
      asks: "many",
      consequence: () => "They will be moved to the inbox, among your other messages. No notification emails are sent.",
      past: "released to the inbox",
    },
    trash: toTrash(),
    restore: quick("restored"),
    delete: {
      verb: (rows) => `Permanently delete ${rows}`,
      asks: "always",
      consequence: (count) =>
        `The ${count === 1 ? "message and all its" : "messages and all their"} content will be permanently deleted. This cannot be undone.`,
      past: "permanently deleted",
    },
  },
});
