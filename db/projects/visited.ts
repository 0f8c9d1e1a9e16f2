import { inArray } from "drizzle-orm";
import type { Db } from "../engine/open";
import { projects } from "../schema/projects";

/** Projects as the pages about clicks name them. Deleted ones are left out. */
export const visited = (db: Db, ids: string[]) => {
  const { id, title, clicks: total, deletedAt } = projects;
  return db.read((orm) => orm.select({ id, title, total, deletedAt }).from(projects).where(inArray(id, ids)).all());
};
