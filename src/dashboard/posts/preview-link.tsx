import { postUrlOf } from "../../../db/posts/rules";
import { readPostUrl } from "../../content/post-url";
import { z } from "zod";
import * as audit from "../../../db/audit";
import * as postEdits from "../../../db/posts/edit";
import { NewPreviewLink, PreviewLinkForm } from "../../../views/dashboard/posts/editor/preview-link";
import { path } from "../../../views/dashboard/posts/state";
import type { Deps } from "../deps";
import { previewDays, previewLink } from "../../security/links";
import { actorOf, managerFor } from "../../security/session";
import { notThere, showDialog } from "../responses";
import { frameOf, pages } from "../pages";
import { forEditors } from "../permissions";

const Lifetime = z.object({ days: z.coerce.number().pipe(z.literal(previewDays)).catch(7) });

/**
 * Links that show a draft to people who cannot sign in. They are computed, not stored, so nothing here can leak them.
 */
export const previewLinks = (deps: Deps) => {
  const { config, db, now } = deps;

  const findPost = async (id: string) => {
    const post = await postEdits.byId(db, id);
    return post?.deletedAt ? undefined : post;
  };
  /** Where the blog shows the post or, without a blog, what the API says of it. */
  async function pageOf(slug: string): Promise<string> {
    const { postUrl, isKnown } = await readPostUrl(deps);
    return postUrlOf(isKnown ? postUrl : `${config.BLOG_URL}/api/posts/{slug}`, slug);
  }
  const gone = async (request: Request) =>
    notThere(await frameOf(deps, request), "This post is in the trash or has been deleted.", path);

  return pages(path, deps, forEditors)
    .get("/:id/preview-link", async ({ request, params: { id } }) => {
      const [frame, post] = await Promise.all([frameOf(deps, request), findPost(id)]);
      if (!post) return gone(request);
      const children = <PreviewLinkForm frame={frame} post={post} />;
      return showDialog(request, { frame, title: `Share a preview of “${post.title}”`, children });
    })
    .post(
      "/:id/preview-link",
      async ({ request, params: { id }, body: { days } }) => {
        const [frame, post] = await Promise.all([frameOf(deps, request), findPost(id)]);
        if (!post) return gone(request);
        const page = await pageOf(post.slug);
        const link = previewLink(config, { id, page }, managerFor(request).manager.id, days, now());
        const shared = { targetId: id, target: post.title, details: { days: String(days) } };
        await audit.recordAlone(db, { ...actorOf(request), action: "post.share", ...shared }, now());
        const children = <NewPreviewLink frame={frame} post={post} link={link} />;
        return showDialog(request, { frame, title: "Copy the preview link", children });
      },
      { body: Lifetime },
    );
};
