import { dimensionsIn } from "../../../db/storage/pictures";
import type { Frame } from "../../../views/components/frame";
import { date } from "../../../views/components/time";
import { path } from "../../../views/dashboard/posts/state";
import { PreviewPage, PreviewPieces } from "../../../views/dashboard/posts/editor/preview";
import { isOwnFile } from "../../content/mdx/prose-tree";
import { preview } from "../../content/preview";
import type { Deps } from "../deps";
import { fragment } from "../../http/response";
import { show } from "../responses";
import { momentOf } from "../local-time";
import { frameOf, isPartial, pages } from "../pages";
import { forEditors } from "../permissions";
import { typedIn } from "./form";
import { openToNodes } from "../storage/pages";

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
