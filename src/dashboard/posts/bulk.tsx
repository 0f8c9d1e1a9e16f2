import { z } from "zod";
import type { ChangedPosts, PostAction } from "../../../db/posts/bulk";
import { slugOf } from "../../../db/lib/slug";
import { plural } from "../../../views/components/list";
import { inputOf } from "../../fields/field";
import { line } from "../../platform/text/schemas";
import { bulkActions, toTrash } from "../bulk-actions";
import { bulkBody } from "../bulk-request";

/** What the list's forms send: selected posts, all that match the filter, or those that one action deleted. */
export const PostBulk = bulkBody(["publish", "unpublish", "tag", "untag", "trash", "restore", "delete"]).extend({
  tag: z.string().optional(),
});
export type PostBulk = z.output<typeof PostBulk>;

const tagName = line({ max: 50 });
export const tagInput = inputOf("tag", tagName);

/** Returns the tag to add or remove, "" if none was named; undefined if it is not a valid tag. */
export function tagIn({ tag = "" }: PostBulk): string | undefined {
  const { data } = tagName.safeParse(tag);
  return data === "" || (data && slugOf(data)) ? data : undefined;
}

/** The bulk actions on posts. Those that hide a post from readers always ask first. */
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
