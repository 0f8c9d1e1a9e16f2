import type { Db, Orm } from "../engine/open";
import { subscribers, subscriberEvents } from "../schema/newsletter";
import { and, eq, sql, inArray } from "drizzle-orm";
import type { Origin } from "./events";
import { activate } from "./subscribers";

/** Returns the IDs of subscribers whom a mail scanner unsubscribed and who have not come back themselves. */
const unsubscribedByScanner = (orm: Orm) => {
  const marked = orm
    .select({ id: subscriberEvents.subscriberId })
    .from(subscriberEvents)
    .where(sql`probable_scanner = 1`); // written out, so that SQLite uses the partial index
  return orm
    .select({ id: subscribers.id })
    .from(subscribers)
    .where(and(inArray(subscribers.id, marked), sql`+${subscribers.state} = 'unsubscribed'`)) // the plus keeps SQLite from using the index on state instead of the IDs
    .all()
    .map(({ id }) => id);
};

export const countScanned = (db: Db) => db.read((orm) => unsubscribedByScanner(orm).length);

/** Undoes what a mail scanner did: reactivates everyone it unsubscribed. Returns how many. */
export const restoreScanned = (db: Db, origin: Origin, now: Date) =>
  db.write((orm) => {
    const ids = unsubscribedByScanner(orm);
    for (const id of ids) activate(orm, id, "restored", origin, now);
    orm
      .update(subscriberEvents)
      .set({ probableScanner: false })
      .where(eq(subscriberEvents.probableScanner, true))
      .run();
    return ids.length;
  });
