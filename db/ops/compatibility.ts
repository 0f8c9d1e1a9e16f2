/** How a database relates to this program: not ours, of an older or newer version, or of exactly this one. */
export type Compatibility = "none" | "older" | "newer" | "same";

/** Compares the migrations that a database has with those of this program. */
export function compare(done: string[], known: string[]): Compatibility {
  if (!done.length) return "none";
  if (!new Set(done).isSubsetOf(new Set(known))) return "newer";
  return new Set(known).isSubsetOf(new Set(done)) ? "same" : "older";
}
