import type { Db } from "../../../db/engine/open";
import { rowSizesOf } from "../../../db/storage/files";
import { filesIn, idsIn, isSized } from "../../../db/storage/pictures";
import type { Covers } from "../../../views/components/lists/table";
import * as fileList from "../../../db/storage/files-list";
import type { AssetName } from "../../../views/assets";
import type { Deps } from "../deps";
import { policyWithNodes, policyWithPictures } from "../../security/headers";
import { contextOf } from "../../platform/request-context";
import { urlBefore } from "../responses";

export const extras: AssetName[] = ["storage.css", "storage.js", "library.js"];

/**
 * Lets the page that this request gets talk to the storage nodes, for uploads and previews (D38). A frame may show a
 * PDF from them, or follow our redirect to a download.
 */
export async function openToNodes(deps: Deps, request: Request): Promise<void> {
  const origins = await originsOf(deps);
  const frames = `; frame-src ${[...origins, "'self'"].join(" ")}`;
  contextOf(request).headers["content-security-policy"] = policyWithNodes(origins) + frames;
}

/** Lets the page that this request gets show pictures of the storage nodes, and no more. */
export async function showPictures(deps: Deps, request: Request): Promise<void> {
  contextOf(request).headers["content-security-policy"] = policyWithPictures(await originsOf(deps));
}

async function originsOf({ storage }: Deps): Promise<string[]> {
  const nodes = (await storage.nodes.list()).filter(({ state }) => state !== "down");
  return [...new Set(nodes.map(({ publicEndpoint }) => new URL(publicEndpoint).origin))];
}

/** Whether the action was started on the page of a file that was opened from Pictures. */
export const wasInPictures = (request: Request) => urlBefore(request).searchParams.get("in") === "pictures";

/** The counts in the navigation of Storage. */
export const countsOf = ({ db }: Deps) => fileList.counts(db);

/** Returns the tiny sizes of covers that are pictures of ours, by ID of what they cover. */
export async function coversOf(db: Db, rows: { id: string; image: string }[]): Promise<Covers> {
  const stored = await filesIn(db, rows.map(({ image }) => image).join("\n"));
  const files = new Map(stored.map((file) => [file.id, file]));
  return new Map(
    rows.flatMap(({ id, image }) => {
      const file = files.get(idsIn(image)[0] ?? "");
      return file && isSized(file) ? [[id, rowSizesOf(file)]] : [];
    }),
  );
}
