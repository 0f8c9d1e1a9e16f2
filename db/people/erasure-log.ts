import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { sync } from "../ops/backup-file";
import type { ErasureScope } from "../schema/suppressions";

/** A line of the log: an erasure, by the hash of its address. */
export type LoggedErasure = { id: string; at: Date; hash: string; scope: ErasureScope };
/** Erasures, with the key that their addresses were hashed with. */
type Keyed = { key: string; erasures: LoggedErasure[] };

/**
 * All erasures that were ever begun, in a file next to the database, so that a restored backup does not bring anyone
 * back. A line is "key" and a key, or the time, ID, hash and scope of an erasure, separated by tabs. The key is
 * included because a backup may be older than it.
 */
export function appendErasure(file: string, key: string, { id, at, hash, scope }: LoggedErasure): void {
  const line = [at.toISOString(), id, hash, scope.join(",")].join("\t");
  const isNew = readErasures(file).at(-1)?.key !== key;
  const begun = existsSync(file) && !readFileSync(file, "utf8").endsWith("\n") ? "\n" : ""; // a crash cut the last line short
  appendFileSync(file, `${begun}${isNew ? `key\t${key}\n` : ""}${line}\n`, { mode: 0o600 });
  sync(file);
}

export function readErasures(file: string): Keyed[] {
  const groups: Keyed[] = [];
  for (const line of existsSync(file) ? readFileSync(file, "utf8").split("\n") : []) {
    const [first = "", second = "", hash = "", scope = ""] = line.split("\t");
    const at = new Date(first);
    if (first === "key" && second) groups.push({ key: second, erasures: [] });
    else if (hash && !Number.isNaN(at.getTime()))
      groups.at(-1)?.erasures.push({ id: second, at, hash, scope: scope.split(",") as ErasureScope });
  }
  return groups;
}

/** Adds the erasures of another log that this one does not have. */
export function addErasures(file: string, from: string): void {
  const own = new Set(readErasures(file).flatMap(({ erasures }) => erasures.map(({ id }) => id)));
  for (const { key, erasures } of readErasures(from))
    for (const erasure of erasures) if (!own.has(erasure.id) && own.add(erasure.id)) appendErasure(file, key, erasure);
}
