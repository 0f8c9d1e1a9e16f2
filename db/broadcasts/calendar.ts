import { and, eq, gte, isNull, lt, or, sql } from "drizzle-orm";
import type { Db } from "../engine/open";
import { broadcasts } from "../schema/broadcasts";
import { isNoStep } from "./steps";

/** From a moment until before another. */
type Period = { from: Date; until: Date };

/** Returns the broadcasts that were scheduled or started in a period, in order. */
export const datedIn = (db: Db, { from, until }: Period, max: number) =>
  db.read((orm) => {
    const isPlanned = and(
      eq(broadcasts.state, "scheduled"),
      gte(broadcasts.scheduledAt, from),
      lt(broadcasts.scheduledAt, until),
    );
    const isStarted = and(gte(broadcasts.startedAt, from), lt(broadcasts.startedAt, until));
    return orm
      .select()
      .from(broadcasts)
      .where(and(isNull(broadcasts.deletedAt), isNoStep, or(isPlanned, isStarted)))
      .orderBy(sql`coalesce(${broadcasts.startedAt}, ${broadcasts.scheduledAt})`, broadcasts.row)
      .limit(max)
      .all();
  });
