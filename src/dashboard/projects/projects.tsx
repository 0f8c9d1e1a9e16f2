import { z } from "zod";
import * as desk from "../../../db/projects/edit";
import type { Project } from "../../../db/projects/projects";
import { Confirm } from "../../../views/components/dialog";
import { ProjectHead } from "../../../views/dashboard/projects/projects";
import type { Deps } from "../../boot/deps";
import { actorOf } from "../../security/session";
import { ask, notThere, showList } from "../responses";
import { frameOf, pages } from "../pages";
import { projectList, title } from "./list";
import { path, stateUrl } from "./query";

const extras = ["content.css" as const, "order.js" as const];

const Answer = z.object({ confirmed: z.string().optional() });

const actions = ["publish", "unpublish", "archive", "feature", "unfeature"] as const;
type Action = (typeof actions)[number];

const past: Record<Action, string> = {
  publish: "is published",
  unpublish: "is a draft again",
  archive: "is archived",
  feature: "is featured",
  unfeature: "is no longer featured",
};

/** The list of projects: found, published, featured, thrown away. */
export const projectsDashboard = (deps: Deps) => {
  const { db, now } = deps;
  const { listFor, doneWith, tooLate } = projectList(deps);

  async function askFirst(request: Request, project: Project, action: "unpublish" | "archive") {
    const frame = await frameOf(deps, request);
    const verb = action === "archive" ? "Archive" : "Unpublish";
    return ask(request, {
      frame,
      title: `${verb} ${project.title}?`,
      children: (
        <Confirm frame={frame} action={`${path}/${project.id}/${action}`} verb={`${verb} project`} cancel={path}>
          <p>Your sites stop showing it at once, and its link stops counting clicks. You can publish it again.</p>
        </Confirm>
      ),
    });
  }

  async function act(request: Request, id: string, action: Action, isSure: boolean) {
    const current = await desk.byId(db, id);
    if (!current || current.deletedAt) return tooLate(request);
    const hides = (action === "unpublish" || action === "archive") && current.status === "PUBLISHED";
    if (hides && !isSure) return askFirst(request, current, action);
    const project = await desk.set(db, id, action, actorOf(request), now());
    if (!project) return tooLate(request);
    return doneWith(request, { kind: "good", text: `${project.title} ${past[action]}.` });
  }

  async function askToDelete(request: Request, id: string) {
    const [frame, project] = await Promise.all([frameOf(deps, request), desk.byId(db, id)]);
    if (!project) return notThere(frame, "This project was deleted for good already.", path);
    const cancel = stateUrl({ status: "trash" });
    return ask(request, {
      frame,
      title: `Delete ${project.title} for good?`,
      children: (
        <Confirm frame={frame} action={`${path}/${id}/delete`} verb="Delete for good" cancel={cancel}>
          <p>The project and its clicks are removed. This cannot be undone.</p>
        </Confirm>
      ),
    });
  }

  const area = pages(path, deps)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const list = await listFor(frame, query);
      return showList(request, { frame, title, extras, head: <ProjectHead />, list });
    })
    .post("/:id/duplicate", async ({ request, params: { id } }) => {
      const copy = await desk.duplicate(db, id, actorOf(request), now());
      if (!copy) return tooLate(request);
      return doneWith(request, { kind: "good", text: `${copy.title} was made, as a draft.` });
    })
    .post("/:id/trash", async ({ request, params: { id } }) => {
      const project = await desk.trash(db, id, actorOf(request), now());
      if (!project) return tooLate(request);
      const undo = { action: `${path}/${id}/restore`, fields: {} };
      return doneWith(request, { kind: "good", text: `${project.title} moved to the trash.`, undo });
    })
    .post("/:id/restore", async ({ request, params: { id } }) => {
      const project = await desk.restore(db, id, actorOf(request), now());
      if (!project) return tooLate(request);
      return doneWith(request, { kind: "good", text: `${project.title} is back.` });
    })
    .get("/:id/delete", ({ request, params: { id } }) => askToDelete(request, id))
    .post("/:id/delete", async ({ request, params: { id } }) => {
      const project = await desk.remove(db, id, actorOf(request), now());
      if (!project) return tooLate(request);
      return doneWith(request, { kind: "good", text: `${project.title} was deleted for good.` });
    });

  for (const action of actions)
    area.post(
      `/:id/${action}`,
      ({ request, params: { id }, body }) => act(request, id, action, body.confirmed === "yes"),
      { body: Answer },
    );
  return area;
};
