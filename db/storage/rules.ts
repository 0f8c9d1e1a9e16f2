import { and, eq, isNotNull } from "drizzle-orm";
import { trashRetentionMs } from "../lib/time";
import * as audit from "../audit";
import type { Db } from "../engine/open";
import { uploads } from "../schema/storage";
import { isStored } from "./files";
import { inUse } from "./references";

type State = (typeof uploads.$inferSelect)["state"];

/**
 * The states in which an upload has ended and no longer changes; `isUnsettled` in `db/schema/storage.ts` is the condition
 * for the others.
 */
export const settledStates = ["completed", "aborted"] as const satisfies State[];
export const isSettled = (state: State): boolean => settledStates.some((settled) => settled === state);

/** How long a URL for an upload or download is valid (spec 4.7: expiresIn 3600). */
export const urlLifetimeSeconds = 3_600;

/** Worded like the index `uploads_purge`, which contains only these rows. */
export const inTrash = and(isNotNull(uploads.purgeAt), isNotNull(uploads.deletedAt), eq(uploads.state, "completed"));

type Trashed = "trashed" | "in use" | "not there";

/** Moves one file to the trash, without touching its bytes. One that is already there stays as it is. */
export const trash = (db: Db, id: string, by: audit.Actor, now: Date): Promise<Trashed> =>
  db.write(async (orm) => {
    const file = await orm
      .select()
      .from(uploads)
      .where(and(eq(uploads.id, id), eq(uploads.state, "completed")))
      .get();
    if (!file) return "not there";
    if (file.deletedAt) return "trashed";
    if (await inUse(orm, id)) return "in use";
    await orm
      .update(uploads)
      .set(trashColumns(now))
      .where(and(eq(uploads.id, id), isStored))
      .run();
    await audit.record(orm, { ...by, action: "file.trash", targetId: id, target: file.filename }, now);
    return "trashed";
  });

export const trashColumns = (now: Date) => ({ deletedAt: now, purgeAt: new Date(now.getTime() + trashRetentionMs) });

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
