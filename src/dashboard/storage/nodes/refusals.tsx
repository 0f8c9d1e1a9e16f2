import { bytes } from "../../../../views/components/bytes";
import type { Notice } from "../../../../views/components/frame";
import { plural } from "../../../../views/components/list";
import type { Deps } from "../../deps";
import type { NodeView } from "../../../storage/nodes/nodes";
import { refuse } from "./responses";

/** Runs the work on a node that owners may change. */
export async function onOwn(deps: Deps, request: Request, id: string, work: (node: NodeView) => Promise<Response>) {
  const node = await deps.storage.nodes.find(id);
  return node?.kind === "managed" ? work(node) : refuse(request, node);
}

export const nameTaken = { field: "name", message: "This name is taken by another node or reserved. Choose another." };
export const tooSmall = (minBytes: number) => ({
  field: "capacity",
  message: `Enter at least ${bytes(minBytes)} (${minBytes} bytes): this much is used or reserved.`,
});

export const notEmpty = ({ name }: NodeView, { files, uploads }: { files: number; uploads: number }): Notice => ({
  kind: "bad",
  text: `Not removed: “${name}” still has ${plural(files, "file")} (including the trash) and ${plural(uploads, "open upload")}.`,
});
