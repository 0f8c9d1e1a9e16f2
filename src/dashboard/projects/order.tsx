import { z } from "zod";
import * as projects from "../../../db/projects/projects";
import type { Notice } from "../../../views/components/frame";
import { MoveForm } from "../../../views/dashboard/projects/projects";
import type { Deps } from "../deps";
import { actorOf } from "../../security/session";
import { notThere, showDialog } from "../responses";
import { frameOf, pages } from "../pages";
import { forEditors } from "../permissions";
import { doneWith, path } from "./projects";

/** What a drop sends: the whole order of the group as shown on the screen. */
const Drop = z.object({
  order: z
    .string()
    .max(10_000)
    .transform((ids) => ids.split(",")),
  stamp: z.string().max(100),
  moved: z.string().max(100),
});
const Step = z.object({
  to: z.union([z.enum(["up", "down"]), z.coerce.number().int().min(1).max(1_000_000)]),
});

/** Changes the order of projects: by dragging, or step by step. */
export const projectOrder = (deps: Deps) => {
  const { db, now } = deps;

  async function respond(request: Request, result: projects.ReorderResult) {
    if (result.outcome === "gone")
      return doneWith(deps, request, { kind: "bad", text: "This project has been deleted." }, 409);
    if (result.outcome === "stale") return doneWith(deps, request, stale, 409);
    const { project, from, to } = result;
    const place = `${to.position} of ${to.of}`;
    if (from.position === to.position)
      return doneWith(deps, request, { kind: "good", text: `“${project.title}” is still at position ${place}.` });
    const back = { action: `${path}/${project.id}/move`, fields: { to: String(from.position) } };
    return doneWith(deps, request, {
      kind: "good",
      text: `“${project.title}” moved to position ${place}.`,
      undo: back,
    });
  }

  return pages(path, deps, forEditors)
    .post(
      "/order",
      async ({ request, body }) =>
        respond(request, await projects.reorder(db, { ...body, ids: body.order }, actorOf(request), now())),
      { body: Drop },
    )
    .get("/:id/move", async ({ request, params: { id } }) => {
      const [frame, project, place] = await Promise.all([
        frameOf(deps, request),
        projects.byId(db, id),
        projects.placeOf(db, id),
      ]);
      if (!project || !place) return notThere(frame, "This project is in the trash or has been deleted.", path);
      const children = <MoveForm frame={frame} project={project} place={place} />;
      return showDialog(request, { frame, title: `Move “${project.title}”`, children });
    })
    .post(
      "/:id/move",
      async ({ request, params: { id }, body: { to } }) =>
        respond(request, await projects.move(db, { id, step: to }, actorOf(request), now())),
      { body: Step },
    );
};

const stale: Notice = {
  kind: "bad",
  text: "Not reordered: someone else has changed the list. This is the current order.",
};
