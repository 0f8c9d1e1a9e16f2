import { z } from "zod";
import type { ChangedPosts, PostAction } from "../../../db/posts/bulk";
import { slugOf } from "../../../db/lib/slug";
import { plural } from "../../../views/components/list";
import { line } from "../../http/text/schemas";
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
