import { z } from "zod";
import * as projectEdits from "../../../db/projects/edit";
import type { Project } from "../../../db/projects/projects";
import { Confirm } from "../../../views/components/dialog";
import { ProjectHead } from "../../../views/dashboard/projects/projects";
import type { Deps } from "../../boot/deps";
import { actorOf } from "../../security/session";
import { ask, notThere, showList } from "../responses";
import { frameOf, pages } from "../pages";
import { doneWith, listFor, title, tooLate } from "./list";
import { path, stateUrl } from "./query";

const extras = ["content.css" as const, "order.js" as const];

const Answer = z.object({ confirmed: z.string().optional() });

const actions = ["publish", "unpublish", "archive", "feature", "unfeature"] as const;
type Action = (typeof actions)[number];

const past: Record<Action, string> = {
  publish: "published",
  unpublish: "moved to drafts",
  archive: "archived",
  feature: "featured",
  unfeature: "no longer featured",
};

/** The list of projects: found, published, featured, thrown away. */
export const projectsDashboard = (deps: Deps) => {
  const area = pages(path, deps)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const list = await listFor(deps, frame, query);
      return showList(request, { frame, title, extras, head: <ProjectHead />, list });
    })
    .post("/:id/duplicate", ({ request, params: { id } }) => change(deps, request, id, "duplicate"))
    .post("/:id/trash", ({ request, params: { id } }) => change(deps, request, id, "trash"))
    .post("/:id/restore", ({ request, params: { id } }) => change(deps, request, id, "restore"))
    .get("/:id/delete", ({ request, params: { id } }) => askToDelete(deps, request, id))
    .post("/:id/delete", ({ request, params: { id } }) => change(deps, request, id, "remove"));

  for (const action of actions)
    area.post(
      `/:id/${action}`,
      ({ request, params: { id }, body }) => act(deps, request, id, action, body.confirmed === "yes"),
      { body: Answer },
    );
  return area;
};

const results = {
  duplicate: "created as a draft",
  trash: "moved to the trash",
  restore: "restored",
  remove: "permanently deleted",
};

async function change(deps: Deps, request: Request, id: string, verb: keyof typeof results) {
  const project = await projectEdits[verb](deps.db, id, actorOf(request), deps.now());
  if (!project) return tooLate(deps, request);
  const undo = verb === "trash" && { undo: { action: `${path}/${id}/restore`, fields: {} } };
  return doneWith(deps, request, { kind: "good", text: `“${project.title}” ${results[verb]}.`, ...undo });
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

async function act(deps: Deps, request: Request, id: string, action: Action, isSure: boolean) {
  const current = await projectEdits.byId(deps.db, id);
  if (!current || current.deletedAt) return tooLate(deps, request);
  const hides = (action === "unpublish" || action === "archive") && current.status === "PUBLISHED";
  if (hides && !isSure) return askFirst(deps, request, current, action);
  const project = await projectEdits.applyAction(deps.db, id, action, actorOf(request), deps.now());
  if (!project) return tooLate(deps, request);
  return doneWith(deps, request, { kind: "good", text: `“${project.title}” ${past[action]}.` });
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
