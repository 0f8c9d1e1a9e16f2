import { and, count, desc, eq, gte, inArray, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import * as audit from "../audit";
import type { Db, Orm } from "../engine/open";
import { auditTarget, type Changed, changeInCommits, rowsPerCommit, type UndoableSelection } from "../lib/bulk";
import { containsIn } from "../lib/fold";
import { countRows, pageOf, type PageRequest } from "../lib/rows";
import { broadcasts, isUnderWay } from "../schema/broadcasts";
import type { Broadcast } from "./broadcasts";
import { deleteDetails } from "./retention";
import { endedStates } from "./rules";
import { isNoStep } from "./steps";

/** The tabs of the list. Broadcasts in the trash are in no other tab. */
export type BroadcastTab = "all" | "drafts" | "scheduled" | "sending" | "sent" | "trash";
export type BroadcastFilter = {
  tab: BroadcastTab;
  /** Part of the subject, ignoring case. */
  q?: string | undefined;
};

const statesIn: Record<Exclude<BroadcastTab, "all" | "trash">, readonly Broadcast["state"][]> = {
  drafts: ["draft"],
  scheduled: ["scheduled"],
  sending: ["sending", "paused"],
  sent: endedStates,
};

/** Returns one page, newest first. A page past the end is the last page. */
export const list = (db: Db, filter: BroadcastFilter, request: PageRequest) =>
  db.read(async (orm) => {
    const where = matching(filter);
    const inOrder = orm.select().from(broadcasts).where(where).orderBy(desc(broadcasts.createdAt), desc(broadcasts.id));
    return pageOf(await countRows(orm, broadcasts, where), request, (limit, offset) =>
      inOrder.limit(limit).offset(offset).all(),
    );
  });

/** Counts the broadcasts in each tab. */
export const counts = (db: Db): Promise<Record<BroadcastTab, number>> =>
  db.read(async (orm) => {
    const isTrashed = sql<number>`case when ${broadcasts.deletedAt} is null then 0 else 1 end`.mapWith(Boolean);
    const groups = await orm
      .select({ state: broadcasts.state, isTrashed, n: count() })
      .from(broadcasts)
      .where(isNoStep)
      .groupBy(broadcasts.state, isTrashed)
      .all();
    const sum = (isIn: (group: (typeof groups)[number]) => boolean) =>
      groups.filter(isIn).reduce((total, { n }) => total + n, 0);
    const inTab = (tab: keyof typeof statesIn) => sum((g) => !g.isTrashed && statesIn[tab].includes(g.state));
    const tabs = {
      drafts: inTab("drafts"),
      scheduled: inTab("scheduled"),
      sending: inTab("sending"),
      sent: inTab("sent"),
    };
    return { all: sum((g) => !g.isTrashed), ...tabs, trash: sum((g) => Boolean(g.isTrashed)) };
  });

/** Returns those under way: sending or paused, oldest first. For the overview. */
export const underWay = (db: Db) =>
  db.read((orm) =>
    orm.select().from(broadcasts).where(and(isUnderWay, isNoStep)).orderBy(broadcasts.row).limit(20).all(),
  );

function matching({ tab, q }: BroadcastFilter): SQL | undefined {
  const states = tab === "all" || tab === "trash" ? undefined : inArray(broadcasts.state, statesIn[tab]);
  return and(
    isNoStep,
    tab === "trash" ? isNotNull(broadcasts.deletedAt) : isNull(broadcasts.deletedAt),
    states,
    q ? containsIn(broadcasts.subject, q) : undefined,
  );
}

// ── The trash ────────────────────────────────────────────────────────────────────────────────

type BroadcastSelection = UndoableSelection<BroadcastFilter>;
export type BroadcastAction = "trash" | "restore" | "delete";
export type ChangedBroadcasts = Changed<Pick<Broadcast, "id" | "subject">>;

/** Sent broadcasts, and those under way, cannot be deleted. */
const canBeTrashed = and(isNoStep, isNull(broadcasts.deletedAt), inArray(broadcasts.state, ["draft", "cancelled"]));

/**
 * Moves drafts and cancelled broadcasts to the trash and back, or deletes them permanently from there. Selected ones that
 * an action does not apply to are skipped.
 */
export async function applyAction(
  db: Db,
  { action, selection }: { action: BroadcastAction; selection: BroadcastSelection },
  by: audit.Actor,
  now: Date,
): Promise<ChangedBroadcasts> {
  if (action === "delete") await deleteDetailsOf(db, selection);
  return changeInCommits(db, (orm) => step(orm, { action, selection }, by, now));
}

/** Counts the selected broadcasts that the action applies to. */
export const countAffected = (db: Db, action: BroadcastAction, selection: BroadcastSelection) =>
  db.read((orm) => countRows(orm, broadcasts, and(isSelected(selection), appliesTo(action))));

const appliesTo = (action: BroadcastAction) => (action === "trash" ? canBeTrashed : isNotNull(broadcasts.deletedAt));

/** Deletes the many rows first, a thousand per commit. */
async function deleteDetailsOf(db: Db, selection: BroadcastSelection) {
  const isTrash = and(isSelected(selection), isNotNull(broadcasts.deletedAt));
  const rows = await db.read((orm) => orm.select({ row: broadcasts.row }).from(broadcasts).where(isTrash).all());
  for (const { row } of rows) await deleteDetails(db, row);
}

async function step(
  orm: Orm,
  { action, selection }: { action: BroadcastAction; selection: BroadcastSelection },
  by: audit.Actor,
  now: Date,
) {
  const affected = and(isSelected(selection), appliesTo(action));
  const next = orm.select({ row: broadcasts.row }).from(broadcasts).where(affected).limit(rowsPerCommit);
  const these = inArray(broadcasts.row, next);
  const who = { id: broadcasts.id, subject: broadcasts.subject };
  const change = { deletedAt: action === "trash" ? now : null, version: sql`${broadcasts.version} + 1` };
  const batch = await (action === "delete"
    ? orm.delete(broadcasts).where(these).returning(who).all()
    : orm.update(broadcasts).set(change).where(these).returning(who).all());
  const target = auditTarget(batch[0], batch.length, ({ subject }) => subject || "Untitled");
  if (batch.length) await audit.record(orm, { ...by, action: `broadcast.${action}`, ...target }, now);
  return batch;
}

function isSelected(selection: BroadcastSelection): SQL | undefined {
  if ("ids" in selection) return inArray(broadcasts.id, selection.ids);
  return "matching" in selection ? matching(selection.matching) : eq(broadcasts.deletedAt, selection.changedAt);
}

/** From a moment until before another. */
type Period = { from: Date; until: Date };

/** Returns the broadcasts that were scheduled or started in a period, in order. */
export const datedIn = (db: Db, { from, until }: Period, max: number) =>
  db.read((orm) => {
    const isPlanned = and(
      eq(broadcasts.state, "scheduled"),
      gte(broadcasts.scheduledAt, from),
      lt(broadcasts.scheduledAt, until),
    );
    const isStarted = and(gte(broadcasts.startedAt, from), lt(broadcasts.startedAt, until));
    return orm
      .select()
      .from(broadcasts)
      .where(and(isNull(broadcasts.deletedAt), isNoStep, or(isPlanned, isStarted)))
      .orderBy(sql`coalesce(${broadcasts.startedAt}, ${broadcasts.scheduledAt})`, broadcasts.row)
      .limit(max)
      .all();
  });
