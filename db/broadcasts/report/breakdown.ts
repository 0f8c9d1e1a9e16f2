import { and, eq, gt, isNotNull, lte, sql } from "drizzle-orm";
import { hourMs } from "../../lib/time";
import type { Db, Orm } from "../../engine/open";
import { broadcastRecipients } from "../../schema/broadcasts";
import { subscribers } from "../../schema/newsletter";
import type { Broadcast } from "../broadcasts";
import { isBounced, isDelivered, rangeOf } from "./recipients";

/** The results of some recipients. */
export type Counts = { people: number; delivered: number; bounced: number; complained: number; unsubscribed: number };
type Breakdown = { bySource: Map<string, Counts>; byDay: Omit<Counts, "people">[] };

const r = broadcastRecipients;
const windowRows = 20_000;
/** Who is counted, and on which day. */
const events = {
  delivered: { is: isDelivered, at: sql`coalesce(${r.deliveredAt}, ${r.complainedAt})` },
  bounced: { is: isBounced, at: r.bouncedAt },
  complained: { is: isNotNull(r.complainedAt), at: r.complainedAt },
  unsubscribed: { is: isNotNull(r.unsubscribedAt), at: r.unsubscribedAt },
};
type Event = keyof typeof events;
const eventNames = ["delivered", "bounced", "complained", "unsubscribed"] as const satisfies Event[];

const none = { delivered: 0, bounced: 0, complained: 0, unsubscribed: 0 };

/**
 * Counts the results of a broadcast by the subscribers' source ("" is no source) and by day. Reads all recipients, a
 * window at a time.
 *
 * @param starts when each day began; the last one ends after 24 hours
 */
export async function breakdown(db: Db, broadcast: Pick<Broadcast, "row">, starts: Date[]): Promise<Breakdown> {
  const { first, last } = await db.read((orm) => rangeOf(orm, broadcast.row));
  const bySource = new Map<string, Counts>();
  const byDay = starts.map(() => ({ ...none }));
  for (let after = first - 1; after < last; after += windowRows) {
    const upTo = Math.min(after + windowRows, last);
    for (const { source, ...counts } of await db.read((orm) => sourcesIn(orm, broadcast.row, after, upTo)))
      bySource.set(source, sum(bySource.get(source) ?? { people: 0, ...none }, counts));
    for (const event of eventNames)
      for (const { hour, n } of await db.read((orm) =>
        hoursIn(orm, { broadcastRow: broadcast.row, event, after, upTo }),
      )) {
        const day = byDay[dayOf(starts, new Date(hour * hourMs))];
        if (day) day[event] += n;
      }
    await new Promise((turn) => setImmediate(turn));
  }
  return { bySource, byDay };
}

/** Returns the index of the day that contains this moment; -1 before the first and after the last one. */
function dayOf(starts: Date[], at: Date): number {
  const index = starts.findLastIndex((start) => start <= at);
  const isOver = index === starts.length - 1 && at.getTime() >= (starts.at(-1)?.getTime() ?? 0) + 24 * hourMs;
  return isOver ? -1 : index;
}

const sum = (a: Counts, b: Counts): Counts => ({
  people: a.people + b.people,
  delivered: a.delivered + b.delivered,
  bounced: a.bounced + b.bounced,
  complained: a.complained + b.complained,
  unsubscribed: a.unsubscribed + b.unsubscribed,
});

const isInWindow = (broadcastRow: number, after: number, upTo: number) =>
  and(gt(r.row, after), lte(r.row, upTo), eq(r.broadcastRow, broadcastRow));

const countOf = (event: Event) => sql<number>`count(case when ${events[event].is} then 1 end)`.mapWith(Number);

function sourcesIn(orm: Orm, broadcastRow: number, after: number, upTo: number) {
  const source = sql<string>`coalesce(${subscribers.source}, '')`;
  return orm
    .select({
      source,
      people: sql<number>`count(*)`.mapWith(Number),
      delivered: countOf("delivered"),
      bounced: countOf("bounced"),
      complained: countOf("complained"),
      unsubscribed: countOf("unsubscribed"),
    })
    .from(r)
    .leftJoin(subscribers, eq(subscribers.row, r.subscriberRow))
    .where(isInWindow(broadcastRow, after, upTo))
    .groupBy(source)
    .all();
}

/** Counts the events in each hour since 1970. Days begin on the hour in nearly every time zone. */
function hoursIn(
  orm: Orm,
  { broadcastRow, event, after, upTo }: { broadcastRow: number; event: Event; after: number; upTo: number },
) {
  const { is, at } = events[event];
  const hour = sql<number>`${at} / ${sql.raw(String(hourMs))}`.mapWith(Number);
  return orm
    .select({ hour, n: sql<number>`count(*)`.mapWith(Number) })
    .from(r)
    .where(and(isInWindow(broadcastRow, after, upTo), is))
    .groupBy(hour)
    .all();
}
