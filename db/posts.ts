import { sql } from "drizzle-orm";
import type { Orm } from ".";
import { posts } from "./schema";

/** Adds to the views of posts; their `updatedAt` stays. @param views post id to how many more */
export function addViews(orm: Orm, views: Map<string, number>): void {
  for (const [id, n] of views) orm.run(sql`update ${posts} set views = views + ${n} where id = ${id}`);
}
