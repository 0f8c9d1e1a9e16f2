import { z } from "zod";
import * as uploadList from "../../../../db/storage/uploads-list";
import { Confirm } from "../../../../views/components/confirm";
import type { Frame } from "../../../../views/components/frame";
import { listUrl, plural } from "../../../../views/components/list";
import { FreshTabs } from "../../../../views/dashboard/storage/frame";
import { OpenUploadList, OpenUploadsHead } from "../../../../views/dashboard/storage/uploads/open";
import { actorOf, managerFor } from "../../../security/session";
import { selectedIds } from "../../bulk-actions";
import type { Deps } from "../../deps";
import { oneOf, pageNumber, perPage, stateOf } from "../../list-query";
import { frameOf, pages } from "../../pages";
import { forEditors } from "../../permissions";
import { done, queryBefore, showDialog, showList } from "../../responses";
import { countsOf } from "../pages";
import { path as storagePath } from "../query";

const path = `${storagePath}/uploads`;
const title = "Open uploads";

const Query = z.object({ view: oneOf(["mine", "api", "ended"]), page: pageNumber, per: perPage });

async function uploadsFor(deps: Deps, request: Request, frame: Frame, params: Record<string, unknown>) {
  const query = Query.parse(params);
  const { manager } = managerFor(request);
  const [listed, counts, figures] = await Promise.all([
    uploadList.list(deps.db, { view: query.view, managerId: manager.id }, query),
    uploadList.counts(deps.db, manager.id),
    countsOf(deps),
  ]);
  const state = stateOf(path, Query, query);
  return {
    title,
    state,
    head: <OpenUploadsHead frame={frame} counts={figures} />,
    list: <OpenUploadList frame={frame} state={state} counts={counts} view={query.view} per={query.per} {...listed} />,
    beside: <FreshTabs frame={frame} here={path} counts={figures} />,
  };
}

/** The uploads in progress, which can be cancelled. */
export const openUploadsDashboard = (deps: Deps) =>
  pages(path, deps, forEditors)
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

const Aborting = z.object({ ids: selectedIds, confirmed: z.string().optional() });

/** Always asks first, because what has been sent is lost. */
async function abort(deps: Deps, request: Request, { ids, confirmed }: z.output<typeof Aborting>) {
  const frame = await frameOf(deps, request);
  const before = queryBefore(request, path);
  const back = listUrl({ path, query: before }, {});
  const what = plural(new Set(ids).size, "upload");
  if (ids.length && confirmed !== "yes")
    return showDialog(request, {
      frame,
      title: `Cancel ${what}?`,
      children: (
        <Confirm
          frame={frame}
          action={`${path}/abort`}
          verb={`Cancel ${what}`}
          dismiss="Keep uploading"
          cancel={back}
          fields={{ ids }}
        >
          <p>The data sent so far will be deleted and its space freed. This cannot be undone.</p>
        </Confirm>
      ),
    });
  const aborted = await uploadList.abort(deps.db, ids, actorOf(request), deps.now());
  const [name = ""] = aborted;
  const text =
    aborted.length === 0
      ? "Nothing to cancel: already finished or cancelled."
      : `${aborted.length === 1 ? name : plural(aborted.length, "upload")} cancelled.`;
  const { state: _, ...listView } = await uploadsFor(deps, request, frame, before);
  return done(request, { frame, ...listView, back, notice: { kind: "good", text } });
}
