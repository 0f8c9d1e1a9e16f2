import { z } from "zod";
import type { ProjectAction } from "../../../db/projects/bulk";
import * as projectEdits from "../../../db/projects/edit";
import type { Project } from "../../../db/projects/projects";
import { Confirm } from "../../../views/components/confirm";
import { ProjectHead } from "../../../views/dashboard/projects/projects";
import type { Deps } from "../deps";
import { actorOf } from "../../security/session/session";
import { ask, notThere, showList } from "../responses";
import { frameOf, pages } from "../pages";
import { changeSelected, ProjectBulk } from "./bulk";
import { doneWith, listFor, title, tooLate } from "./list";
import { path, stateUrl } from "./query";

const extras = ["content.css" as const, "order.js" as const];

const Answer = z.object({ confirmed: z.string().optional() });

const actions = ["publish", "unpublish", "archive", "feature", "unfeature", "trash", "restore"] as const;

/** `/dashboard/projects`: the list of projects. */
export const projectsDashboard = (deps: Deps) => {
  const area = pages(path, deps)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const list = await listFor(deps, frame, query);
      return showList(request, { frame, title, extras, head: <ProjectHead />, list });
    })
    .post("/bulk", ({ request, body }) => changeSelected(deps, request, body), { body: ProjectBulk })
    .post("/:id/duplicate", ({ request, params: { id } }) => duplicate(deps, request, id))
    .get("/:id/delete", ({ request, params: { id } }) => askToDelete(deps, request, id))
    .post("/:id/delete", ({ request, params: { id } }) => changeOne(deps, request, id, "delete"));

  for (const action of actions)
    area.post(
      `/:id/${action}`,
      ({ request, params: { id }, body }) => act(deps, request, id, action, body.confirmed === "yes"),
      { body: Answer },
    );
  return area;
};

/** Applies an action to one project, without a question. */
const changeOne = (deps: Deps, request: Request, id: string, verb: ProjectAction) =>
  changeSelected(deps, request, { do: verb, ids: [id], confirmed: "yes" });

async function duplicate(deps: Deps, request: Request, id: string) {
  const project = await projectEdits.duplicate(deps.db, id, actorOf(request), deps.now());
  if (!project) return tooLate(deps, request);
  return doneWith(deps, request, { kind: "good", text: `“${project.title}” created as a draft.` });
}

async function askFirst(deps: Deps, request: Request, project: Project, action: "unpublish" | "archive") {
  const frame = await frameOf(deps, request);
  const verb = action === "archive" ? "Archive" : "Unpublish";
  return ask(request, {
    frame,
    title: `${verb} “${project.title}”?`,
    children: (
      <Confirm frame={frame} action={`${path}/${project.id}/${action}`} verb={`${verb} project`} cancel={path}>
        <p>
          Your sites will stop showing it immediately, and clicks are no longer counted. You can publish it again later.
        </p>
      </Confirm>
    ),
  });
}

async function act(deps: Deps, request: Request, id: string, action: (typeof actions)[number], isSure: boolean) {
  const isHiding = action === "unpublish" || action === "archive";
  const current = isHiding && !isSure ? await projectEdits.byId(deps.db, id) : undefined;
  if (isHiding && current?.status === "PUBLISHED" && !current.deletedAt)
    return askFirst(deps, request, current, action);
  return changeOne(deps, request, id, action);
}

async function askToDelete(deps: Deps, request: Request, id: string) {
  const [frame, project] = await Promise.all([frameOf(deps, request), projectEdits.byId(deps.db, id)]);
  if (!project) return notThere(frame, "Already permanently deleted.", path);
  const cancel = stateUrl({ status: "trash" });
  return ask(request, {
    frame,
    title: `Permanently delete “${project.title}”?`,
    children: (
      <Confirm frame={frame} action={`${path}/${id}/delete`} verb="Delete permanently" cancel={cancel}>
        <p>The project and its click count will be permanently deleted. This cannot be undone.</p>
      </Confirm>
    ),
  });
}
