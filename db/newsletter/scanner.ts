import * as audit from "../audit";
import type { Db, Orm } from "../engine/open";
import { subscribers, subscriberEvents } from "../schema/newsletter";
import { and, eq, sql } from "drizzle-orm";
import { activate } from "./subscribers";

/**
 * Returns the IDs of subscribers whom a mail scanner unsubscribed, if that was their last unsubscribe: people who came
 * back and then left again meant it.
 */
const unsubscribedByScanner = async (orm: Orm) => {
  const wasLast = and(
    eq(subscribers.id, subscriberEvents.subscriberId),
    eq(subscribers.unsubscribedAt, subscriberEvents.createdAt),
  );
  return (
    await orm
      .selectDistinct({ id: subscribers.id })
      .from(subscriberEvents)
      .innerJoin(subscribers, wasLast)
      .where(and(sql`probable_scanner = 1`, sql`+${subscribers.state} = 'unsubscribed'`)) // so that SQLite uses the partial index and the IDs, not the index on state
      .all()
  ).map(({ id }) => id);
};

export const countScanned = (db: Db) => db.read(async (orm) => (await unsubscribedByScanner(orm)).length);

/** Undoes what a mail scanner did: reactivates everyone it unsubscribed. Returns how many. */
export const restoreScanned = (db: Db, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    const ids = await unsubscribedByScanner(orm);
    await activate(orm, ids, "restored", { via: "manager", actor: by.actor }, now);
    const details = { count: String(ids.length) };
    if (ids.length) await audit.record(orm, { ...by, action: "subscriber.restore", details }, now);
    await orm
      .update(subscriberEvents)
      .set({ probableScanner: false })
      .where(eq(subscriberEvents.probableScanner, true))
      .run();
    return ids.length;
  });
