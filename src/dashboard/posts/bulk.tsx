import { z } from "zod";
import type { Chosen, Move, Moved } from "../../../db/posts/bulk";
import { slugOf } from "../../../db/lib/slug";
import { Field, Form } from "../../../views/components/form";
import type { Frame, Notice } from "../../../views/components/frame";
import { plural } from "../../../views/components/list";
import { path } from "../../../views/dashboard/posts/state";
import { line } from "../../http/request-schemas";
import { ask } from "../responses";
import { answer, askAboutMany, choice, fromFilter, isConfirmed } from "../bulk-actions";
import { filterOf, Query } from "./query";

/** What the forms of the list send: posts by their boxes, all that match the filter, or what one move threw away. */
export const Order = z.object({
  do: z.enum(["publish", "unpublish", "tag", "untag", "trash", "restore", "delete"]),
  ...choice,
  filter: z.string().optional(),
  trashed: z.coerce.number().int().min(1).max(8.64e15).optional(),
  tag: z.string().optional(),
  ...answer,
});
export type Order = z.output<typeof Order>;

export function chosenBy({ ids, all, filter, trashed }: Order): Chosen {
  if (trashed) return { trashedAt: new Date(trashed) };
  return all ? { matching: filterOf(Query.parse(fromFilter(filter ?? ""))) } : { ids };
}

/** The tag a move adds or takes off, "" when none was named; undefined when what was named cannot be one. */
export function tagIn({ tag = "" }: Order): string | undefined {
  const { data } = line({ max: 50 }).safeParse(tag);
  return data === "" || (data && slugOf(data)) ? data : undefined;
}

/** What takes a post away from its readers is asked about, and so is everything that is done to more than one. */
export function isSure({ do: move, ...given }: Order, count: number): boolean {
  if (count === 0 || move === "restore") return true;
  if (count === 1 && !["unpublish", "delete"].includes(move)) return true;
  return isConfirmed(given, count);
}

const verbs: Record<Move, string> = {
  publish: "Publish",
  unpublish: "Unpublish",
  tag: "Tag",
  untag: "Remove the tag from",
  trash: "Delete",
  restore: "Restore",
  delete: "Delete for good",
};

const consequences: Record<Move, (count: number) => string> = {
  publish: () => "Everybody can read them at once; those with a time in the future appear at that time.",
  unpublish: (n) =>
    `${n === 1 ? "It is" : "They are"} no longer there for readers. Links to ${n === 1 ? "it" : "them"} lead nowhere until ${n === 1 ? "it is" : "they are"} published again.`,
  tag: () => "Lists of this tag show them then.",
  untag: () => "Lists of this tag do not show them any more.",
  trash: () => "They go to the trash, from where they can be restored for 30 days. Readers do not find them there.",
  restore: () => "",
  delete: (n) => `${n === 1 ? "It is" : "They are"} removed with all revisions. This cannot be undone.`,
};

export function askFirst(request: Request, frame: Frame, order: Order, count: number) {
  const { do: move, filter = "", tag = "" } = order;
  const verb = `${verbs[move]} ${plural(count, "post")}`;
  return askAboutMany(request, {
    ...{ frame, order, count, rows: "posts", verb },
    title: tag ? `${verb}: ${tag}?` : `${verb}?`,
    more: tag ? { tag } : {},
    action: `${path}/moves`,
    cancel: `${path}?${filter}`,
    children: <p>{consequences[move](count)}</p>,
  });
}

/** Which tag? Posts are tagged, or lose a tag, in one step. */
export function askForTag(request: Request, frame: Frame, order: Order, names: string[], isWrong: boolean) {
  const { ids, all, filter = "", tag = "" } = order;
  const chosen = all ? { all: [all] } : { ids };
  const errors = isWrong
    ? [{ field: "tag", message: "must be a name of at most 50 characters, with letters or digits" }]
    : [];
  return ask(request, {
    frame,
    title: "Tag the selected posts",
    status: isWrong ? 422 : 200,
    children: (
      <Form action={`${path}/moves`} token={frame.token} class="stack" label="Tag">
        {Object.entries({ ...chosen, filter: [filter] }).flatMap(([name, values]) =>
          values.map((value) => <input type="hidden" name={name} value={value} />),
        )}
        <Field
          name="tag"
          label="Tag"
          scope="move"
          value={tag}
          list="move-tags"
          errors={errors}
          required
          maxlength={50}
          autofocus
        />
        <datalist id="move-tags">
          {names.map((name) => (
            <option value={name} />
          ))}
        </datalist>
        <footer>
          <a class="btn" href={`${path}?${filter}`} data-close>
            Cancel
          </a>
          <button type="submit" class="btn" name="do" value="untag">
            Remove tag
          </button>
          <button type="submit" class="btn primary" name="do" value="tag">
            Add tag
          </button>
        </footer>
      </Form>
    ),
  });
}

const past: Record<Move, string> = {
  publish: "published",
  unpublish: "unpublished",
  tag: "tagged",
  untag: "without the tag now",
  trash: "moved to the trash",
  restore: "restored",
  delete: "deleted for good",
};

/** What happened, and to how many; whoever came too late is told so. */
export function told({ do: move, ids, all, trashed }: Order, { count, first }: Moved): string {
  if (!first && !ids.length && !all && !trashed) return "No post was selected.";
  if (!first) return "Nothing to do: that was done already, or they are gone.";
  const others = all || trashed ? 0 : new Set(ids).size - count;
  const what = count === 1 ? `“${first.title}”` : plural(count, "post");
  const late = others > 0 ? ` For ${plural(others, "other")} there was nothing to do.` : "";
  return `${what} ${count === 1 ? "is" : "are"} ${past[move]}.${late}`;
}

/** The way back from the trash. */
export function undoOf(move: Move, { count, first }: Moved, at: Date): Pick<Notice, "undo"> {
  if (move !== "trash" || !first) return {};
  const which = count === 1 ? { ids: first.id } : { trashed: String(at.getTime()) };
  return { undo: { action: `${path}/moves`, fields: { do: "restore", ...which } } };
}
