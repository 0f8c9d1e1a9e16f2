import { z } from "zod";
import * as uploadList from "../../../../db/storage/uploads-list";
import type { Frame } from "../../../../views/components/frame";
import { OpenUploadList, OpenUploadsHead } from "../../../../views/dashboard/storage/uploads/open";
import { FreshTabs } from "../../../../views/dashboard/storage/frame";
import type { Deps } from "../../deps";
import { managerFor } from "../../../security/session/session";
import { oneOf, pageNumber, perPage, stateOf } from "../../list-query";
import { countsOf } from "../pages";
import { path as storagePath } from "../query";

export const path = `${storagePath}/uploads`;
const title = "Open uploads";

const Query = z.object({ view: oneOf(["mine", "api", "ended"]), page: pageNumber, per: perPage });

export async function uploadsFor(deps: Deps, request: Request, frame: Frame, given: Record<string, unknown>) {
  const query = Query.parse(given);
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
    head: <OpenUploadsHead counts={figures} />,
    list: <OpenUploadList frame={frame} state={state} counts={counts} view={query.view} per={query.per} {...listed} />,
    beside: <FreshTabs here={path} counts={figures} />,
  };
}
