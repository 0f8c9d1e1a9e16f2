import { z } from "zod";
import type { PostAction, ChangedPosts } from "../../../db/posts/bulk";
import { slugOf } from "../../../db/lib/slug";
import { Field } from "../../../views/components/forms/field";
import { Form } from "../../../views/components/forms/form";
import type { Frame } from "../../../views/components/frame";
import { plural } from "../../../views/components/list";
import { path } from "../../../views/dashboard/posts/state";
import { line } from "../../http/text/schemas";
import { ask } from "../responses";
import { bulkActions } from "../bulk-actions";
import { toTrash } from "../bulk-subject";
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

/** What can be done to posts. What takes one away from its readers is always asked about. */
export const postActions = bulkActions<PostAction, NonNullable<ChangedPosts["first"]>>({
  rows: ["post", "posts"],
  nameOf: ({ title }) => `“${title}”`,
  noneSelected: "No posts selected.",
  tooLate: () => "Nothing changed: already done or deleted.",
  others: (count) => `${plural(count, "other")} already done.`,
  actions: {
    publish: {
      verb: (rows) => `Publish ${rows}`,
      asks: "several",
      consequence: () => "They will be public immediately. Posts with a future date go live on that date.",
      past: "published",
    },
    unpublish: {
      verb: (rows) => `Unpublish ${rows}`,
      asks: "always",
      consequence: (n) =>
        `Readers will no longer see ${n === 1 ? "it" : "them"}, and links to ${n === 1 ? "it" : "them"} will not work until you publish ${n === 1 ? "it" : "them"} again.`,
      past: "unpublished",
    },
    tag: {
      verb: (rows) => `Tag ${rows}`,
      asks: "several",
      consequence: () => "They will appear in lists for this tag.",
      past: "tagged",
    },
    untag: {
      verb: (rows) => `Remove tag from ${rows}`,
      asks: "several",
      consequence: () => "They will no longer appear in lists for this tag.",
      past: "untagged",
    },
    trash: toTrash("They will be moved to the trash, where readers cannot see them, and can be restored for 30 days."),
    restore: { verb: (rows) => `Restore ${rows}`, asks: "never", past: "restored" },
    delete: {
      verb: (rows) => `Permanently delete ${rows}`,
      asks: "always",
      consequence: (n) =>
        `The ${n === 1 ? "post and all its" : "posts and all their"} revisions will be permanently deleted. This cannot be undone.`,
      past: "permanently deleted",
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
