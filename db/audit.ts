import { and, desc, eq, gte, like, lt, sql } from "drizzle-orm";
import type { Db, Orm } from "./engine/open";
import type { AuditAction } from "./audit-actions";
import { countRows, pageOf, type PageRequest } from "./lib/page";
import { contains, foldAll } from "./lib/fold";
import { auditEvents } from "./schema/audit";

export type AuditEvent = typeof auditEvents.$inferSelect;

/** Who does something, and from where: a manager's e-mail address, "cli", "system", or "visitor" for a stranger. */
export type Actor = { actor: string; address?: string | null | undefined };
/** The same, with what is to be remembered of the circumstances. */
export type ActorWithDetails = Actor & Pick<NewEvent, "details">;
type NewEvent = Actor & {
  action: AuditAction;
  targetId?: string | undefined;
  /** What people call the target. */
  target?: string | undefined;
  /** Never a secret. */
  details?: Record<string, string> | undefined;
};

/** Notes in the transaction of what happened that it happened (D40). */
export const record = (orm: Orm, event: NewEvent, now: Date): void =>
  void orm
    .insert(auditEvents)
    .values({ ...event, folded: foldAll(event.target, event.targetId), createdAt: now })
    .run();

/** The same for what changes nothing else, such as a sign-in that failed. */
export const note = (db: Db, event: NewEvent, now: Date) => db.write((orm) => record(orm, event, now));

export type Filters = {
  actor?: string | undefined;
  /** The noun before the dot of an action. */
  group?: string | undefined;
  /** Part of the target's name or id, in any case. */
  q?: string | undefined;
  from?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
};

/** One page of what happened, the latest first, and how much there is. A page past the end is the last one. */
export const list = (db: Db, filters: Filters, request: PageRequest) =>
  db.read((orm) => {
    const where = matching(filters);
    const inOrder = orm
      .select()
      .from(auditEvents)
      .where(where)
      .orderBy(desc(auditEvents.createdAt), desc(auditEvents.id));
    const { rows: events, ...at } = pageOf(countRows(orm, auditEvents, where), request, (limit, offset) =>
      inOrder.limit(limit).offset(offset).all(),
    );
    return { events, ...at };
  });

/** The last things that happened, without counting the others. */
export const latest = (db: Db, limit: number) =>
  db.read((orm) =>
    orm.select().from(auditEvents).orderBy(desc(auditEvents.createdAt), desc(auditEvents.id)).limit(limit).all(),
  );

const matching = ({ actor, group, q, from, until }: Filters) =>
  and(
    actor ? eq(auditEvents.actor, actor) : undefined,
    group ? like(auditEvents.action, `${group}.%`) : undefined,
    q ? sql`${auditEvents.folded} like ${contains(q)} escape '\\'` : undefined,
    from ? gte(auditEvents.createdAt, from) : undefined,
    until ? lt(auditEvents.createdAt, until) : undefined,
  );

/** What the filters can be set to: everybody who acted, and every noun that was acted on. */
export const filterOptions = (db: Db) =>
  db.read((orm) => ({
    actors: orm
      .selectDistinct({ actor: auditEvents.actor })
      .from(auditEvents)
      .orderBy(auditEvents.actor)
      .all()
      .map(({ actor }) => actor),
    groups: orm
      .selectDistinct({ group: sql<string>`substr(action, 1, instr(action, '.') - 1)` })
      .from(auditEvents)
      .orderBy(sql`1`)
      .all()
      .map(({ group }) => group),
  }));
