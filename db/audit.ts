import { and, desc, eq, like, sql } from "drizzle-orm";
import type { Db, Orm } from "./engine/open";
import type { AuditAction } from "./audit-actions";
import { countRows, pageOf, type PageRequest } from "./lib/page";
import { contains, foldAll } from "./lib/fold";
import { isWithin, type Period } from "./lib/period";
import { auditEvents } from "./schema/audit";

export type AuditEvent = typeof auditEvents.$inferSelect;

/** Who acts, and from where: a manager's email address, "cli", "system", or "visitor" for an unknown person. */
export type Actor = { actor: string; address?: string | null | undefined };
/** An actor, with details to be recorded. */
export type ActorWithDetails = Actor & Pick<NewEvent, "details">;
type NewEvent = Actor & {
  action: AuditAction;
  targetId?: string | undefined;
  /** The target's display name. */
  target?: string | undefined;
  /** Never a secret. */
  details?: Record<string, string> | undefined;
};

/** Writes an entry to the audit log, in the transaction of the change itself (D40). */
export const record = async (orm: Orm, event: NewEvent, now: Date): Promise<void> =>
  void (await orm
    .insert(auditEvents)
    .values({ ...event, folded: foldAll(event.target, event.targetId), createdAt: now })
    .run());

/** Writes the counts of work in several commits so far, in the transaction of one of them. */
type RecordCounts = (orm: Orm, counts: Record<string, number>) => Promise<void>;

/**
 * One entry about work in several commits, such as an import: the first of them writes it, and each later one brings it
 * up to date. So it says what has changed, even if the work was cut off.
 */
export function entryInCommits(event: Actor & { action: AuditAction }, now: Date): RecordCounts {
  const row = { ...event, id: Bun.randomUUIDv7(), folded: "", createdAt: now };
  return async (orm, counts) => {
    const details = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)]));
    const values = { ...row, details };
    await orm.insert(auditEvents).values(values).onConflictDoUpdate({ target: auditEvents.id, set: { details } }).run();
  };
}

/**
 * Writes an entry for an event that changes nothing: an export, a refusal, or a link that is computed. The entry of a
 * change is written in its own transaction, with `record`; a test lists who calls this (src/imports.test.ts).
 */
export const note = (db: Db, event: NewEvent, now: Date) => db.write((orm) => record(orm, event, now));

export type Filters = Period & {
  actor?: string | undefined;
  /** The noun before the dot of an action. */
  group?: string | undefined;
  /** Part of the target's name or ID, ignoring case. */
  q?: string | undefined;
};

/** Returns one page of entries, newest first, and the total. A page past the end is the last page. */
export const list = (db: Db, filters: Filters, request: PageRequest) =>
  db.read(async (orm) => {
    const where = matching(filters);
    const inOrder = orm
      .select()
      .from(auditEvents)
      .where(where)
      .orderBy(desc(auditEvents.createdAt), desc(auditEvents.id));
    const { rows: events, ...at } = await pageOf(await countRows(orm, auditEvents, where), request, (limit, offset) =>
      inOrder.limit(limit).offset(offset).all(),
    );
    return { events, ...at };
  });

/** Returns the newest entries, without counting the others. */
export const latest = (db: Db, limit: number) =>
  db.read((orm) =>
    orm.select().from(auditEvents).orderBy(desc(auditEvents.createdAt), desc(auditEvents.id)).limit(limit).all(),
  );

export const matching = ({ actor, group, q, ...period }: Filters) =>
  and(
    actor ? eq(auditEvents.actor, actor) : undefined,
    group ? like(auditEvents.action, `${group}.%`) : undefined,
    q ? sql`${auditEvents.folded} like ${contains(q)} escape '\\'` : undefined,
    isWithin(auditEvents.createdAt, period),
  );

/** Returns the values the filters offer: every actor, and every noun of an action. */
export const filterOptions = (db: Db) =>
  db.read(async (orm) => ({
    actors: (
      await orm.selectDistinct({ actor: auditEvents.actor }).from(auditEvents).orderBy(auditEvents.actor).all()
    ).map(({ actor }) => actor),
    groups: (
      await orm
        .selectDistinct({ group: sql<string>`substr(action, 1, instr(action, '.') - 1)` })
        .from(auditEvents)
        .orderBy(sql`1`)
        .all()
    ).map(({ group }) => group),
  }));
