import { and, eq, inArray, isNotNull, isNull, ne, type SQL } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import { auditTarget, type Changed, changeInCommits, rowsPerCommit, type UndoableSelection } from "../lib/bulk";
import { projects } from "../schema/projects";
import { write } from "./edit";
import { inStatus, matchesSearch, type ProjectFilter } from "./list";
import { emitUpdated, type Project } from "./projects";

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
  action: ProjectAction,
  selection: ProjectSelection,
  by: audit.Actor,
  now: Date,
): Promise<ChangedProjects> =>
  changeInCommits(db, async (orm) => {
    const batch = (await affected(orm, action, selection)).slice(0, rowsPerCommit);
    for (const project of batch) await emitUpdated(orm, await changed(orm, action, project, now), now);
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

/** Changes one project, and returns it as it is now. */
async function changed(orm: Orm, action: ProjectAction, project: Project, now: Date): Promise<Project> {
  const isThis = eq(projects.id, project.id);
  if (action === "delete") {
    await orm.delete(projects).where(isThis).run();
    return project;
  }
  if (action !== "trash" && action !== "restore") return write(orm, project, { ...project, ...edits[action] }, now);
  const deletedAt = action === "trash" ? now : null;
  return orm.update(projects).set({ deletedAt, updatedAt: now }).where(isThis).returning().get();
}
