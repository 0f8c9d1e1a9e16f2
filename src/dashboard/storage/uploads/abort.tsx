import { z } from "zod";
import * as uploadList from "../../../../db/storage/uploads-list";
import { Confirm } from "../../../../views/components/confirm";
import { listUrl, plural } from "../../../../views/components/list";
import type { Deps } from "../../deps";
import { actorOf } from "../../../security/session/session";
import { ask, done, queryBefore } from "../../responses";
import { selectedIds } from "../../bulk-request";
import { frameOf } from "../../pages";
import { path, uploadsFor } from "./open-list";

export const Aborting = z.object({ ids: selectedIds, confirmed: z.string().optional() });

/** Always asks first, because what has been sent is lost. */
export async function abort(deps: Deps, request: Request, { ids, confirmed }: z.output<typeof Aborting>) {
  const frame = await frameOf(deps, request);
  const before = queryBefore(request, path);
  const back = listUrl({ path, query: before }, {});
  const what = plural(new Set(ids).size, "upload");
  if (ids.length && confirmed !== "yes")
    return ask(request, {
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
  const { state: _, ...shown } = await uploadsFor(deps, request, frame, before);
  return done(request, { frame, ...shown, back, notice: { kind: "good", text } });
}
