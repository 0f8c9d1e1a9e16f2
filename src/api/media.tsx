import { Elysia } from "elysia";
import * as references from "../../db/storage/references";
import * as files from "../../db/storage/files";
import type { Deps } from "./deps";
import { parameter, redirect } from "../openapi/responses";
import { pictureWidths } from "../../db/storage/picture-widths";
import { wantedBy } from "../storage/pictures/formats";
import { failurePage } from "../http/response";
import { worksWithFiles } from "../security/session";
import { notRouted } from "../http/unrouted";

/**
 * The permanent URL of a file. It redirects to the storage node: for everyone if something published uses the file,
 * otherwise only for managers who work with files. The name at its end is for people.
 */
export const media = (deps: Deps) =>
  new Elysia({ prefix: "/media" })
    .onError(({ code, error, request }) => (code === "NOT_FOUND" ? undefined : failurePage(deps, request, error)))
    .get("/:id/:filename", ({ params, request }) => show(deps, request, params.id), {
      detail: {
        tags: ["Content"],
        operationId: "getMedia",
        summary: "Show a file",
        description:
          "For cover pictures and files in text. Redirects to storage while a published post or project uses the file. Pictures, video, audio and PDF are shown inline; everything else is downloaded. With `w`, JPEG, PNG, WebP, AVIF, TIFF and still GIF come in that width, without place and camera; a size is made when first asked for.",
        parameters: [
          parameter(
            "query",
            "w",
            `Width in pixels of a picture: the next of ${pictureWidths.join(", ")} that is not smaller, and never more than it has. As WebP for clients that accept it, else as JPEG, or PNG if it is transparent. If no size can be made, the file as it came.`,
            { pattern: "^[1-9][0-9]{0,5}$" },
          ),
          parameter(
            "query",
            "as",
            "With `jpeg`, never WebP: for emails. 1,120 pixels and those of a logo, from 64 to 480, are then widths too.",
            { const: "jpeg" },
          ),
        ],
        responses: {
          302: redirect("Redirect to a signed URL valid for at least one hour. May be cached for 30 minutes."),
        },
      },
    });

/** Seconds for which a picture in its full size may stand for a size that could not be made yet. */
const asItCameMaxAge = 60;

async function show(deps: Deps, request: Request, id: string) {
  const file = await files.findStored(deps.db, id);
  if (!file) return notRouted();
  const isPublic = await references.isPublic(deps.db, file.id, deps.now());
  if (!isPublic && !(await worksWithFiles(deps, request))) return notRouted();
  const { links } = deps.storage;
  const wanted = wantedBy(request);
  const sized = wanted && (await deps.storage.pictureUrl(file, wanted));
  const maxAge = wanted && !sized ? asItCameMaxAge : links.mediaMaxAge;
  return new Response(null, {
    status: 302,
    headers: {
      location: sized ?? (await links.media(file)),
      "cache-control": isPublic ? `public, max-age=${maxAge}` : "private, no-store",
      ...(wanted && { vary: "Accept" }),
      "cross-origin-resource-policy": "cross-origin", // the sites that show it may be on other hosts
    },
  });
}
