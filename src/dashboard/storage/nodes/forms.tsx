import { z } from "zod";
import * as nodeEdits from "../../../../db/storage/nodes/edit";
import { bytes } from "../../../../views/components/bytes";
import { Confirm } from "../../../../views/components/confirm";
import type { FieldError } from "../../../../views/components/forms/field-errors";
import type { Notice } from "../../../../views/components/frame";
import { plural } from "../../../../views/components/list";
import { type KeptKeys, type NodeDraft, NodeFormPage } from "../../../../views/dashboard/storage/nodes/form";
import { changeNodes, nodesPath as path } from "../../../../views/dashboard/storage/nodes/nodes";
import { inputsOf } from "../../../fields/field";
import type { Config } from "../../../platform/config";
import { actorOf, requireFresh } from "../../../security/session";
import { decryptIfOurs, encrypt } from "../../../security/secrets";
import { EditedNode, NewNode, NodeFields } from "../../../storage/nodes/input";
import { maxPutBytesAt } from "../../../storage/nodes/configured";
import type { NodeView } from "../../../storage/nodes/nodes";
import type { Deps } from "../../deps";
import { basisIn, mergeFields, readForm, sentFields, typed } from "../../form-input";
import { frameOf, pages } from "../../pages";
import { forOwners } from "../../permissions";
import { seeOther, show, showDialog } from "../../responses";
import { extras } from "../pages";
import { refuse, testNotice, tryOut, workingNotice } from "./nodes";

/**
 * Adds, edits and removes storage nodes, for owners who confirmed their password recently, because the forms contain
 * keys.
 */
export const storageNodeForms = (deps: Deps) =>
  pages(path, deps, forOwners(changeNodes))
    .onBeforeHandle(({ request }) => requireFresh(request, deps.now()))
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

type Asked = {
  node?: NodeView | undefined;
  draft: NodeDraft;
  keys?: Keys;
  errors?: FieldError[];
  mayForce?: boolean;
};
async function showForm(deps: Deps, request: Request, { node, draft, keys, errors = [], mayForce = false }: Asked) {
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
      kept={keys && sealed(deps.config, keys)}
      errors={errors}
      mayForce={mayForce}
    />
  );
  return show({ frame, title, status: errors.length ? 422 : 200, extras }, content);
}

async function add(deps: Deps, request: Request, body: unknown) {
  const keys = keysIn(deps.config, body);
  const { input, errors } = readForm(NewNode, { ...sentFields(body), ...keys });
  const form = { draft: draftIn(body), keys };
  if (errors) return showForm(deps, request, { ...form, errors });
  const { nodes } = deps.storage;
  if (await nodes.find(input.name)) return showForm(deps, request, { ...form, errors: [nameTaken] });
  const { probe, problem } = typed(body, "force") ? {} : await tryOut(nodes, input);
  if (problem) return showForm(deps, request, { ...form, errors: [problem], mayForce: true });
  const node = await nodes.add(input, actorOf(request), probe);
  if (!node) return showForm(deps, request, { ...form, errors: [nameTaken] });
  const notice = await (probe ? workingNotice(nodes, node, probe) : testNotice(nodes, node));
  return seeOther(request, `${path}/${node.id}`, notice);
}

async function save(deps: Deps, request: Request, node: NodeView, body: unknown) {
  const { draft, conflicts } = mergeNode(node, body);
  const keys = keysIn(deps.config, body);
  const form = { node, draft, keys };
  if (conflicts.length) return showForm(deps, request, { ...form, errors: conflicts });
  const { input, errors } = readForm(EditedNode, { ...sentFields(body), ...draft, ...keys });
  if (errors) return showForm(deps, request, { ...form, errors });
  const edited = await deps.storage.nodes.edit(node.id, input, actorOf(request));
  if (edited.outcome === "gone") return refuse(request, undefined);
  if (edited.outcome === "edited")
    return seeOther(request, `${path}/${node.id}`, await testNotice(deps.storage.nodes, { ...node, name: input.name }));
  const error = edited.outcome === "taken" ? nameTaken : tooSmall(edited.minBytes);
  return showForm(deps, request, { ...form, errors: [error] });
}

type Keys = { accessKey: string; secretKey: string };

/*
 * A form that comes back does not show the keys that were typed, and neither empties them: they travel with it,
 * encrypted. A key that is typed again replaces the kept one.
 */
const keptPurpose = "keys kept in a form";
const Kept = z.object({ accessKey: z.string(), secretKey: z.string() });

function keysIn({ APP_SECRET }: Config, body: unknown): Keys {
  const opened = decryptIfOurs(APP_SECRET, keptPurpose, typed(body, "kept"));
  const kept = opened ? Kept.parse(JSON.parse(opened)) : { accessKey: "", secretKey: "" };
  return {
    accessKey: typed(body, "accessKey") || kept.accessKey,
    secretKey: typed(body, "secretKey") || kept.secretKey,
  };
}

const sealed = ({ APP_SECRET }: Config, keys: Keys): KeptKeys | undefined =>
  keys.accessKey || keys.secretKey
    ? {
        sealed: encrypt(APP_SECRET, keptPurpose, JSON.stringify(keys)),
        accessKey: keys.accessKey !== "",
        secretKey: keys.secretKey !== "",
      }
    : undefined;

async function askRemoval(deps: Deps, request: Request, node: NodeView) {
  const [frame, holds] = await Promise.all([frameOf(deps, request), nodeEdits.contentsOf(deps.db, node.id)]);
  if (holds.files || holds.uploads) return seeOther(request, `${path}/${node.id}`, notEmpty(node, holds));
  const children = (
    <Confirm frame={frame} action={`${path}/${node.id}/remove`} verb="Remove node" cancel={`${path}/${node.id}`}>
      <p>The node is empty. Its credentials will be deleted; the bucket and server are not changed.</p>
    </Confirm>
  );
  return showDialog(request, { frame, title: `Remove “${node.name}”?`, children });
}

async function remove(deps: Deps, request: Request, node: NodeView) {
  const removed = await nodeEdits.remove(deps.db, node.id, actorOf(request), deps.now());
  if (removed.outcome === "not-empty") return seeOther(request, `${path}/${node.id}`, notEmpty(node, removed));
  return seeOther(request, path, { kind: "good", text: `Storage node “${node.name}” removed.` });
}

/** Runs the work on a node that owners may change. */
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

const fields = [
  "name",
  "endpoint",
  "publicEndpoint",
  "region",
  "bucket",
  "capacity",
  "maxPut",
  "staleUploadHours",
] as const;

/** The form as typed. */
const draftIn = (body: unknown) => Object.fromEntries(fields.map((field) => [field, typed(body, field)]));

/** The initial contents of a node's form. */
const draftOf = ({ name, endpoint, publicEndpoint, region, bucket, ...node }: NodeView) => ({
  name,
  endpoint,
  region,
  bucket,
  publicEndpoint: publicEndpoint === endpoint ? "" : publicEndpoint,
  capacity: exactly(node.capacityBytes),
  maxPut: node.maxPutBytes === maxPutBytesAt(endpoint) ? "" : exactly(node.maxPutBytes),
  staleUploadHours: String(node.staleUploadHours),
});

/** Merges what was typed into what someone else saved. A form that does not say what it was based on is taken as it is. */
function mergeNode(node: NodeView, body: unknown): { draft: NodeDraft; conflicts: FieldError[] } {
  const theirs = draftOf(node);
  const was = { ...theirs, ...basisIn(body, fields) };
  const { merged: draft, conflicts } = mergeFields({ mine: draftIn(body), was, theirs });
  return { draft, conflicts };
}

/** Formats a number of bytes in the largest unit in which it is whole: 500GB, 2TiB, 1234567. */
function exactly(size: number): string {
  const units = [
    ["TB", 1e12],
    ["TiB", 2 ** 40],
    ["GB", 1e9],
    ["GiB", 2 ** 30],
    ["MB", 1e6],
    ["MiB", 2 ** 20],
  ] as const;
  const fitting = units.find(([, unit]) => size > 0 && size % unit === 0);
  return fitting ? `${size / fitting[1]}${fitting[0]}` : String(size);
}
