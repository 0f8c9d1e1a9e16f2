import { type SQL, sql } from "drizzle-orm";

/* SQL that both engines understand. If the second value is null, so is the result. */

export const largerOf = (a: SQL, b: SQL) => sql`case when ${a} >= ${b} then ${a} else ${b} end`;
export const smallerOf = (a: SQL, b: SQL) => sql`case when ${a} <= ${b} then ${a} else ${b} end`;
