import * as projects from "../../../db/projects/list";
import type { Frame, Notice } from "../../../views/components/frame";
import { ProjectList } from "../../../views/dashboard/projects/projects";
import type { Deps } from "../../boot/deps";
import { done, queryBefore } from "../responses";
import { frameOf } from "../pages";
import { filterOf, path, Query, stateHere, stateUrl } from "./query";

export const title = "Projects";

/** The list as the URL says it, and as the answer to an action. */
export function projectList(deps: Deps) {
  const { db } = deps;

  async function listFor(frame: Frame, given: Record<string, unknown>) {
    const query = Query.parse(given);
    const [{ rows, ...where }, counts] = await Promise.all([
      projects.list(db, filterOf(query), query),
      projects.counts(db),
    ]);
    return <ProjectList {...{ frame, state: stateHere(query), rows, counts, per: query.per }} {...where} />;
  }

  /** The list as it was before the action, with what the action did to it. */
  async function doneWith(request: Request, notice: Notice, status?: 409) {
    const frame = await frameOf(deps, request);
    const query = queryBefore(request, path);
    return done(request, { frame, title, list: await listFor(frame, query), back: stateUrl(query), notice, status });
  }

  const tooLate = (request: Request) =>
    doneWith(request, { kind: "good", text: "Nothing to do: it was done already." });

  return { listFor, doneWith, tooLate };
}
