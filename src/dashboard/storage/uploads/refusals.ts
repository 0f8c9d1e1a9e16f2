import { z } from "zod";
import type { Repeatable } from "../../../../db/storage/repeated";
import { bytes } from "../../../../views/components/bytes";
import type { Deps } from "../../deps";
import { sha256 } from "../../../security/secrets";

export async function noRoom(deps: Deps, size: number): Promise<string> {
  const active = (await deps.storage.nodes.list()).filter(
    ({ state, refusedBytes }) => state === "active" && (refusedBytes ?? Infinity) > size,
  );
  const [free] = active.sort((a, b) => b.freeBytes - a.freeBytes);
  const rest = free
    ? `The most free space is ${bytes(free.freeBytes)}, on ${free.name}.`
    : "No other node accepts files.";
  return `No storage node has ${bytes(size)} free. ${rest}`;
}

/** Identifies a repeated request after a lost response, by a header that the script sends. */
export function repeatableOf({ headers }: Request, wanted: object): Repeatable | undefined {
  const key = headers.get("idempotency-key");
  return key ? { key: sha256(`upload ${key} ${JSON.stringify(wanted)}`), fingerprint: "" } : undefined;
}

/** Returns the first error as a sentence about the file. */
export function inWords(error: z.ZodError): string {
  const { path, message } = error.issues[0] ?? { path: [], message: "is not valid" };
  const names: Record<string, string> = { filename: "The name", folderPath: "The folder", size: "The size" };
  return `${names[String(path[0])] ?? "The file"} ${message}.`;
}
