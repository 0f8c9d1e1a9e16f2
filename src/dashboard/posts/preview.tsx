import { dimensionsIn } from "../../../db/storage/pictures";
import type { Frame } from "../../../views/components/frame";
import { date } from "../../../views/components/time";
import { path } from "../../../views/dashboard/posts/state";
import {
  NewPreviewLink,
  PreviewLinkForm,
  PreviewPage,
  PreviewPieces,
} from "../../../views/dashboard/posts/editor/preview";
import { isOwnFile } from "../../content/mdx/prose-tree";
import { preview } from "../../content/preview";
import type { Deps } from "../deps";
import { fragment } from "../../http/response";
import { notThere, show, showDialog } from "../responses";
import { momentOf } from "../form-input";
import { frameOf, isPartial, pages } from "../pages";
import { forEditors } from "../permissions";
import { typedIn } from "./form";
import { openToNodes } from "../storage/pages";
import { postUrlOf } from "../../../db/posts/rules";
import { readPostUrl } from "../../content/post-url";
import { z } from "zod";
import * as audit from "../../../db/audit";
import * as postEdits from "../../../db/posts/edit";
import { previewDays, previewLink } from "../../security/links";
import { actorOf, managerFor } from "../../security/session";

/** The preview of a post, as it is typed. Nothing here changes anything. */
export const postPreview = (deps: Deps) => {
  const { config, db } = deps;

  const previewOf = async (content: string) =>
    preview(content, { blogUrl: config.BLOG_URL, pictures: await dimensionsIn(db, content) });

  async function pageOf(request: Request, fields: Record<string, string>, content: string) {
    await openToNodes(deps, request);
    const frame = await frameOf(deps, request);
    const date = dateOf(fields, frame);
    const view = { fields, date, cover: coverOf(fields), preview: await previewOf(content) };
    return show({ frame, title: "Preview", extras: ["editor.css"] }, <PreviewPage {...view} />);
  }

  return pages(path, deps, forEditors).post("/preview", async ({ request, body }) => {
    const { fields, content } = typedIn(body);
    if (!isPartial(request)) return pageOf(request, fields, content);
    const above = { title: fields.title ?? "", date: dateOf(fields, await frameOf(deps, request)) };
    return fragment(<PreviewPieces {...await previewOf(content)} {...above} cover={coverOf(fields)} />);
  });
};

/** The day that a reader sees: that of the publication as it is typed, or today. */
function dateOf({ publishedAt = "" }: Record<string, string>, { now, preferences }: Frame): string {
  const at = publishedAt ? momentOf(publishedAt, preferences.timeZone) : now;
  return at ? date(at, preferences) : "";
}

const coverOf = ({ coverImage: src = "" }: Record<string, string>) => ({ src, isOwn: isOwnFile(src) });

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
