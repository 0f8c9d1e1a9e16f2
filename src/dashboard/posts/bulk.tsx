import { z } from "zod";
import type { PostAction, ChangedPosts } from "../../../db/posts/bulk";
import { slugOf } from "../../../db/lib/slug";
import { Field, Form } from "../../../views/components/form";
import type { Frame } from "../../../views/components/frame";
import { plural } from "../../../views/components/list";
import { path } from "../../../views/dashboard/posts/state";
import { line } from "../../http/request-schemas";
import { ask } from "../responses";
import { bulkActions } from "../bulk-actions";
import { bulkBody } from "../bulk-request";

/** What the forms of the list send: posts by their boxes, all that match the filter, or what one move threw away. */
export const PostBulk = bulkBody(["publish", "unpublish", "tag", "untag", "trash", "restore", "delete"]).extend({
  tag: z.string().optional(),
});
export type PostBulk = z.output<typeof PostBulk>;

/** The tag a move adds or takes off, "" when none was named; undefined when what was named cannot be one. */
export function tagIn({ tag = "" }: PostBulk): string | undefined {
  const { data } = line({ max: 50 }).safeParse(tag);
  return data === "" || (data && slugOf(data)) ? data : undefined;
}

const isOrAre = (past: string) => (count: number) => `${count === 1 ? "is" : "are"} ${past}`;

/** What can be done to posts. What takes one away from its readers is always asked about. */
export const postActions = bulkActions<PostAction, NonNullable<ChangedPosts["first"]>>({
  rows: ["post", "posts"],
  nameOf: ({ title }) => `“${title}”`,
  noneSelected: "No post was selected.",
  tooLate: () => "Nothing to do: that was done already, or they are gone.",
  others: (count) => `For ${plural(count, "other")} there was nothing to do.`,
  actions: {
    publish: {
      verb: (rows) => `Publish ${rows}`,
      asks: "several",
      consequence: () => "Everybody can read them at once; those with a time in the future appear at that time.",
      past: isOrAre("published"),
    },
    unpublish: {
      verb: (rows) => `Unpublish ${rows}`,
      asks: "always",
      consequence: (n) =>
        `${n === 1 ? "It is" : "They are"} no longer there for readers. Links to ${n === 1 ? "it" : "them"} lead nowhere until ${n === 1 ? "it is" : "they are"} published again.`,
      past: isOrAre("unpublished"),
    },
    tag: {
      verb: (rows) => `Tag ${rows}`,
      asks: "several",
      consequence: () => "Lists of this tag show them then.",
      past: isOrAre("tagged"),
    },
    untag: {
      verb: (rows) => `Remove the tag from ${rows}`,
      asks: "several",
      consequence: () => "Lists of this tag do not show them any more.",
      past: isOrAre("without the tag now"),
    },
    trash: {
      verb: (rows) => `Delete ${rows}`,
      asks: "several",
      consequence: () =>
        "They go to the trash, from where they can be restored for 30 days. Readers do not find them there.",
      past: isOrAre("moved to the trash"),
      undo: { do: "restore", ofMany: true },
    },
    restore: { verb: (rows) => `Restore ${rows}`, asks: "never", past: isOrAre("restored") },
    delete: {
      verb: (rows) => `Delete for good ${rows}`,
      asks: "always",
      consequence: (n) => `${n === 1 ? "It is" : "They are"} removed with all revisions. This cannot be undone.`,
      past: isOrAre("deleted for good"),
    },
  },
});

/** Which tag? Posts are tagged, or lose a tag, in one step. */
export function askForTag(request: Request, frame: Frame, bulk: PostBulk, names: string[], isWrong: boolean) {
  const { ids, all, filter = "", tag = "" } = bulk;
  const chosen = all ? { all: [all] } : { ids };
  const errors = isWrong
    ? [{ field: "tag", message: "Enter a tag name of up to 50 characters, with letters or digits." }]
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
