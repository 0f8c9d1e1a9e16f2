import { inArray } from "drizzle-orm";
import type { Db } from "../engine/open";
import { posts } from "../schema/posts";

/** Posts as the pages about views name them, without their text. Deleted ones are left out. */
export const visited = (db: Db, ids: string[]) => {
  const { id, title, views: total, deletedAt } = posts;
  return db.read((orm) => orm.select({ id, title, total, deletedAt }).from(posts).where(inArray(id, ids)).all());
};
