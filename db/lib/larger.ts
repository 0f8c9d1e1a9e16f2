import { type SQL, sql } from "drizzle-orm";

/* In words that both engines know. If one is null, so is the result, as long as it is the second. */

export const largerOf = (a: SQL, b: SQL) => sql`case when ${a} >= ${b} then ${a} else ${b} end`;
export const smallerOf = (a: SQL, b: SQL) => sql`case when ${a} <= ${b} then ${a} else ${b} end`;
