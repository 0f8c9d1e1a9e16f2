import * as projectList from "../../../db/projects/list";
import type { Frame, Notice } from "../../../views/components/frame";
import { ProjectList } from "../../../views/dashboard/projects/projects";
import type { Deps } from "../deps";
import { frameOf } from "../pages";
import { done, queryBefore } from "../responses";
import { filterOf, path, Query, stateHere, stateUrl } from "./query";

export const title = "Projects";

/** Reads the list for these parameters. */
export async function listFor({ db }: Deps, frame: Frame, given: Record<string, unknown>) {
  const query = Query.parse(given);
  const [{ rows, ...where }, counts] = await Promise.all([
    projectList.list(db, filterOf(query), query),
    projectList.counts(db),
  ]);
  return <ProjectList frame={frame} state={stateHere(query)} rows={rows} counts={counts} per={query.per} {...where} />;
}

/** Responds after an action: the list as it was filtered, with a notice. */
export async function doneWith(deps: Deps, request: Request, notice: Notice, status?: 409) {
  const frame = await frameOf(deps, request);
  const query = queryBefore(request, path);
  const list = await listFor(deps, frame, query);
  return done(request, { frame, title, list, back: stateUrl(query), notice, status });
}

export const tooLate = (deps: Deps, request: Request) =>
  doneWith(deps, request, { kind: "good", text: "Nothing changed: already done or deleted." });
