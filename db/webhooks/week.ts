import { and, eq, gte, sql } from "drizzle-orm";
import type { Db } from "../engine/open";
import { dayMs } from "../lib/day";
import { webhookDeliveries as deliveries } from "../schema/webhooks";

const day = sql<number>`${deliveries.createdAt} / ${sql.raw(String(dayMs))}`.mapWith(Number);
const countIf = (condition: string) => sql<number>`count(*) filter (where ${sql.raw(condition)})`.mapWith(Number);

/**
 * Counts the results of each day's deliveries, by endpoint. A delivery that waits for its first attempt is not counted.
 */
export const callsByDay = (db: Db, from: number, endpointId?: string) =>
  db.read((orm) =>
    orm
      .select({
        endpointId: deliveries.endpointId,
        day,
        delivered: countIf("state = 'delivered'"),
        failed: countIf("state = 'dead' or (state = 'queued' and attempts > 0)"),
      })
      .from(deliveries)
      .where(
        and(
          gte(deliveries.createdAt, new Date(from * dayMs)),
          endpointId ? eq(deliveries.endpointId, endpointId) : undefined,
        ),
      )
      .groupBy(deliveries.endpointId, day)
      .all(),
  );
