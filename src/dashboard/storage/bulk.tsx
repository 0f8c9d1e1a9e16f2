import { z } from "zod";
import type { Chosen, Move, Moved } from "../../../db/storage/files-bulk";
import type { Frame, Notice } from "../../../views/components/frame";
import { plural } from "../../../views/components/list";
import { answer, askAboutMany, choice, fromFilter, isConfirmed } from "../bulk-actions";
import { scopes, type View } from "./query";

/** What the forms of these pages send: files by their boxes, all that match, or those that one deletion took. */
export const Order = z.object({
  do: z.enum(["trash", "restore", "delete", "move", "download"]),
  ...choice,
  filter: z.string().optional(),
  deleted: z.coerce.number().int().min(1).max(8.64e15).optional(),
  to: z.string().optional(),
  anyway: z.string().optional(),
  ...answer,
});
export type Order = z.output<typeof Order>;

export function chosenBy({ ids, all, filter = "", deleted }: Order, view: View): Chosen {
  if (deleted) return { deletedAt: new Date(deleted) };
  return all ? { matching: scopes[view](fromFilter(filter)) } : { ids };
}

/** What cannot be taken back is asked about, and what throws away more than one; more than a hundred are typed. */
export function isSure({ do: move, ...given }: Order, count: number): boolean {
  if (count === 0 || move === "restore" || (move === "trash" && count === 1)) return true;
  return isConfirmed(given, count);
}

type Question = { order: Order; action: string; back: string; count: number; inUse: number };

export function askFirst(request: Request, frame: Frame, { order, action, back, count, inUse }: Question) {
  const forGood = order.do === "delete";
  return askAboutMany(request, {
    ...{ frame, order, count, rows: "files", action, cancel: back },
    verb: `Delete ${plural(count, "file")}${forGood ? " for good" : ""}`,
    children: (
      <>
        <p>
          {forGood
            ? "The bytes are removed from the storage. This cannot be undone."
            : "They go to the trash, from where they can be restored for 30 days."}
        </p>
        {inUse > 0 && <p>{stay(inUse)}</p>}
      </>
    ),
  });
}

const stay = (inUse: number) =>
  `${plural(inUse, "other stays", "others stay")}: a post or a project uses ${inUse === 1 ? "it" : "them"}.`;

const past: Record<Move, string> = {
  trash: "moved to the trash",
  restore: "restored",
  delete: "deleted for good",
};

/** What happened, to how many, and what stayed as it was. */
export function told(order: Order, { count, first }: Moved, inUse: number): Notice {
  const { ids, all, deleted } = order;
  if (!first && inUse > 0)
    return { kind: "bad", text: `Not deleted: a post or a project uses ${inUse === 1 ? "that file" : "those files"}.` };
  const isNone = ids.length === 0 && !all && !deleted;
  if (!first) return { kind: "good", text: isNone ? "No file was selected." : "Nothing to do: already done, or gone." };
  const what = count === 1 ? first.filename : plural(count, "file");
  return { kind: "good", text: `${what} ${past[order.do as Move]}.${inUse > 0 ? ` ${stay(inUse)}` : ""}` };
}

/** The way back from the trash. */
export function undoOf({ do: move }: Order, { first }: Moved, at: Date, action: string): Pick<Notice, "undo"> {
  if (!first || move !== "trash") return {};
  return { undo: { action, fields: { do: "restore", deleted: String(at.getTime()) } } };
}
