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

/** What is previewed, as it is typed. */
type Typed = { title: string; below: string; lead?: string | undefined; image: string; text: string };

/** Shows what readers will see: beside the text, or without script on a page of its own. Nothing is saved. */
export async function showPreview(deps: Deps, request: Request, { image, text, lead, ...above }: Typed) {
  const { config, db } = deps;
  const drawn = preview(text, { blogUrl: config.BLOG_URL, pictures: await dimensionsIn(db, text) });
  const view = { ...above, ...drawn, cover: { src: image, isOwn: isOwnFile(image) } };
  if (isPartial(request)) return fragment(<PreviewPieces {...view} />);
  await openToNodes(deps, request);
  const frame = await frameOf(deps, request);
  return show({ frame, title: "Preview", extras: ["editor.css"] }, <PreviewPage {...view} lead={lead} />);
}

/** The preview of a post. */
export const postPreview = (deps: Deps) =>
  pages(path, deps, forEditors).post("/preview", async ({ request, body }) => {
    const { fields, content: text } = typedIn(body);
    const { title = "", excerpt: lead, coverImage: image = "" } = fields;
    return showPreview(deps, request, {
      title,
      below: dateOf(fields, await frameOf(deps, request)),
      lead,
      image,
      text,
    });
  });

/** The day that a reader sees: that of the publication as it is typed, or today. */
function dateOf({ publishedAt = "" }: Record<string, string>, { now, preferences }: Frame): string {
  const at = publishedAt ? momentOf(publishedAt, preferences.timeZone) : now;
  return at ? date(at, preferences) : "";
}

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
