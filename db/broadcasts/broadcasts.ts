import { and, eq, type SQL } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import type { AuditVerb } from "../audit";
import { broadcastLetters, broadcasts } from "../schema/broadcasts";

export type Broadcast = typeof broadcasts.$inferSelect;
/** A broadcast as it was shown to someone. */
export type Versioned = Pick<Broadcast, "id" | "version">;
export type BroadcastLetter = typeof broadcastLetters.$inferSelect;
/** A broadcast with the text that is edited in the composer. */
export type BroadcastWithContent = Broadcast & Pick<BroadcastLetter, "content">;

/** The result of a change. A request that comes too late, or finds a different state, gets the current broadcast. */
export type ChangeResult =
  | { outcome: "changed"; broadcast: Broadcast }
  | { outcome: "conflict"; broadcast: Broadcast }
  /** It was deleted, or never existed. */
  | { outcome: "gone" };

/** Returns the broadcast in any state, in the trash too. */
export const byId = (db: Db, id: string) => db.read((orm) => find(orm, id));

export const find = async (orm: Orm, id: string): Promise<Broadcast | undefined> =>
  orm.select().from(broadcasts).where(eq(broadcasts.id, id)).get();

/** Returns the broadcast with its text, for the composer. */
export const withContent = (db: Db, id: string) =>
  db.read(async (orm): Promise<BroadcastWithContent | undefined> => {
    const broadcast = await find(orm, id);
    return broadcast && { ...broadcast, content: (await letterOf(orm, broadcast.row))?.content ?? "" };
  });

/** Returns the long columns: the text and, after the confirmation, the frozen letter and page. */
export const letterOf = async (orm: Orm, row: number): Promise<BroadcastLetter | undefined> =>
  orm.select().from(broadcastLetters).where(eq(broadcastLetters.broadcastRow, row)).get();

type Transition = {
  /** Condition: the broadcasts to which it applies. */
  where: SQL | undefined;
  set: { [Column in keyof Broadcast]?: Broadcast[Column] | SQL };
  verb: AuditVerb<"broadcast">;
  details?: Record<string, string>;
};

/**
 * Applies a change to one broadcast if `where` holds, and records it in the audit log. Every transition goes through
 * here, so that of two concurrent ones the second finds that `where` no longer holds.
 */
export async function apply(
  orm: Orm,
  { id, where, set, verb, details }: Transition & { id: string },
  by: audit.Actor,
  now: Date,
): Promise<ChangeResult> {
  const current = await find(orm, id);
  if (!current) return { outcome: "gone" };
  const broadcast = await orm
    .update(broadcasts)
    .set({ ...set, version: current.version + 1, updatedAt: now })
    .where(and(eq(broadcasts.id, id), eq(broadcasts.version, current.version), where))
    .returning()
    .get();
  if (!broadcast) return { outcome: "conflict", broadcast: current };
  const target = { targetId: id, target: broadcast.subject || "Untitled" };
  await audit.record(orm, { ...by, action: `broadcast.${verb}`, ...target, ...(details && { details }) }, now);
  return { outcome: "changed", broadcast };
}
