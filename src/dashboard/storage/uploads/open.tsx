import type { Deps } from "../../deps";
import { showList } from "../../responses";
import { frameOf, pages } from "../../pages";
import { path, uploadsFor } from "./open-list";
import { abort, Aborting } from "./abort";

/** The uploads in progress, which can be cancelled. */
export const openUploadsDashboard = (deps: Deps) =>
  pages(path, deps)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      return showList(request, {
        frame,
        extras: ["storage.css", "poll.js"],
        ...(await uploadsFor(deps, request, frame, query)),
      });
    })
    .get("/abort", ({ request, query }) => abort(deps, request, { ids: query.ids, confirmed: undefined }), {
      query: Aborting,
    })
    .post("/abort", ({ request, body }) => abort(deps, request, body), { body: Aborting });
