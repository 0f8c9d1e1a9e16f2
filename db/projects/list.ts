import { and, count, desc, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import type { Db } from "../engine/open";
import { fold, foldAll } from "../lib/fold";
import { pageOf, type PageRequest } from "../lib/rows";
import { projects } from "../schema/projects";
import { inOrder, placesIn, publicOrder, stampOf } from "./order";
import type { Project } from "./projects";

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

export const inStatus = ({ status }: ProjectFilter) =>
  status === "trash"
    ? isNotNull(projects.deletedAt)
    : and(isNull(projects.deletedAt), status ? eq(projects.status, status) : undefined);

/** There are few projects, so they are searched in memory. */
export function matchesSearch(q: string | undefined) {
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
  return db.read((orm) => orm.select({ id, title, total, deletedAt }).from(projects).where(inArray(id, ids)).all());
};
