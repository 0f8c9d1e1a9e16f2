import { type SQL, sql } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { contains } from "../lib/fold";
import { subscribers } from "../schema/newsletter";

/** Condition: the words are in email or name. The planner decides whether the trigram index finds them faster. */
export const containsText = async (_: Orm, q: string): Promise<SQL> =>
  sql`${subscribers.folded} like ${contains(q)} escape '\\'`;
