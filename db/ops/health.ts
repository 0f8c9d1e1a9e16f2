import { and, count, eq, isNull, ne, sql } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { countRows } from "../lib/page";
import { isQuarantined } from "../contact/quarantine";
import { countAwaitingTurn, oldestQueued } from "../mail/stats";
import { messages } from "../schema/contact";
import { outbox } from "../schema/mail";
import { subscriberCounts } from "../schema/newsletter";
import { storageNodes, isUnsettled, uploads } from "../schema/storage";
import { isOutOfSpace } from "../storage/fullness";
import { isPaused } from "../storage/nodes";

/**
 * Commits a real write, one that reaches the disk and means nothing: the header's user_version, which nobody reads.
 * Rejects when the database cannot be written.
 */
export const probe = (db: Db, now: Date): Promise<void> =>
  db.write((orm) => void orm.run(sql.raw(`PRAGMA user_version = ${Math.floor(now.getTime() / 1000) % 2 ** 31}`)));

/** When the mail that waits longest, and not for its turn, was written. */
export const oldestQueuedMail = (db: Db, now: Date) => db.read((orm) => oldestQueued(orm, now));

/** What the figures say about the data (D42): names as Prometheus shows them, behind "postroom_". Cheap at any size. */
export const metrics = (db: Db): Promise<Record<string, number>> =>
  db.read((orm) => {
    const subscribers = orm.select().from(subscriberCounts).all();
    const queued = orm.select({ n: count() }).from(outbox).where(eq(outbox.state, "queued")).get();
    const unread = and(isNull(messages.readAt), isNull(messages.deletedAt));
    return {
      ...Object.fromEntries(subscribers.map(({ state, count: n }) => [`subscribers{state="${state}"}`, n])),
      mails_queued: queued?.n ?? 0,
      mails_awaiting_turn: countAwaitingTurn(orm),
      messages_quarantined: countRows(orm, messages, isQuarantined),
      messages_unread: countRows(orm, messages, unread),
      ...reservations(orm),
      ...storageBytes(orm),
    };
  });

const live = ["pending", "open", "completing", "aborting"] as const;

/** Uploads under way, by state; those that ended are files, or nothing. */
function reservations(orm: Orm): Record<string, number> {
  const rows = orm
    .select({ state: uploads.state, n: count() })
    .from(uploads)
    .where(isUnsettled)
    .groupBy(uploads.state)
    .all();
  const counted = (wanted: string) => rows.find(({ state }) => state === wanted)?.n ?? 0;
  return Object.fromEntries(live.map((state) => [`storage_reservations{state="${state}"}`, counted(state)]));
}

/** How full each storage node is, and whether uploads may go there. */
function storageBytes(orm: Orm): Record<string, number> {
  const nodes = orm.select().from(storageNodes).orderBy(storageNodes.name).all();
  const figure = (name: string, of: (node: (typeof nodes)[number]) => number) =>
    nodes.map((node) => [name.replace("NODE", `node="${labelValue(node.name)}"`), of(node)] as const);
  return Object.fromEntries([
    ...figure('storage_bytes{NODE,kind="used"}', ({ usedBytes }) => usedBytes),
    ...figure('storage_bytes{NODE,kind="reserved"}', ({ reservedBytes }) => reservedBytes),
    ...figure('storage_bytes{NODE,kind="capacity"}', ({ capacityBytes }) => capacityBytes),
    ...figure("storage_node_up{NODE}", ({ state, downUntil, checkError }) =>
      Number(state !== "down" && !downUntil && !checkError),
    ),
  ]);
}

/** A name as a label of the Prometheus text format may hold it. */
const labelValue = (text: string) => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"');

/** Of the nodes that are in use: how many are left alone because they fail, and how many have no room. */
export const unusedNodes = (db: Db, now: Date) =>
  db.read((orm) => {
    const nodes = orm.select().from(storageNodes).where(ne(storageNodes.state, "down")).all();
    const resting = nodes.filter((node) => isPaused(node, now)).length;
    return { nodes: nodes.length, resting, full: nodes.filter(isOutOfSpace).length };
  });
