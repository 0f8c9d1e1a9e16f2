import { and, eq, ne } from "drizzle-orm";
import type { Db, Orm } from "../../engine/open";
import * as audit from "../../audit";
import { sessions } from "../../schema/access";
import type { Manager, Session } from "./sessions";

/**
 * Ends a session by its ID, for use inside another function's transaction. Returns undefined if it is no longer one of
 * this manager's.
 */
export const end = (orm: Orm, managerId: string, id: string): Promise<Session | undefined> =>
  orm
    .delete(sessions)
    .where(and(eq(sessions.managerId, managerId), eq(sessions.id, id)))
    .returning()
    .get();

/** Ends every session of the manager except `keep`. Returns how many. */
export const endAll = async (orm: Orm, managerId: string, keep?: Session): Promise<number> =>
  (
    await orm
      .delete(sessions)
      .where(and(eq(sessions.managerId, managerId), keep && ne(sessions.hash, keep.hash)))
      .returning({ id: sessions.id })
      .all()
  ).length;

/** Signs out one of the manager's own devices. */
export const endOne = (
  db: Db,
  { manager: { id: managerId, email }, id }: { manager: Manager; id: string },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    const ended = await end(orm, managerId, id);
    if (ended) await audit.record(orm, { ...by, action: "session.end", targetId: managerId, target: email }, now);
    return ended;
  });

/** Signs out all of the manager's other devices. Returns how many. */
export const endOthers = (
  db: Db,
  { manager: { id, email }, keep }: { manager: Manager; keep: Session },
  by: audit.Actor,
  now: Date,
) =>
  db.write(async (orm) => {
    const count = await endAll(orm, id, keep);
    const event = { ...by, action: "session.end-others" as const, targetId: id, target: email };
    if (count) await audit.record(orm, { ...event, details: { sessions: String(count) } }, now);
    return count;
  });
