import { Elysia } from "elysia";
import * as references from "../../db/storage/references";
import * as files from "../../db/storage/files";
import type { Deps } from "./deps";
import { redirect } from "../openapi/responses";
import { failurePage } from "../http/response";
import { isSignedIn } from "../security/session/session";
import { notRouted } from "../http/unrouted";

/**
 * The permanent URL of a file. It redirects to the storage node: for everyone if something published uses the file,
 * otherwise only for managers. The name at its end is for people.
 */
export const media = (deps: Deps) =>
  new Elysia({ prefix: "/media" })
    .onError(({ code, error, request }) => (code === "NOT_FOUND" ? undefined : failurePage(deps, request, error)))
    .get(
      "/:id/:filename",
      async ({ params, request }) => {
        const file = await files.findStored(deps.db, params.id);
        if (!file) return notRouted();
        const isPublic = await references.isPublic(deps.db, file.id, deps.now());
        if (!isPublic && !(await isSignedIn(deps, request))) return notRouted();
        const { links } = deps.storage;
        return new Response(null, {
          status: 302,
          headers: {
            location: await links.media(file),
            "cache-control": isPublic ? `public, max-age=${links.mediaMaxAge}` : "private, no-store",
            "cross-origin-resource-policy": "cross-origin", // the sites that show it may be on other hosts
          },
        });
      },
      {
        detail: {
          tags: ["Content"],
          operationId: "getMedia",
          summary: "Show a file",
          description:
            "For cover images and files in text. Redirects to storage while a published post or project uses the file. Images, video, audio and PDF are shown inline; everything else is downloaded.",
          responses: {
            302: redirect("Redirect to a signed URL valid for at least one hour. May be cached for 30 minutes."),
          },
        },
      },
    );
