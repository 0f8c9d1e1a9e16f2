import { z } from "zod";
import type { Chosen, Moved, Move } from "../../../db/contact/bulk";
import type { Frame, Notice } from "../../../views/components/frame";
import { plural } from "../../../views/components/list";
import { filterOf, path, Query } from "./query";
import { answer, askAboutMany, choice, fromFilter, isConfirmed } from "../bulk-actions";

const moves = ["read", "unread", "archive", "unarchive", "spam", "not-spam", "trash", "restore", "delete"] as const;

/** What the forms of this page send: messages by their boxes, all that match the filter, or what one move took. */
export const Order = z.object({
  do: z.enum(moves),
  ...choice,
  filter: z.string().optional(),
  moved: z.coerce.number().int().min(1).max(8.64e15).optional(),
  ...answer,
});
export type Order = z.output<typeof Order>;

export function chosenBy({ ids, all, filter, moved }: Order): Chosen {
  if (moved) return { movedAt: new Date(moved) };
  if (!all) return { ids };
  return { matching: filterOf(Query.parse(fromFilter(filter ?? ""))) };
}

/** What cannot be taken back is asked about, and what throws away more than one; more than a hundred are typed. */
export function isSure({ do: move, ...given }: Order, count: number): boolean {
  if (count === 0 || (move !== "delete" && !(move === "trash" && count > 1))) return true;
  return isConfirmed(given, count);
}

export function askFirst(request: Request, frame: Frame, order: Order, count: number) {
  const forGood = order.do === "delete";
  return askAboutMany(request, {
    ...{ frame, order, count, rows: "messages" },
    verb: `Delete ${plural(count, "message")}${forGood ? " for good" : ""}`,
    action: `${path}/moves`,
    cancel: `${path}?${order.filter ?? ""}`,
    children: (
      <p>
        {forGood
          ? `${count === 1 ? "It is" : "They are"} removed with everything that was written. This cannot be undone.`
          : "They go to the trash, from where they can be restored for 30 days."}
      </p>
    ),
  });
}

const past: Record<Move, string> = {
  read: "marked as read",
  unread: "marked as unread",
  archive: "archived",
  unarchive: "back in the inbox",
  spam: "marked as spam",
  "not-spam": "no longer spam",
  trash: "moved to the trash",
  restore: "restored",
  delete: "deleted for good",
};

/** What happened, and to how many; whoever came too late is told so. */
export function told({ do: move, ids, all, moved: undone }: Order, { count, first }: Moved): string {
  const late = all || undone ? 0 : new Set(ids).size - count;
  if (!first)
    return late === 0 && !undone && !all
      ? "No message was selected."
      : `Nothing to do: ${late === 1 ? "it was" : "they were"} moved or deleted already.`;
  const what = count === 1 ? `Message from ${first.name}` : plural(count, "message");
  return `${what} ${past[move]}.${late > 0 ? ` ${plural(late, "other was", "others were")} moved or deleted already.` : ""}`;
}

/** The way back, for what leaves the list. */
export function undoOf({ do: move }: Order, { count, first }: Moved, at: Date): Pick<Notice, "undo"> {
  if (!first) return {};
  const moved = { moved: String(at.getTime()) };
  const back: Partial<Record<Move, Record<string, string>>> = {
    archive: { do: "unarchive", ...moved },
    trash: { do: "restore", ...moved },
    ...(count === 1 && { spam: { do: "not-spam", ids: first.id } }),
  };
  const fields = back[move];
  return fields ? { undo: { action: `${path}/moves`, fields } } : {};
}
