import { and, count, eq, gt, isNull, ne, sql, sum } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { isNoStep } from "../broadcasts/steps";
import { countRows } from "../lib/rows";
import { isQuarantined } from "../contact/messages";
import { isUncertain } from "../mail/outbox";
import { countAwaitingTurn, oldestQueued } from "../mail/stats";
import { broadcasts, isUnderWay } from "../schema/broadcasts";
import { messages } from "../schema/contact";
import { outbox } from "../schema/mail";
import { storageNodes, isUnsettled, uploads } from "../schema/storage";
import { isOutOfSpace } from "../storage/nodes/capacity";
import { isPaused } from "../storage/nodes/nodes";
import { countByStatus } from "../newsletter/counts";
import { countQueued } from "../webhooks/attempts";
import { countEndpoints } from "../webhooks/endpoints";

/** Returns when the longest-waiting email was created that is not held back by the hourly limit. */
export const oldestQueuedMail = (db: Db, now: Date) => db.read((orm) => oldestQueued(orm, now));

export type DataMetrics = Awaited<ReturnType<typeof metrics>>;

/** The data for the metrics (D42). Cheap at any size. */
export const metrics = (db: Db, now: Date) =>
  db.read(async (orm) => {
    const queued = await orm.select({ n: count() }).from(outbox).where(eq(outbox.state, "queued")).get();
    const unread = and(isNull(messages.readAt), isNull(messages.deletedAt));
    return {
      subscribers: Object.entries(await countByStatus(orm)).map(([state, n]) => ({ state, count: n })),
      mailsQueued: queued?.n ?? 0,
      mailsUncertain: await countRows(orm, outbox, isUncertain),
      mailsAwaitingTurn: await countAwaitingTurn(orm),
      webhooksQueued: await countQueued(orm),
      endpoints: await countEndpoints(orm),
      messagesQuarantined: await countRows(orm, messages, isQuarantined),
      messagesUnread: await countRows(orm, messages, unread),
      reservations: await reservations(orm),
      nodes: await nodes(orm),
      broadcasts: await broadcastFigures(orm, now),
    };
  });

const live = ["pending", "open", "completing", "aborting"] as const;

/** Counts the uploads in progress by state. */
async function reservations(orm: Orm) {
  const rows = await orm
    .select({ state: uploads.state, n: count() })
    .from(uploads)
    .where(isUnsettled)
    .groupBy(uploads.state)
    .all();
  return live.map((state) => ({ state, count: rows.find((row) => row.state === state)?.n ?? 0 }));
}

/** Returns each storage node's bytes, and whether it accepts uploads. */
const nodes = async (orm: Orm) =>
  (await orm.select().from(storageNodes).orderBy(storageNodes.name).all()).map(
    ({ name, usedBytes, reservedBytes, capacityBytes, state, downUntil, checkError }) => ({
      name,
      usedBytes,
      reservedBytes,
      capacityBytes,
      isUp: state !== "down" && !downUntil && !checkError,
    }),
  );

const b = broadcasts;
/** Everyone has one of the first six outcomes; the others are reports about accepted emails. */
const outcomes = {
  claimed: sql`${b.claimed} - ${b.accepted} - ${b.failed} - ${b.uncertain} - ${b.simulated} - ${b.skipped}`, // and open
  accepted: broadcasts.accepted,
  failed: broadcasts.failed,
  uncertain: broadcasts.uncertain,
  simulated: broadcasts.simulated,
  skipped: broadcasts.skipped,
  delivered: broadcasts.delivered,
  bounced: broadcasts.bounced,
  soft_bounced: broadcasts.softBounced,
  complained: broadcasts.complained,
  unsubscribed: broadcasts.unsubscribed,
};
type Outcome = keyof typeof outcomes;

/** Returns the recipients of all broadcasts by outcome, and broadcasts by state. */
async function broadcastFigures(orm: Orm, now: Date) {
  const sums = Object.entries(outcomes).map(([name, column]) => [
    name,
    sql`coalesce(${sum(column)}, 0)`.mapWith(Number),
  ]);
  const recipients = await orm.select(Object.fromEntries(sums)).from(broadcasts).get();
  const isListed = and(isNull(broadcasts.deletedAt), isNoStep);
  const states = await orm
    .select({ state: broadcasts.state, count: count() })
    .from(broadcasts)
    .where(isListed)
    .groupBy(broadcasts.state)
    .all();
  const isPaused = and(isUnderWay, eq(broadcasts.state, "sending"), gt(broadcasts.pausedUntil, now));
  const paused = await orm.select({ n: count() }).from(broadcasts).where(isPaused).get();
  return {
    recipients: Object.entries(recipients ?? {}) as [Outcome, number][],
    states,
    paused: paused?.n ?? 0,
  };
}

/** Counts the nodes in use, and how many of them are paused because of errors or out of space. */
export const unusedNodes = (db: Db, now: Date) =>
  db.read(async (orm) => {
    const nodes = await orm.select().from(storageNodes).where(ne(storageNodes.state, "down")).all();
    const paused = nodes.filter((node) => isPaused(node, now)).length;
    return { nodes: nodes.length, paused, full: nodes.filter(isOutOfSpace).length };
  });
