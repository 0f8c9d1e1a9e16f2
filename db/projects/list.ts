import { and, count, desc, eq, inArray, isNotNull, isNull, ne, sql, type SQL } from "drizzle-orm";
import * as audit from "../audit";
import type { Db, Orm } from "../engine/open";
import { auditTarget, type Changed, changeInCommits, rowsPerCommit, type UndoableSelection } from "../lib/bulk";
import { fold, foldAll } from "../lib/fold";
import { hasId, pageOf, type PageRequest } from "../lib/rows";
import { projects } from "../schema/projects";
import { emitUpdated, inOrder, lastPlace, placesIn, type Project, publicOrder, stampOf } from "./projects";

type Status = Project["status"];
export type ProjectFilter = { status?: Status | "trash" | undefined; q?: string | undefined };

/**
 * Returns one page of projects in public order, in any status; the trash is sorted by deletion, newest first. `stamp`
 * identifies the order of the whole list, and `places` has each project's place in it.
 */
export const list = (db: Db, filter: ProjectFilter, request: PageRequest) =>
  db.read(async (orm) => {
    const matches = (
      await orm
        .select()
        .from(projects)
        .where(inStatus(filter))
        .orderBy(...(filter.status === "trash" ? [desc(projects.deletedAt), desc(projects.id)] : publicOrder))
        .all()
    ).filter(matchesSearch(filter.q));
    const order = await inOrder(orm);
    return {
      ...(await pageOf(matches.length, request, (limit, offset) => matches.slice(offset, offset + limit))),
      stamp: stampOf(order),
      places: placesIn(order),
    };
  });

const inStatus = ({ status }: ProjectFilter) =>
  status === "trash"
    ? isNotNull(projects.deletedAt)
    : and(isNull(projects.deletedAt), status ? eq(projects.status, status) : undefined);

/** There are few projects, so they are searched in memory. */
function matchesSearch(q: string | undefined) {
  const wanted = fold(q ?? "");
  return ({ title, slug, description, author, tech }: Project) =>
    !wanted || foldAll(title, slug, description, author, ...tech).includes(wanted);
}

export type Counts = Record<Status | "trash", number>;

export const counts = (db: Db) =>
  db.read(async (orm): Promise<Counts> => {
    const byStatus: Counts = { PUBLISHED: 0, DRAFT: 0, ARCHIVED: 0, trash: 0 };
    const state = sql<keyof Counts>`case when ${projects.deletedAt} is null then ${projects.status} else 'trash' end`;
    for (const row of await orm.select({ state, n: count() }).from(projects).groupBy(state).all())
      byStatus[row.state] = row.n;
    return byStatus;
  });

/** Projects as the pages about clicks name them. Deleted ones are left out. */
export const visited = (db: Db, ids: string[]) => {
  const { id, title, clicks: total, deletedAt } = projects;
  return db.read((orm) => orm.select({ id, title, total, deletedAt }).from(projects).where(hasId(id, ids)).all());
};

type ProjectSelection = UndoableSelection<ProjectFilter>;
export type ProjectAction = keyof typeof appliesTo;
export type ChangedProjects = Changed<Project>;

const isThere = isNull(projects.deletedAt);
const isTrashed = isNotNull(projects.deletedAt);

/** For each action: which projects it applies to. Projects that no longer qualify are skipped. */
const appliesTo = {
  publish: and(isThere, ne(projects.status, "PUBLISHED")),
  unpublish: and(isThere, ne(projects.status, "DRAFT")),
  archive: and(isThere, ne(projects.status, "ARCHIVED")),
  feature: and(isThere, eq(projects.featured, false)),
  unfeature: and(isThere, eq(projects.featured, true)),
  trash: isThere,
  restore: isTrashed,
  delete: isTrashed,
} satisfies Record<string, SQL | undefined>;

const edits = {
  publish: { status: "PUBLISHED" },
  unpublish: { status: "DRAFT" },
  archive: { status: "ARCHIVED" },
  feature: { featured: true },
  unfeature: { featured: false },
} as const;

/**
 * Applies an action to the selected projects and records it in the audit log. `delete` is permanent and applies only to
 * projects in the trash, where they stay for 30 days (D39).
 */
export const applyAction = (
  db: Db,
  { action, selection }: { action: ProjectAction; selection: ProjectSelection },
  by: audit.Actor,
  now: Date,
): Promise<ChangedProjects> =>
  changeInCommits(db, async (orm) => {
    const batch = (await affected(orm, action, selection)).slice(0, rowsPerCommit);
    if (batch.length) await change(orm, action, batch, now);
    const target = auditTarget(batch[0], batch.length, ({ title }) => title);
    if (batch.length) await audit.record(orm, { ...by, action: `project.${action}`, ...target }, now);
    return batch;
  });

/** Counts the projects the action would change now. */
export const countAffected = (db: Db, action: ProjectAction, selection: ProjectSelection) =>
  db.read(async (orm) => (await affected(orm, action, selection)).length);

/** There are few projects, so a search reads them all. */
async function affected(orm: Orm, action: ProjectAction, selection: ProjectSelection): Promise<Project[]> {
  const rows = await orm
    .select()
    .from(projects)
    .where(and(appliesTo[action], isSelected(selection)))
    .orderBy(projects.displayOrder, projects.id)
    .all();
  return "matching" in selection ? rows.filter(matchesSearch(selection.matching.q)) : rows;
}

function isSelected(selection: ProjectSelection): SQL | undefined {
  if ("ids" in selection) return inArray(projects.id, selection.ids);
  if ("changedAt" in selection) return eq(projects.deletedAt, selection.changedAt); // only moves to the trash can be undone
  return inStatus(selection.matching);
}

/** Changes the projects and reports them. Those that change group are placed last in the new one, in their order. */
async function change(orm: Orm, action: ProjectAction, batch: Project[], now: Date): Promise<void> {
  const ids = batch.map(({ id }) => id);
  const these = hasId(projects.id, ids);
  const edit = editOf(action);
  const last = edit.featured === undefined ? 0 : await lastPlace(orm, edit.featured);
  if (action === "delete") await orm.delete(projects).where(these).run();
  else await orm.update(projects).set(changes(action, now)).where(these).run();
  for (const [at, id] of edit.featured === undefined ? [] : ids.entries())
    await orm
      .update(projects)
      .set({ displayOrder: last + at })
      .where(eq(projects.id, id))
      .run();
  await emitUpdated(
    orm,
    batch.map((project) => ({ ...project, ...edit })),
    now,
  );
}

const editOf = (action: ProjectAction): Partial<Pick<Project, "status" | "featured">> =>
  action === "trash" || action === "restore" || action === "delete" ? {} : edits[action];

function changes(action: Exclude<ProjectAction, "delete">, now: Date) {
  if (action === "trash" || action === "restore") return { deletedAt: action === "trash" ? now : null, updatedAt: now };
  return { ...edits[action], version: sql`${projects.version} + 1`, updatedAt: now };
}
