import { z } from "zod";
import * as managers from "../../../db/access/managers";
import * as savedViews from "../../../db/saved-views";
import type { FieldError } from "../../../views/components/forms/field-errors";
import { changedColumns, type ChoosableList, columnChoices } from "../../../views/components/lists/choose-columns";
import { viewQuery, viewUrl } from "../../../views/components/lists/saved-views";
import { ViewForm } from "../../../views/dashboard/saved-views";
import { paths } from "../../../views/paths";
import { field, inputsOf } from "../../fields/field";
import { line } from "../../platform/text/schemas";
import { managerFor } from "../../security/session";
import type { Deps } from "../deps";
import { readForm, typed } from "../form-input";
import { frameOf, pages } from "../pages";
import { forEveryone, mayUse } from "../permissions";
import { seeOther, showDialog, urlBefore } from "../responses";

const listPath = new RegExp(`^${paths.overview}(/[\\w-]+){1,4}$`);

/** The list and the query of its URL: only paths of the dashboard. */
const List = z.object({
  list: z.string().max(200).regex(listPath).catch(paths.newsletter),
  query: z
    .string()
    .max(4_000)
    .catch("")
    .transform((query) => viewQuery(Object.fromEntries(new URLSearchParams(query)))),
});
type List = z.output<typeof List>;

const Name = z.object({
  name: field(line({ min: 1, max: 60 }), {
    label: "Name",
    hint: "Shown above the list, to you alone. It keeps the search, the filters and the order.",
  }),
});
const { name: nameInput } = inputsOf(Name);

/** The views of lists that managers keep for themselves. */
export const savedViewsDashboard = (deps: Deps) =>
  pages(paths.savedViews, deps, forEveryone)
    .get("/new", ({ request, query }) => askForName(deps, request, listIn(deps, request, query)))
    .post("/", ({ request, body }) => saveView(deps, request, body))
    .get("/:id/rename", ({ request, params: { id } }) => askForNewName(deps, request, id))
    .post("/:id/rename", ({ request, params: { id }, body }) => renameView(deps, request, id, body))
    .post("/:id/delete", ({ request, params: { id } }) => deleteView(deps, request, id));

const path = paths.savedViews;
const ownerOf = (request: Request) => managerFor(request).manager.id;

const nameTaken = "You already have a view with this name. Choose another.";
const refusals = {
  taken: nameTaken,
  full: "This list has 20 views. Delete one of them first.",
  "too-many": "You have 200 views. Delete one of them first.",
};

/** The list that a view is of: one that the manager's role includes. */
function listIn(deps: Deps, request: Request, fields: unknown): List {
  const { list, query } = List.parse(fields);
  return { query, list: mayUse(deps, managerFor(request).manager.role, list) ? list : paths.overview };
}

type Again = { name?: string; errors?: FieldError[] };

async function askForName(deps: Deps, request: Request, fields: List, { name = "", errors }: Again = {}) {
  const frame = await frameOf(deps, request);
  const cancel = viewUrl({ path: fields.list, query: fields.query });
  const form = (
    <ViewForm
      input={nameInput}
      frame={frame}
      fields={fields}
      name={name}
      cancel={cancel}
      action={path}
      errors={errors ?? []}
      verb="Save view"
    />
  );
  return showDialog(request, { frame, title: "Save view", children: form, ...(errors && { status: 422 }) });
}

/** Saves the list's state under a name. */
async function saveView(deps: Deps, request: Request, body: unknown) {
  const fields = listIn(deps, request, body);
  const { input, errors } = readForm(Name, body);
  if (errors) return askForName(deps, request, fields, { name: typed(body, "name"), errors });
  const view = { managerId: ownerOf(request), path: fields.list, query: fields.query, name: input.name };
  const outcome = await savedViews.save(deps.db, view, deps.now());
  if (outcome !== "saved")
    return askForName(deps, request, fields, {
      name: input.name,
      errors: [{ field: "name", message: refusals[outcome] }],
    });
  return seeOther(request, viewUrl(view), { kind: "good", text: `View “${view.name}” saved.` });
}

async function askForNewName(deps: Deps, request: Request, id: string, { name, errors }: Again = {}) {
  const view = await savedViews.byId(deps.db, { id, managerId: ownerOf(request) });
  if (!view) return gone(request);
  const frame = await frameOf(deps, request);
  const about = { frame, action: `${path}/${id}/rename`, cancel: viewUrl(view), fields: {} };
  const form = (
    <ViewForm input={nameInput} {...about} name={name ?? view.name} errors={errors ?? []} verb="Rename view" />
  );
  return showDialog(request, { frame, title: `Rename “${view.name}”`, children: form, ...(errors && { status: 422 }) });
}

async function renameView(deps: Deps, request: Request, id: string, body: unknown) {
  const { input, errors } = readForm(Name, body);
  if (errors) return askForNewName(deps, request, id, { name: typed(body, "name"), errors });
  const view = await savedViews.rename(deps.db, { id, managerId: ownerOf(request) }, input.name);
  if (!view) return gone(request);
  if (view === "taken")
    return askForNewName(deps, request, id, { name: input.name, errors: [{ field: "name", message: nameTaken }] });
  return seeOther(request, viewUrl(view), { kind: "good", text: `View renamed to “${view.name}”.` });
}

/** Deletes a view, which can be undone. The list stays as it is. */
async function deleteView(deps: Deps, request: Request, id: string) {
  const view = await savedViews.remove(deps.db, { id, managerId: ownerOf(request) });
  if (!view) return gone(request);
  const undo = { action: path, fields: { list: view.path, query: view.query, name: view.name } };
  return seeOther(request, viewUrl(view), { kind: "good", text: `View “${view.name}” deleted.`, undo });
}

const gone = (request: Request) =>
  seeOther(request, paths.overview, { kind: "good", text: "This view has already been deleted." });

const lists = Object.keys(columnChoices) as [ChoosableList, ...ChoosableList[]];

const Choice = z.object({
  list: z.enum(lists),
  shown: z
    .union([z.string().max(40).array().max(20), z.string().max(40)])
    .default([])
    .transform((keys) => [keys].flat()),
});

/** Which columns of a list someone wants to see. Nobody else sees it, so the audit log does not record it. */
export const columnsDashboard = (deps: Deps) =>
  pages(paths.columns, deps, forEveryone).post("/", ({ request, body }) => chooseColumns(deps, request, body), {
    body: Choice,
  });

/** Shows the list again as it was: browsers and htmx both follow a redirect. */
async function chooseColumns({ db }: Deps, request: Request, { list, shown: keys }: z.output<typeof Choice>) {
  const { manager } = managerFor(request);
  await managers.chooseColumns(db, manager.id, { list, changed: changedColumns(list, keys) });
  const { pathname, search } = urlBefore(request);
  return new Response(null, { status: 303, headers: { location: pathname + search } });
}
