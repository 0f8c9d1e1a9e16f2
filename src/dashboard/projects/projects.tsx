import { z } from "zod";
import * as projectEdits from "../../../db/projects/projects";
import * as projectList from "../../../db/projects/list";
import { Confirm } from "../../../views/components/confirm";
import type { Frame, Notice } from "../../../views/components/frame";
import { type ListState, listUrl, plural } from "../../../views/components/list";
import { ProjectHead, ProjectList } from "../../../views/dashboard/projects/projects";
import { paths } from "../../../views/paths";
import { actorOf } from "../../security/session";
import { bulkActions, bulkBody, type BulkRequest, toTrash, undoableSelectionOf } from "../bulk-actions";
import type { Deps } from "../deps";
import { oneOf, pageNumber, perPage, search, stateOf } from "../list-query";
import { frameOf, pages } from "../pages";
import { forEditors } from "../permissions";
import { coversOf, showPictures } from "../storage/pages";
import { done, notThere, queryBefore, showDialog, showList } from "../responses";

export const path = paths.projects;

/** The list's parameters in the URL. */
const Query = z.object({
  q: search,
  status: oneOf(["PUBLISHED", "DRAFT", "ARCHIVED", "trash"]),
  page: pageNumber,
  per: perPage,
});
type Query = z.output<typeof Query>;

const filterOf = ({ q, status }: Query): projectList.ProjectFilter => ({
  q: q || undefined,
  status: status || undefined,
});

const stateHere = (query: Query): ListState => stateOf(path, Query, query);

/** Returns the URL of the list as it was filtered. */
const stateUrl = (query: Record<string, string>) =>
  listUrl(stateHere(Query.parse(query)), query.page ? { page: query.page } : {});

const extras = ["content.css" as const, "order.js" as const];

const Answer = z.object({ confirmed: z.string().optional() });

const actions = ["publish", "unpublish", "archive", "feature", "unfeature", "trash", "restore"] as const;

/** `/dashboard/projects`: the list of projects. */
export const projectsDashboard = (deps: Deps) => {
  const area = pages(path, deps, forEditors)
    .get("/", async ({ request, query }) => {
      const frame = await frameOf(deps, request);
      const list = await listFor(deps, frame, query);
      await showPictures(deps, request);
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
const changeOne = (deps: Deps, request: Request, id: string, verb: projectList.ProjectAction) =>
  changeSelected(deps, request, { do: verb, ids: [id], confirmed: "yes" });

async function duplicate(deps: Deps, request: Request, id: string) {
  const project = await projectEdits.duplicate(deps.db, id, actorOf(request), deps.now());
  if (!project) return tooLate(deps, request);
  return doneWith(deps, request, { kind: "good", text: `“${project.title}” created as a draft.` });
}

async function askFirst(deps: Deps, request: Request, project: projectEdits.Project, action: "unpublish" | "archive") {
  const frame = await frameOf(deps, request);
  const verb = action === "archive" ? "Archive" : "Unpublish";
  return showDialog(request, {
    frame,
    title: `${verb} “${project.title}”?`,
    children: (
      <Confirm
        frame={frame}
        action={`${path}/${project.id}/${action}`}
        verb={`${verb} project`}
        cancel={path}
        isHarmless
      >
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
  return showDialog(request, {
    frame,
    title: `Permanently delete “${project.title}”?`,
    children: (
      <Confirm frame={frame} action={`${path}/${id}/delete`} verb="Delete permanently" cancel={cancel}>
        <p>The project and its click count will be permanently deleted. This cannot be undone.</p>
      </Confirm>
    ),
  });
}

const title = "Projects";

/** Reads the list for these parameters. */
async function listFor({ db }: Deps, frame: Frame, params: Record<string, unknown>) {
  const query = Query.parse(params);
  const [{ rows, ...where }, counts] = await Promise.all([
    projectList.list(db, filterOf(query), query),
    projectList.counts(db),
  ]);
  const covers = await coversOf(
    db,
    rows.map(({ id, imageUrl }) => ({ id, image: imageUrl })),
  );
  const view = { frame, state: stateHere(query), rows, counts, per: query.per, covers, ...where };
  return <ProjectList {...view} />;
}

/** Responds after an action: the list as it was filtered, with a notice. */
export async function doneWith(deps: Deps, request: Request, notice: Notice, status?: 409) {
  const frame = await frameOf(deps, request);
  const query = queryBefore(request, path);
  const list = await listFor(deps, frame, query);
  return done(request, { frame, title, list, back: stateUrl(query), notice, status });
}

const tooLate = (deps: Deps, request: Request) =>
  doneWith(deps, request, { kind: "good", text: "Nothing changed: already done or deleted." });

/** What the list's form sends: selected projects, all that match, or those that one action deleted. */
const ProjectBulk = bulkBody(["publish", "unpublish", "archive", "feature", "unfeature", "trash", "restore", "delete"]);

const hides = (count: number) =>
  `Your sites will stop showing ${count === 1 ? "it" : "them"} immediately, and clicks are no longer counted. You can publish ${count === 1 ? "it" : "them"} again later.`;

/** The bulk actions on projects. Those that hide a project from visitors always ask first. */
const projectActions = bulkActions<projectList.ProjectAction, NonNullable<projectList.ChangedProjects["first"]>>({
  rows: ["project", "projects"],
  nameOf: ({ title }) => `“${title}”`,
  noneSelected: "No projects selected.",
  tooLate: () => "Nothing changed: already done or deleted.",
  others: (count) => `${plural(count, "other")} already done.`,
  actions: {
    publish: {
      verb: (rows) => `Publish ${rows}`,
      asks: "several",
      consequence: () => "Your sites will show them immediately.",
      past: "published",
    },
    unpublish: { verb: (rows) => `Unpublish ${rows}`, asks: "always", consequence: hides, past: "moved to drafts" },
    archive: { verb: (rows) => `Archive ${rows}`, asks: "always", consequence: hides, past: "archived" },
    feature: { verb: (rows) => `Feature ${rows}`, asks: "never", past: "featured" },
    unfeature: { verb: (rows) => `Stop featuring ${rows}`, asks: "never", past: "no longer featured" },
    trash: toTrash(
      "They will be moved to the trash, where your sites cannot see them, and can be restored for 30 days.",
    ),
    restore: { verb: (rows) => `Restore ${rows}`, asks: "never", past: "restored", opens: (id) => `${path}/${id}` },
    delete: {
      verb: (rows) => `Permanently delete ${rows}`,
      asks: "always",
      consequence: () => "The projects and their click counts will be permanently deleted. This cannot be undone.",
      destroys: true,
      past: "permanently deleted",
    },
  },
});

/** Applies an action to the selected projects, after a question if it needs one. */
function changeSelected(deps: Deps, request: Request, bulk: BulkRequest<z.output<typeof ProjectBulk>["do"]>) {
  const selected = undoableSelectionOf(bulk, (query) => filterOf(Query.parse(query)));
  return projectActions.askOrChange(deps, request, bulk, {
    count: () => projectList.countAffected(deps.db, bulk.do, selected),
    apply: (at) => projectList.applyAction(deps.db, { action: bulk.do, selection: selected }, actorOf(request), at),
    finish: (notice) => doneWith(deps, request, notice),
    action: `${path}/bulk`,
    cancel: stateUrl(Object.fromEntries(new URLSearchParams(bulk.filter ?? ""))),
  });
}
