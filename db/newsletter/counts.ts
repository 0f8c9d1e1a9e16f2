import { inArray, sql } from "drizzle-orm";
import { type Orm, prepared } from "../engine/open";
import { countOfState, subscriberCounts } from "../schema/newsletter";
import { type Status, statuses } from "./rules";

/* How many subscribers have each status. Triggers count them, so no page counts a million rows. */

/** The row of the counters that has a status. "active" there is the column `state` alone. */
const rowOf: Record<Status, typeof subscriberCounts.$inferSelect.state> = {
  active: "mailable",
  unsubscribed: "unsubscribed",
  pending: "pending",
  paused: "paused",
  suppressed: "suppressed",
};

const all = prepared((orm) =>
  orm
    .select({ state: subscriberCounts.state, count: countOfState })
    .from(subscriberCounts)
    .groupBy(subscriberCounts.state)
    .prepare(),
);

/** Returns the counts of all statuses, which add up to the subscribers. */
export async function countByStatus(orm: Orm): Promise<Record<Status, number>> {
  const counts = new Map((await all(orm).all()).map(({ state, count }) => [state, count]));
  const of = (status: Status) => counts.get(rowOf[status]) ?? 0;
  return {
    active: of("active"),
    unsubscribed: of("unsubscribed"),
    pending: of("pending"),
    paused: of("paused"),
    suppressed: of("suppressed"),
  };
}

/** Counts those with one of these statuses. */
export async function countWith(orm: Orm, of: readonly Status[] = statuses): Promise<number> {
  const rows = inArray(
    subscriberCounts.state,
    of.map((status) => rowOf[status]),
  );
  return (await orm.select({ n: countOfState }).from(subscriberCounts).where(rows).get())?.n ?? 0;
}

const active = prepared((orm) =>
  orm
    .select({ count: countOfState })
    .from(subscriberCounts)
    .where(sql`${subscriberCounts.state} = ${rowOf.active}`)
    .prepare(),
);

/** Counts those who get the next newsletter, for every page. */
export const countActive = async (orm: Orm): Promise<number> => (await active(orm).get())?.count ?? 0;
