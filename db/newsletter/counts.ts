import { and, asc, desc, gte, inArray, lte, min, sql, type SQL } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { countOfState, subscriberCounts, subscriberDays, sumOfDays } from "../schema/newsletter";
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

/** A day since 1970, UTC, and how the number of active subscribers changed on it. */
export type SubscriberDay = Omit<typeof subscriberDays.$inferSelect, "source">;
export type SourceOfGrowth = { source: string; joined: number };

export type Growth = {
  /** Active subscribers now. */
  active: number;
  /** The first day with any data, such as the day on which an imported person had joined. */
  firstDay: number | null;
  /** The first day on which someone was counted here: how many were on the list before is not known. */
  countedFrom: number | null;
  /** Days on which something changed, oldest first. */
  days: SubscriberDay[];
  /** How many joined from each source, largest first; "" is no source. */
  sources: SourceOfGrowth[];
};

const d = subscriberDays;
const maxSources = 5;

/**
 * Returns how the list has grown since that day. Reads as many rows as there are days and sources, whatever the length
 * of the list.
 *
 * @param to the last day of the sources; the other days are needed to count back from how many are active now
 */
export const growthSince = (db: Db, from: number, to?: number): Promise<Growth> =>
  db.read(async (orm) => {
    const since = gte(d.day, from);
    return {
      active: await countActive(orm),
      firstDay: await firstDay(orm),
      countedFrom: await firstDay(orm, wasCounted),
      days: await daysOf(orm, since),
      sources: await sourcesOf(orm, to === undefined ? since : and(since, lte(d.day, to))),
    };
  });

/** Condition: something else than that an imported person had joined. */
const wasCounted = sql`(joined <> imported or added <> 0 or unsubscribed <> 0 or suppressed <> 0 or deleted <> 0)`;

async function firstDay(orm: Orm, where?: SQL): Promise<number | null> {
  const row = await orm
    .select({ day: min(d.day) })
    .from(d)
    .where(where)
    .get();
  return row?.day ?? null;
}

const daysOf = (orm: Orm, since: SQL) =>
  orm
    .select({ day: d.day, ...sumOfDays })
    .from(d)
    .where(since)
    .groupBy(d.day)
    .orderBy(asc(d.day))
    .all();

function sourcesOf(orm: Orm, days: SQL | undefined): Promise<SourceOfGrowth[]> {
  const { joined } = sumOfDays;
  return orm
    .select({ source: d.source, joined })
    .from(d)
    .where(days)
    .groupBy(d.source)
    .having(sql`${joined} > 0`)
    .orderBy(desc(joined), asc(d.source))
    .limit(maxSources)
    .all();
}
