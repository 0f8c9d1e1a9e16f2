import * as fileList from "../../../db/storage/files-list";
import type { AssetName } from "../../../views/assets";
import type { Deps } from "../deps";
import { policyWithNodes } from "../../security/headers";
import { contextOf } from "../../platform/request-context";

export const extras: AssetName[] = ["storage.css", "storage.js", "library.js"];

/**
 * Lets the page that this request gets talk to the storage nodes, for uploads and previews (D38). A frame may show a
 * PDF from them, or follow our redirect to a download.
 */
export async function openToNodes({ storage }: Deps, request: Request): Promise<void> {
  const nodes = (await storage.nodes.list()).filter(({ state }) => state !== "down");
  const origins = [...new Set(nodes.map(({ publicEndpoint }) => new URL(publicEndpoint).origin))];
  const frames = `; frame-src ${[...origins, "'self'"].join(" ")}`;
  contextOf(request).headers["content-security-policy"] = policyWithNodes(origins) + frames;
}

/** The counts in the navigation of Storage. */
export const countsOf = ({ db }: Deps) => fileList.counts(db);
