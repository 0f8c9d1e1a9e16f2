import { and, desc, eq, like, sql } from "drizzle-orm";
import type { Db, Orm } from "./engine/open";
import { contains, foldAll } from "./lib/fold";
import { countRows, pageOf, type PageRequest, isWithin, type Period } from "./lib/rows";
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
export const recordAlone = (db: Db, event: NewEvent, now: Date) => db.write((orm) => record(orm, event, now));

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

const matching = ({ actor, group, q, ...period }: Filters) =>
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

/** The actions in the audit log, as noun.verb. Their texts are in views/dashboard/audit-labels.ts. */
export type AuditAction =
  | `api-key.${"create" | "deactivate" | "extend" | "quiet" | "replace" | "take-over"}`
  | "audit.export"
  | "backup.download"
  | "backup.key"
  | `broadcast.${"archive" | "cancel" | "confirm" | "copy" | "create" | "delete" | "export" | "finish" | "leave" | "move" | "pause" | "restore" | "resend" | "resume" | "start" | "take-over" | "test" | "trash" | "unschedule"}`
  | `field.${"add" | "change" | "delete"}`
  | `file.${"caption" | "correct" | "delete" | "describe" | "found" | "lost" | "move" | "rename" | "replace" | "resize" | "restore" | "share" | "trash" | "upload" | "upload-cancel"}`
  | `folder.${"create" | "remove"}`
  | `mail.${"cancel" | "repeat" | "retry" | "test"}`
  | `installation.${"export" | "import"}`
  | `manager.${"change-password" | "change-role" | "invite" | "join" | "prefer" | "refuse-password" | "remove" | "rename" | "require" | "reset" | "set-up" | "waive" | "withdraw-invitation" | "withdraw-reset"}`
  | `message.${"archive" | "assign" | "delete" | "export" | "not-spam" | "note" | "read" | "release" | "reply" | "restore" | "snooze" | "spam" | "take-back" | "trash" | "unarchive" | "unassign" | "unread" | "wake"}`
  | `passkey.${"add" | "remove" | "rename"}`
  | `person.${"erase" | "export"}`
  | `post.${"change" | "create" | "delete" | "export" | "import" | "publish" | "restore" | "revert" | "share" | "tag" | "trash" | "unpublish" | "untag"}`
  | `post-rule.${"add" | "change" | "delete" | "skip" | "take-over" | "turn-off" | "turn-on"}`
  | `project.${"archive" | "change" | "create" | "delete" | "duplicate" | "feature" | "import" | "publish" | "reorder" | "restore" | "trash" | "unfeature" | "unpublish"}`
  | `second-step.${"replace-codes" | "turn-off" | "turn-on"}`
  | `segment.${"change" | "create" | "delete"}`
  | `sequence.${"change" | "create" | "delete" | "discard" | "end" | "pause" | "publish" | "resume" | "start"}`
  | `session.${"begin" | "end" | "end-all" | "end-others" | "refuse"}`
  | `setting.${"change" | "remove"}`
  | `snippet.${"add" | "change" | "delete"}`
  | `storage-node.${"activate" | "add" | "drain" | "edit" | "full" | "recount" | "remove" | "rest" | "return" | "room"}`
  | `subscriber.${"add" | "change" | "confirm" | "delete" | "export" | "export-refused" | "export-report" | "import" | "reactivate" | "remind" | "restore" | "unsubscribe"}`
  | `suppression.${"add" | "export" | "import" | "lift"}`
  | `tag.${"delete" | "merge" | "rename"}`
  | `topic.${"add" | "archive" | "change" | "delete" | "restore"}`
  | "upload.abort"
  | `${"view" | "click"}.export`
  | `variable.${"set" | "remove"}`
  | `webhook.${"add" | "break" | "change" | "gone" | "ping" | "redeliver" | "remove" | "rotate" | "take-over" | "turn-off" | "turn-on"}`;
/** The verbs of a noun, such as "create" in `AuditVerb<"project">`. */
export type AuditVerb<
  Noun extends string,
  Action extends AuditAction = AuditAction,
> = Action extends `${Noun}.${infer Verb}` ? Verb : never;

/**
 * Yields all matching entries, newest first, in batches, so that memory use does not depend on the length of the log.
 */
export async function* auditBatches(db: Db, filters: Filters, batchSize = 1_000): AsyncGenerator<AuditEvent[]> {
  let last: AuditEvent | undefined;
  do {
    const batch: AuditEvent[] = await db.read((orm) =>
      orm
        .select()
        .from(auditEvents)
        .where(and(matching(filters), last && olderThan(last)))
        .orderBy(desc(auditEvents.createdAt), desc(auditEvents.id))
        .limit(batchSize)
        .all(),
    );
    if (batch.length) yield batch;
    last = batch.length < batchSize ? undefined : batch.at(-1);
  } while (last);
}

const olderThan = ({ createdAt, id }: AuditEvent) =>
  sql`(${auditEvents.createdAt}, ${auditEvents.id}) < (${createdAt.getTime()}, ${id})`;
