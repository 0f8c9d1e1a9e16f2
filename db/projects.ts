import { sql } from "drizzle-orm";
import type { Orm } from ".";
import { projects } from "./schema";

/** Adds to the clicks of projects; their `updatedAt` stays. @param clicks project id to how many more */
export function addClicks(orm: Orm, clicks: Map<string, number>): void {
  for (const [id, n] of clicks) orm.run(sql`update ${projects} set clicks = clicks + ${n} where id = ${id}`);
}
