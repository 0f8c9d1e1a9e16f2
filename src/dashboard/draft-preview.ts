import * as files from "../../db/storage/files";
import type { Deps } from "./deps";
import type { Preview } from "../broadcasts/letter/letter";
import { policyOfPreviewWith } from "../security/headers";

const maxPictures = 100;

/** The pictures of a draft, which are not public yet and may be shown for an hour. @param paths in Storage */
export async function draftPictures(
  { db, storage }: Deps,
  paths: string[],
): Promise<{ preview: Preview; origins: string[] }> {
  const pictures = new Map<string, string>();
  for (const file of paths.slice(0, maxPictures)) {
    const stored = await files.findStored(db, file.split("/")[2] ?? "");
    if (stored) pictures.set(file, await storage.links.media(stored));
  }
  return { preview: { pictures }, origins: [...new Set([...pictures.values()].map((url) => new URL(url).origin))] };
}

/** Responds with a document for one of our frames: no script, no form, and pictures from these places only. */
export const framed = (type: string, body: string, pictures: string[], status = 200, allow = "") =>
  new Response(body, {
    status,
    headers: {
      "content-type": `${type}; charset=utf-8`,
      "cache-control": "no-store",
      "content-security-policy": policyOfPreviewWith({ pictures, allow }),
    },
  });
