/* Names and values that a client keeps with a file. */

export type Metadata = Record<string, string>;

export const metadataLimits = {
  entries: 20,
  /** Characters of a value. */
  value: 500,
  /** Names and values together, in UTF-8. */
  bytes: 4_096,
};

/** What is wrong with all of it together; undefined if nothing is. */
export function metadataProblem(metadata: Metadata): string | undefined {
  const { entries, bytes } = metadataLimits;
  if (Object.keys(metadata).length > entries) return `must have at most ${entries} entries`;
  const size = Object.entries(metadata).reduce((sum, entry) => sum + Buffer.byteLength(entry.join("")), 0);
  return size > bytes ? `must be at most ${bytes} bytes long in all` : undefined;
}

/** The entries with these changes; null removes one. */
export function changedMetadata(before: Metadata | null, changes: Record<string, string | null>): Metadata {
  const merged = Object.entries({ ...before, ...changes });
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null));
}
