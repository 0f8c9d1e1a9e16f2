import { z } from "zod";
import * as desk from "../../../db/project-desk";
import * as order from "../../../db/project-order";
import type { Project } from "../../../db/projects";
import { Confirm } from "../../../views/components/dialog";
import type { Frame, Notice } from "../../../views/components/frame";
import { MoveForm } from "../../../views/dashboard/projects/move";
import { ProjectHead, ProjectList } from "../../../views/dashboard/projects/projects";
import type { Deps } from "../../deps";
import { actorOf } from "../../security/session";
import { ask, done, notThere, queryBefore, showList } from "../answers";
import { frameOf, pages } from "../pages";
import { filterOf, path, Query, stateHere, stateUrl } from "./query";

const title = "Projects";
const extras = ["content.css" as const, "order.js" as const];

/** What a drop sends: the whole order of the group as it is on the screen now. */
const Drop = z.object({
  ids: z
    .string()
    .max(10_000)
    .transform((ids) => ids.split(",")),
  stamp: z.string().max(100),
  moved: z.string().max(100),
});
const Step = z.object({
  to: z.union([z.enum(["up", "down"]), z.coerce.number().int().min(1).max(1_000_000)]),
});
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

/** The list of projects: found, put in order, published, featured, thrown away. Their form is in projects-form.tsx. */
export const projectsDashboard = (deps: Deps) => {
  const { db, now } = deps;

  async function listFor(frame: Frame, given: Record<string, unknown>) {
    const query = Query.parse(given);
    const [{ rows, ...where }, counts] = await Promise.all([desk.list(db, filterOf(query), query), desk.counts(db)]);
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

  async function arranged(request: Request, result: order.Arranged) {
    if (result.outcome === "gone") return doneWith(request, { kind: "bad", text: "That project is gone." }, 409);
    if (result.outcome === "stale") return doneWith(request, stale, 409);
    const { project, from, to } = result;
    const place = `${to.position} of ${to.of}`;
    if (from.position === to.position)
      return doneWith(request, { kind: "good", text: `${project.title} stays at ${place}.` });
    const back = { action: `${path}/${project.id}/move`, fields: { to: String(from.position) } };
    return doneWith(request, { kind: "good", text: `${project.title} moved to ${place}.`, undo: back });
  }

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

  const area = pages(path, deps)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const list = await listFor(frame, query);
      return showList(request, { frame, title, extras, head: <ProjectHead />, list });
    })
    .post(
      "/order",
      async ({ request, body }) => arranged(request, await order.arrange(db, body, actorOf(request), now())),
      { body: Drop },
    )
    .get("/:id/move", async ({ request, params: { id } }) => {
      const [frame, project, place] = await Promise.all([
        frameOf(deps, request),
        desk.byId(db, id),
        order.placeOf(db, id),
      ]);
      if (!project || !place) return notThere(frame, "This project is in the trash, or was deleted.", path);
      const children = <MoveForm frame={frame} project={project} place={place} />;
      return ask(request, { frame, title: `Move ${project.title}`, children });
    })
    .post(
      "/:id/move",
      async ({ request, params: { id }, body: { to } }) =>
        arranged(request, await order.move(db, id, to, actorOf(request), now())),
      { body: Step },
    )
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
    .get("/:id/delete", async ({ request, params: { id } }) => {
      const [frame, project] = await Promise.all([frameOf(deps, request), desk.byId(db, id)]);
      if (!project) return notThere(frame, "This project was deleted for good already.", path);
      return ask(request, {
        frame,
        title: `Delete ${project.title} for good?`,
        children: (
          <Confirm
            frame={frame}
            action={`${path}/${id}/delete`}
            verb="Delete for good"
            cancel={stateUrl({ status: "trash" })}
          >
            <p>The project and its clicks are removed. This cannot be undone.</p>
          </Confirm>
        ),
      });
    })
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

const stale: Notice = {
  kind: "bad",
  text: "Somebody else changed the list meanwhile, so the order was not changed. This is the list as it is now.",
};
