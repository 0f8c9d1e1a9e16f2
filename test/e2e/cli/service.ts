import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { postroom, temporaryFolder } from "../../support/processes";

/** A data folder, a command line on it, and files in it. */
export function cliService() {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  return {
    dataDir,
    /** Whether something has created the data folder. */
    created: () => existsSync(dataDir),
    run: (...args: string[]) => postroom(dataDir, args),
    file(name: string, content?: string) {
      const path = join(folder.path, name);
      if (content !== undefined) writeFileSync(path, content);
      return path;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** The cells that a command printed. */
export const rows = (out: string) =>
  out
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split("\t"));

export const api = async (url: string, path: string, key = "") =>
  (await fetch(url + path, { headers: { "x-api-key": key } })).json() as Promise<{ data: Record<string, never> }>;
