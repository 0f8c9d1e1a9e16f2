import type { Db, Orm } from "../engine/open";
import { subscribers, subscriberEvents } from "../schema/newsletter";
import { and, eq, sql, inArray } from "drizzle-orm";
import type { Origin } from "./events";
import { activate } from "./subscribers";

/** Those whom a mail scanner unsubscribed and who have not come back themselves. */
const unsubscribedByScanner = (orm: Orm) => {
  const marked = orm
    .select({ id: subscriberEvents.subscriberId })
    .from(subscriberEvents)
    .where(sql`probable_scanner = 1`); // written out, so that the partial index serves it
  return orm
    .select({ id: subscribers.id })
    .from(subscribers)
    .where(and(inArray(subscribers.id, marked), sql`+${subscribers.state} = 'unsubscribed'`)) // found by id, not by state
    .all()
    .map(({ id }) => id);
};

export const countScanned = (db: Db) => db.read((orm) => unsubscribedByScanner(orm).length);

/** The manager's one action against a scanner: everybody it unsubscribed is active again. Returns how many. */
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
