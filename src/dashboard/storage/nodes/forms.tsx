import * as nodeEdits from "../../../../db/storage/nodes/edit";
import type { FieldError } from "../../../../views/components/forms/field-errors";
import { type NodeDraft, NodeFormPage } from "../../../../views/dashboard/storage/nodes/form";
import { changeNodes, nodesPath as path } from "../../../../views/dashboard/storage/nodes/nodes";
import type { Deps } from "../../deps";
import { inputsOf } from "../../../fields/field";
import { actorOf } from "../../../security/session/session";
import { requireFresh } from "../../../security/session/rules";
import { EditedNode, NewNode, NodeFields } from "../../../storage/nodes/input";
import type { NodeView } from "../../../storage/nodes/nodes";
import { seeOther, show } from "../../responses";
import { readForm, typed } from "../../form-input";
import { ownersOnly, frameOf, pages } from "../../pages";
import { refuse, tested, triedOut, works } from "./responses";
import { draftIn, draftOf, merged } from "./draft";
import { extras } from "../pages";
import { nameTaken, onOwn, tooSmall } from "./refusals";
import { askRemoval, remove } from "./removal";

/**
 * Adds, edits and removes storage nodes, for owners who confirmed their password recently, because the forms contain
 * keys.
 */
export const storageNodeForms = (deps: Deps) =>
  pages(path, deps)
    .onBeforeHandle(({ request }) => ownersOnly(request, changeNodes) ?? requireFresh(request, deps.now()))
    .get("/new", ({ request }) => showForm(deps, request, { draft: {} }))
    .post("/", ({ request, body }) => add(deps, request, body))
    .get("/:id/edit", ({ request, params: { id } }) =>
      onOwn(deps, request, id, (node) => showForm(deps, request, { node, draft: draftOf(node) })),
    )
    .post("/:id", ({ request, params: { id }, body }) =>
      onOwn(deps, request, id, (node) => save(deps, request, node, body)),
    )
    .get("/:id/remove", ({ request, params: { id } }) =>
      onOwn(deps, request, id, (node) => askRemoval(deps, request, node)),
    )
    .post("/:id/remove", ({ request, params: { id } }) =>
      onOwn(deps, request, id, (node) => remove(deps, request, node)),
    );

const inputs = inputsOf(NodeFields);

type Asked = { node?: NodeView | undefined; draft: NodeDraft; errors?: FieldError[]; mayForce?: boolean };
async function showForm(deps: Deps, request: Request, { node, draft, errors = [], mayForce = false }: Asked) {
  const frame = await frameOf(deps, request);
  const withContents = node && { ...node, holds: await nodeEdits.contentsOf(deps.db, node.id) };
  const title = node ? `Edit ${node.name}` : "Add storage node";
  const was = node && draftOf(node);
  const content = (
    <NodeFormPage
      frame={frame}
      inputs={inputs}
      node={withContents}
      was={was}
      draft={draft}
      errors={errors}
      mayForce={mayForce}
    />
  );
  return show({ frame, title, status: errors.length ? 422 : 200, extras }, content);
}

async function add(deps: Deps, request: Request, body: unknown) {
  const { input, errors } = readForm(NewNode, body);
  const draft = draftIn(body);
  if (errors) return showForm(deps, request, { draft, errors });
  const { nodes } = deps.storage;
  if (await nodes.find(input.name)) return showForm(deps, request, { draft, errors: [nameTaken] });
  const { found, problem } = typed(body, "force") ? {} : await triedOut(nodes, input);
  if (problem) return showForm(deps, request, { draft, errors: [problem], mayForce: true });
  const node = await nodes.add(input, actorOf(request), found);
  if (!node) return showForm(deps, request, { draft, errors: [nameTaken] });
  return seeOther(request, `${path}/${node.id}`, found ? works(node) : await tested(nodes, node));
}

async function save(deps: Deps, request: Request, node: NodeView, body: unknown) {
  const { draft, conflicts } = merged(node, body);
  if (conflicts.length) return showForm(deps, request, { node, draft, errors: conflicts });
  const { input, errors } = readForm(EditedNode, { ...(body as object), ...draft });
  if (errors) return showForm(deps, request, { node, draft, errors });
  const edited = await deps.storage.nodes.edit(node.id, input, actorOf(request));
  if (edited.outcome === "gone") return refuse(request, undefined);
  if (edited.outcome === "edited")
    return seeOther(request, `${path}/${node.id}`, await tested(deps.storage.nodes, { ...node, name: input.name }));
  const error = edited.outcome === "taken" ? nameTaken : tooSmall(edited.minBytes);
  return showForm(deps, request, { node, draft, errors: [error] });
}
