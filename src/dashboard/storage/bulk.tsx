import { z } from "zod";
import type { FileSelection, ChangedFiles } from "../../../db/storage/files-bulk";
import type { Notice } from "../../../views/components/frame";
import { plural } from "../../../views/components/list";
import { bulkActions, toTrash } from "../bulk-actions";
import { bulkBody, undoableSelectionOf } from "../bulk-request";
import { scopes, type View } from "./query";

/** What the pages' forms send: selected files, all that match, or those that one deletion moved. */
export const FileBulk = bulkBody(["trash", "restore", "delete", "move", "download"]).extend({
  to: z.string().optional(),
  anyway: z.string().optional(),
});
export type FileBulk = z.output<typeof FileBulk>;
export type FileChange = FileBulk & { do: "trash" | "restore" | "delete" };

export const selected = (bulk: FileBulk, view: View): FileSelection => undoableSelectionOf(bulk, scopes[view]);

/** The bulk actions on files, except moving and downloading, which have pages of their own. */
export const fileActions = bulkActions<"trash" | "restore" | "delete", NonNullable<ChangedFiles["first"]>>({
  rows: ["file", "files"],
  nameOf: ({ filename }) => filename,
  noneSelected: "No files selected.",
  tooLate: () => "Nothing changed: already done or deleted.",
  others: () => "",
  actions: {
    trash: toTrash(),
    restore: { verb: (rows) => `Restore ${rows}`, asks: "never", past: "restored" },
    delete: {
      verb: (rows) => `Permanently delete ${rows}`,
      asks: "always",
      consequence: (count) =>
        `The ${count === 1 ? "file" : "files"} will be removed from storage. This cannot be undone.`,
      past: "permanently deleted",
    },
  },
});

/** Files that the action leaves alone because a post or project uses them: said before, or afterwards. */
export const othersInUse = (inUse: number, isDone: boolean) => {
  const verb = isDone ? (inUse === 1 ? "was" : "were") : "will be";
  return `${plural(inUse, "other")} ${verb} kept because a post or project uses ${inUse === 1 ? "it" : "them"}.`;
};

/** Adds to a notice which files stayed as they were. */
export function withFilesInUse(notice: Notice, { first }: ChangedFiles, inUse: number): Notice {
  if (inUse === 0) return notice;
  if (first) return { ...notice, text: `${notice.text} ${othersInUse(inUse, true)}` };
  return { kind: "bad", text: "Not deleted: in use by a post or project." };
}
