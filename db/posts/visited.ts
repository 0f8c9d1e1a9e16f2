import { inArray } from "drizzle-orm";
import type { Db } from "../engine/open";
import { posts } from "../schema/posts";

/** Posts as the pages of their views name them, without their text. Those that are gone are left out. */
export const visited = (db: Db, ids: string[]) => {
  const { id, title, views: total, deletedAt } = posts;
  return db.read((orm) => orm.select({ id, title, total, deletedAt }).from(posts).where(inArray(id, ids)).all());
};
