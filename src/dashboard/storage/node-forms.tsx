import * as nodeEdits from "../../../db/storage/nodes-edit";
import { bytes } from "../../../views/components/bytes";
import { Confirm } from "../../../views/components/dialog";
import type { FieldError } from "../../../views/components/forms/field-errors";
import type { Notice } from "../../../views/components/frame";
import { plural } from "../../../views/components/list";
import type { NodeDraft } from "../../../views/dashboard/storage/nodes/fields";
import { NodeFormPage } from "../../../views/dashboard/storage/nodes/form";
import type { Deps } from "../../boot/deps";
import { actorOf, requireFresh } from "../../security/session";
import { EditedNode, NewNode } from "../../storage/nodes/input";
import type { NodeView } from "../../storage/nodes/nodes";
import { ask, seeOther, show } from "../responses";
import { readForm, typed } from "../form-input";
import { ownersOnly } from "../owners-only";
import { frameOf, pages } from "../pages";
import { refuse, tested, triedOut, works } from "./node-responses";
import { draftIn, draftOf, merged } from "./node-draft";
import { extras } from "./pages";
import { nodesPath as path } from "../../../views/dashboard/storage/nodes/state";
import { changeNodes } from "../../../views/dashboard/storage/nodes/actions";

/** Adds, edits and removes storage nodes: for owners who typed the password lately, because keys are among it. */
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

type Asked = { node?: NodeView | undefined; draft: NodeDraft; errors?: FieldError[]; mayForce?: boolean };
async function showForm(deps: Deps, request: Request, { node, draft, errors = [], mayForce = false }: Asked) {
  const frame = await frameOf(deps, request);
  const known = node && { ...node, holds: await nodeEdits.contentsOf(deps.db, node.id) };
  const title = node ? `Edit ${node.name}` : "Add storage node";
  const was = node && draftOf(node);
  const content = <NodeFormPage {...{ frame, node: known, was, draft, errors, mayForce }} />;
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

async function askRemoval(deps: Deps, request: Request, node: NodeView) {
  const [frame, holds] = await Promise.all([frameOf(deps, request), nodeEdits.contentsOf(deps.db, node.id)]);
  if (holds.files || holds.uploads) return seeOther(request, `${path}/${node.id}`, notEmpty(node, holds));
  const children = (
    <Confirm frame={frame} action={`${path}/${node.id}/remove`} verb="Remove node" cancel={`${path}/${node.id}`}>
      <p>The node is empty. Its credentials will be deleted; the bucket and server are not changed.</p>
    </Confirm>
  );
  return ask(request, { frame, title: `Remove “${node.name}”?`, children });
}

async function remove(deps: Deps, request: Request, node: NodeView) {
  const removed = await nodeEdits.remove(deps.db, node.id, actorOf(request), deps.now());
  if (removed.outcome === "not-empty") return seeOther(request, `${path}/${node.id}`, notEmpty(node, removed));
  return seeOther(request, path, { kind: "good", text: `Storage node “${node.name}” removed.` });
}

/** The work, on a node that is an owner's to change. */
async function onOwn(deps: Deps, request: Request, id: string, work: (node: NodeView) => Promise<Response>) {
  const node = await deps.storage.nodes.find(id);
  return node?.kind === "managed" ? work(node) : refuse(request, node);
}

const nameTaken = { field: "name", message: "This name is taken by another node or reserved. Choose another." };
const tooSmall = (minBytes: number) => ({
  field: "capacity",
  message: `Enter at least ${bytes(minBytes)} (${minBytes} bytes): this much is used or reserved.`,
});

const notEmpty = ({ name }: NodeView, { files, uploads }: { files: number; uploads: number }): Notice => ({
  kind: "bad",
  text: `Not removed: “${name}” still has ${plural(files, "file")} (including the trash) and ${plural(uploads, "open upload")}.`,
});
