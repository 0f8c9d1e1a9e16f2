import { and, desc, eq, gte, inArray, isNotNull, lt, ne, sql, type SQL } from "drizzle-orm";
import type * as audit from "../audit";
import type { Db } from "../engine/open";
import { changeInCommits, deleteInCommits, rowsPerCommit } from "../lib/bulk";
import { countRows, pageOf, type PageRequest } from "../lib/rows";
import { dayMs } from "../lib/time";
import { webhookDeliveries as deliveries } from "../schema/webhooks";
import { type Endpoint, recordEvent } from "./endpoints";

export type Delivery = typeof deliveries.$inferSelect;
/** What became of a delivery. One that is queued waits for its first attempt, or is retried. */
export type DeliveryStatus = Delivery["state"] | "retrying";
type DeliveryFilter = { endpointId: string; status?: DeliveryStatus | undefined };

const isRetrying = sql`(state = 'queued' and attempts > 0)`;
const statusConditions: Record<DeliveryStatus, SQL> = {
  delivered: sql`state = 'delivered'`,
  queued: sql`(state = 'queued' and attempts = 0)`,
  retrying: isRetrying,
  dead: sql`state = 'dead'`,
};

const matching = ({ endpointId, status }: DeliveryFilter) =>
  and(eq(deliveries.endpointId, endpointId), status && statusConditions[status]);

/** Returns one page of an endpoint's deliveries, newest first. A page past the end is the last page. */
export const list = (db: Db, filter: DeliveryFilter, request: PageRequest) =>
  db.read(async (orm) =>
    pageOf(await countRows(orm, deliveries, matching(filter)), request, (limit, offset) =>
      orm
        .select()
        .from(deliveries)
        .where(matching(filter))
        .orderBy(desc(deliveries.createdAt), desc(deliveries.id))
        .limit(limit)
        .offset(offset)
        .all(),
    ),
  );

const countIf = (condition: SQL) => sql<number>`count(*) filter (where ${condition})`.mapWith(Number);

/** Counts the deliveries of an endpoint by status. */
export const countByStatus = (db: Db, endpointId: string): Promise<Record<DeliveryStatus, number>> =>
  db.read(async (orm) => {
    const { delivered, queued, retrying, dead } = statusConditions;
    const counts = await orm
      .select({
        delivered: countIf(delivered),
        queued: countIf(queued),
        retrying: countIf(retrying),
        dead: countIf(dead),
      })
      .from(deliveries)
      .where(eq(deliveries.endpointId, endpointId))
      .get();
    return counts ?? { delivered: 0, queued: 0, retrying: 0, dead: 0 };
  });

/** Sends one delivery again, under its ID. Returns how many: none if it does not exist. */
export const redeliver = (db: Db, { endpoint, id }: { endpoint: Endpoint; id: string }, by: audit.Actor, now: Date) =>
  again(db, { endpoint, which: eq(deliveries.id, id) }, by, now);

/**
 * Sends again the deliveries that have failed since then, including those that wait for another attempt. Returns how
 * many.
 */
export const redeliverFailed = (
  db: Db,
  { endpoint, since }: { endpoint: Endpoint; since: Date },
  by: audit.Actor,
  now: Date,
) => again(db, { endpoint, which: and(gte(deliveries.createdAt, since), hasFailed) }, by, now);

/** Condition: the last attempt failed, whether or not there will be another. */
const hasFailed = sql`(state = 'dead' or ${isRetrying})`;

/** Returns the status of the last response that was no success, or why there was none. */
export const lastFailure = (db: Db, endpointId: string) =>
  db.read((orm) =>
    orm
      .select({ status: deliveries.status, error: deliveries.error })
      .from(deliveries)
      .where(and(eq(deliveries.endpointId, endpointId), hasFailed, isNotNull(deliveries.attemptedAt)))
      .orderBy(desc(deliveries.attemptedAt))
      .limit(1)
      .get(),
  );

const again = async (
  db: Db,
  { endpoint, which }: { endpoint: Endpoint; which: SQL | undefined },
  by: audit.Actor,
  now: Date,
) =>
  (
    await changeInCommits(db, async (orm) => {
      const isOver = ne(deliveries.type, "upload.verify"); // the upload has been decided about
      const these = and(eq(deliveries.endpointId, endpoint.id), isOver, which);
      const some = orm.select({ id: deliveries.id }).from(deliveries).where(these).limit(rowsPerCommit);
      const rows = await orm
        .update(deliveries)
        .set({ state: "queued", attempts: 0, nextAttemptAt: now })
        .where(inArray(deliveries.id, some))
        .returning({ id: deliveries.id })
        .all();
      const details = { count: String(rows.length) };
      if (rows.length) await recordEvent(orm, { verb: "redeliver", endpoint }, { ...by, details }, now);
      return rows;
    })
  ).count;

const dayNumber = sql<number>`${deliveries.createdAt} / ${sql.raw(String(dayMs))}`.mapWith(Number);

/**
 * Counts the results of each day's deliveries, by endpoint. A delivery that waits for its first attempt is not counted.
 */
export const callsByDay = (db: Db, from: number, endpointId?: string) =>
  db.read((orm) =>
    orm
      .select({
        endpointId: deliveries.endpointId,
        day: dayNumber,
        delivered: countIf(statusConditions.delivered),
        retrying: countIf(isRetrying),
        failed: countIf(statusConditions.dead),
      })
      .from(deliveries)
      .where(
        and(
          gte(deliveries.createdAt, new Date(from * dayMs)),
          endpointId ? eq(deliveries.endpointId, endpointId) : undefined,
        ),
      )
      .groupBy(deliveries.endpointId, dayNumber)
      .all(),
  );

const retentionMs = 30 * dayMs;

/** Deletes deliveries after 30 days, whatever their state. Returns how many. */
export const deleteOld = (db: Db, now: Date): Promise<number> => {
  const where = lt(deliveries.createdAt, new Date(now.getTime() - retentionMs));
  return deleteInCommits(db, { table: deliveries, key: [deliveries.id], where });
};
