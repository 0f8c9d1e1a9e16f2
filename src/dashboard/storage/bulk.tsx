import { z } from "zod";
import type { FileSelection, ChangedFiles } from "../../../db/storage/files-bulk";
import type { Notice } from "../../../views/components/frame";
import { plural } from "../../../views/components/list";
import { bulkActions } from "../bulk-actions";
import { bulkBody, undoableSelectionOf } from "../bulk-request";
import { scopes, type View } from "./query";

/** What the forms of these pages send: files by their boxes, all that match, or those that one deletion took. */
export const FileBulk = bulkBody(["trash", "restore", "delete", "move", "download"]).extend({
  to: z.string().optional(),
  anyway: z.string().optional(),
});
export type FileBulk = z.output<typeof FileBulk>;
export type FileChange = FileBulk & { do: "trash" | "restore" | "delete" };

export const selected = (bulk: FileBulk, view: View): FileSelection => undoableSelectionOf(bulk, scopes[view]);

/** What can be done to files besides moving and downloading them, which have pages of their own. */
export const fileActions = bulkActions<"trash" | "restore" | "delete", NonNullable<ChangedFiles["first"]>>({
  rows: ["file", "files"],
  nameOf: ({ filename }) => filename,
  noneSelected: "No file was selected.",
  tooLate: () => "Nothing to do: already done, or gone.",
  others: () => "",
  actions: {
    trash: {
      verb: (rows) => `Delete ${rows}`,
      asks: "several",
      consequence: () => "They go to the trash, from where they can be restored for 30 days.",
      past: () => "moved to the trash",
      undo: { do: "restore", ofMany: true },
    },
    restore: { verb: (rows) => `Restore ${rows}`, asks: "never", past: () => "restored" },
    delete: {
      verb: (rows) => `Delete ${rows} for good`,
      asks: "always",
      consequence: () => "The bytes are removed from the storage. This cannot be undone.",
      past: () => "deleted for good",
    },
  },
});

/** What the action leaves alone, because a post or a project shows it. */
export const othersInUse = (inUse: number) =>
  `${plural(inUse, "other stays", "others stay")}: a post or a project uses ${inUse === 1 ? "it" : "them"}.`;

/** Adds to what happened what stayed as it was. */
export function withFilesInUse(notice: Notice, { first }: ChangedFiles, inUse: number): Notice {
  if (inUse === 0) return notice;
  if (first) return { ...notice, text: `${notice.text} ${othersInUse(inUse)}` };
  return { kind: "bad", text: `Not deleted: a post or a project uses ${inUse === 1 ? "that file" : "those files"}.` };
}
