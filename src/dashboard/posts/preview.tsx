import { z } from "zod";
import * as pictures from "../../../db/storage/library";
import { mediaPath, thumbnailOf } from "../../../db/storage/files";
import type { Frame } from "../../../views/components/frame";
import { date } from "../../../views/components/time";
import { PictureChoice, Pictures, PicturesPage } from "../../../views/dashboard/posts/pictures";
import { path } from "../../../views/dashboard/posts/state";
import { PreviewPage, PreviewPieces } from "../../../views/dashboard/posts/editor/preview";
import { isOwnFile } from "../../content/mdx/prose-tree";
import { preview } from "../../content/preview";
import type { Deps } from "../deps";
import { fragment } from "../../http/response";
import { show, showDialog } from "../responses";
import { momentOf } from "../local-time";
import { search } from "../list-query";
import { frameOf, isPartial, pages } from "../pages";
import { forEditors } from "../permissions";
import { typedIn } from "./form";
import { openToNodes } from "../storage/pages";

const Choice = z.object({
  for: z.enum(["cover-image", "content", "project-imageUrl"]).catch("cover-image"),
  q: search,
});
const maxPictures = 24; // pictures at a time

/** The preview of a post, and the pictures to put into it. Nothing here changes anything. */
export const postPreview = (deps: Deps) => {
  const { config, db } = deps;

  async function pageOf(request: Request, fields: Record<string, string>, content: string) {
    await openToNodes(deps, request);
    const frame = await frameOf(deps, request);
    const date = dateOf(fields, frame);
    const view = { fields, date, cover: coverOf(fields), preview: preview(content, config.BLOG_URL) };
    return show({ frame, title: "Preview", extras: ["editor.css"] }, <PreviewPage {...view} />);
  }

  async function choice(request: Request, query: z.infer<typeof Choice>) {
    const files = await pictures.findPictures(db, query.q, maxPictures + 1);
    const view = {
      wanted: query.for,
      q: query.q,
      pictures: files
        .slice(0, maxPictures)
        .map((file) => ({ ...file, address: mediaPath(file), thumbnail: thumbnailOf(file) })),
      isMore: files.length > maxPictures,
    };
    const isSearch = isPartial(request) && request.headers.get("hx-target")?.endsWith("#pictures");
    if (isSearch) return fragment(<Pictures {...view} />);
    await openToNodes(deps, request);
    const frame = await frameOf(deps, request);
    const title = "Choose an image";
    if (isPartial(request)) return showDialog(request, { frame, title, children: <PictureChoice {...view} /> });
    return show({ frame, title, extras: ["editor.css"] }, <PicturesPage {...view} />);
  }

  return pages(path, deps, forEditors)
    .post("/preview", async ({ request, body }) => {
      const { fields, content } = typedIn(body);
      if (!isPartial(request)) return pageOf(request, fields, content);
      const above = { title: fields.title ?? "", date: dateOf(fields, await frameOf(deps, request)) };
      return fragment(<PreviewPieces {...preview(content, config.BLOG_URL)} {...above} cover={coverOf(fields)} />);
    })
    .get("/pictures", ({ request, query }) => choice(request, Choice.parse(query)));
};

/** The day that a reader sees: that of the publication as it is typed, or today. */
function dateOf({ publishedAt = "" }: Record<string, string>, { now, preferences }: Frame): string {
  const at = publishedAt ? momentOf(publishedAt, preferences.timeZone) : now;
  return at ? date(at, preferences) : "";
}

const coverOf = ({ coverImage: src = "" }: Record<string, string>) => ({ src, isOwn: isOwnFile(src) });
