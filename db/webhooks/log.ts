import { and, count, desc, eq, gte, inArray, ne, type SQL, sql } from "drizzle-orm";
import type * as audit from "../audit";
import type { Db } from "../engine/open";
import { changeInCommits, rowsPerCommit } from "../lib/bulk";
import { countRows, pageOf, type PageRequest } from "../lib/rows";
import { dayMs } from "../lib/time";
import { webhookDeliveries as deliveries } from "../schema/webhooks";
import type { Delivery } from "./deliveries";
import { type Endpoint, recordEvent } from "./endpoints";

/* The deliveries of an endpoint as managers see them, and sending them again. */

type DeliveryFilter = { endpointId: string; state?: Delivery["state"] | undefined };

const matching = ({ endpointId, state }: DeliveryFilter) =>
  and(eq(deliveries.endpointId, endpointId), state && eq(deliveries.state, state));

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

/** Counts deliveries by endpoint and state.  */
export type DeliveryCount = { endpointId: string; state: Delivery["state"]; count: number };

export const summary = (db: Db, endpointId?: string): Promise<DeliveryCount[]> =>
  db.read((orm) =>
    orm
      .select({
        endpointId: deliveries.endpointId,
        state: deliveries.state,
        count: count(),
      })
      .from(deliveries)
      .where(endpointId ? eq(deliveries.endpointId, endpointId) : undefined)
      .groupBy(deliveries.endpointId, deliveries.state)
      .all(),
  );

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
const hasFailed = sql`(state = 'dead' or (state = 'queued' and attempts > 0))`;

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
