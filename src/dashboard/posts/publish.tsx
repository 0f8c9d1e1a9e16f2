import { readPostUrl } from "../../content/post-url";
import * as postEdits from "../../../db/posts/edit";
import type { TaggedPost } from "../../../db/posts/rows";
import type { DraftContent } from "../../../db/posts/drafts";
import { isLater } from "../../../db/posts/rules";
import { plural } from "../../../views/components/list";
import { checksOf, PublishQuestion } from "../../../views/dashboard/posts/editor/publish";
import { path } from "../../../views/dashboard/posts/state";
import { parseMdx } from "../../content/mdx/mdx";
import type { Deps } from "../deps";
import { actorOf } from "../../security/session/session";
import { notThere, seeOther, showDialog } from "../responses";
import { frameOf, pages } from "../pages";
import { savedPieces } from "./editor/view";
import { Begun } from "./form";

/** The question before a post is published, which saving alone never does. */
export const postPublishing = (deps: Deps) => {
  const { db, now } = deps;

  async function publish(request: Request, id: string, version: number) {
    const edited = await postEdits.publish(db, { id, version }, actorOf(request), now());
    const back = `${path}/${id}`;
    if (edited.outcome === "saved") return seeOther(request, back, { kind: "good", text: publishedText(edited.post) });
    if (edited.outcome === "gone") return seeOther(request, path, { kind: "bad", text: "This post has been deleted." });
    if (edited.outcome === "conflict" && edited.post.published)
      return seeOther(request, back, {
        kind: "good",
        text: "This post was already published. Showing the current version.",
      });
    const text = "Not published: someone else has saved this post. Review their changes first.";
    return seeOther(request, back, { kind: "bad", text });
  }

  const publishedText = (post: TaggedPost) =>
    isLater(post, now()) ? `“${post.title}” scheduled.` : `“${post.title}” published.`;

  return pages(path, deps)
    .get("/:id/publish", async ({ request, params: { id } }) => {
      const post = await postEdits.byId(db, id);
      if (post && !post.deletedAt) return askToPublish(deps, request, post);
      return notThere(await frameOf(deps, request), "This post is no longer there.", path);
    })
    .post("/:id/publish", ({ request, params: { id }, body }) => publish(request, id, Begun.parse(body).version));
};

/** The last check before a post is public. What was typed has been saved as a draft by now. */
export async function askToPublish(deps: Deps, request: Request, post: TaggedPost, typed?: DraftContent) {
  const [frame, { postUrl, isKnown }] = await Promise.all([frameOf(deps, request), readPostUrl(deps)]);
  const checks = [...checksOf(post), ...problemsIn(post.content), ...(isKnown ? [] : [noBlog])];
  return showDialog(request, {
    frame,
    title: "Publish this post?",
    children: <PublishQuestion frame={frame} post={post} postUrl={postUrl} checks={checks} />,
    ...(typed && { beside: await savedPieces(deps, frame, post, typed) }),
  });
}

const noBlog = "The URL of your blog is not set, so this URL leads to a page that does not exist (404).";

/** The problems that the preview shows too: a blog could not be built with them. */
function problemsIn(content: string): string[] {
  const { length } = parseMdx(content).problems;
  return length
    ? [`The text has ${plural(length, "problem")} that would break your site’s build. See the preview.`]
    : [];
}
