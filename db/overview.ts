import { and, asc, count, eq, gt, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import * as apiKeys from "./access/keys/api-keys";
import { boxConditions } from "./contact/messages";
import { type Db, type Orm, prepared } from "./engine/open";
import { dayMs } from "./lib/time";
import { countActive } from "./newsletter/counts";
import { managers, passkeys } from "./schema/access";
import { messages } from "./schema/contact";
import { outbox } from "./schema/mail";
import { subscribers } from "./schema/newsletter";
import { isPublished, posts } from "./schema/posts";
import { settings } from "./schema/settings";
import { storageNodes } from "./schema/storage";
import { settingValue } from "./setting-value";
import { freeBytes, isOutOfSpace } from "./storage/nodes/capacity";
import { isPaused } from "./storage/nodes/nodes";

/**
 * Returns how full the storage is, and which nodes need attention. Drained nodes keep files but accept no new ones; a
 * retired node is ignored once it holds nothing.
 */
export const storage = (db: Db, now: Date) =>
  db.read(async (orm) => {
    const all = await orm.select().from(storageNodes).orderBy(asc(storageNodes.name)).all();
    const nodes = all.filter(
      ({ state, usedBytes, reservedBytes }) => state !== "down" || usedBytes + reservedBytes > 0,
    );
    const sum = (bytes: (node: (typeof nodes)[number]) => number) => nodes.reduce((all, node) => all + bytes(node), 0);
    const isDown = (node: (typeof nodes)[number]) =>
      node.state === "down" || isPaused(node, now) || node.checkError !== null;
    const isNearlyFull = (node: (typeof nodes)[number]) =>
      !isOutOfSpace(node) && freeBytes(node) <= node.capacityBytes / 10;
    const shareOf = (node: (typeof nodes)[number]) => freeBytes(node) / Math.max(1, node.capacityBytes);
    return {
      nodes: nodes.length,
      used: sum(({ usedBytes }) => usedBytes),
      capacity: sum(({ capacityBytes }) => capacityBytes),
      isReachable: nodes.some((node) => !isDown(node) && node.checkedAt),
      down: nodes.filter(isDown).map(({ name }) => name),
      full: nodes.filter(isOutOfSpace).map(({ name }) => name),
      freeShares: nodes.map((node) => ({ name: node.name, share: isOutOfSpace(node) ? 0 : shareOf(node) })),
      nearlyFull: nodes.filter((node) => node.capacityBytes > 0 && isNearlyFull(node)).map(({ name }) => name),
    };
  });

/**
 * Returns which of the first steps of a new service are done. Each is a fact in the database, not a record of the step.
 */
export const progress = (db: Db, now: Date) =>
  db.read(async (orm) => ({
    ...(await settingsOf(orm)),
    hasKey: await apiKeys.hasAny(orm),
    isSafe: await isSafe(orm),
    hasSubscriber: (await orm.select({ id: subscribers.id }).from(subscribers).limit(1).get()) !== undefined,
    hasPost: (await orm.select({ id: posts.id }).from(posts).limit(1).get()) !== undefined,
    isPublishing:
      (await orm.select({ id: posts.id }).from(posts).where(isPublished(now.getTime())).limit(1).get()) !== undefined,
  }));

async function settingsOf(orm: Orm) {
  const set = await orm
    .select({ key: settings.key, value: settings.value })
    .from(settings)
    .where(inArray(settings.key, ["siteTitle", "email"]))
    .all();
  const valueOf = (wanted: string) => set.find(({ key }) => key === wanted)?.value.trim();
  return { hasTitle: Boolean(valueOf("siteTitle")), hasOwnerEmail: Boolean(valueOf("email")?.includes("@")) };
}

/**
 * Whether one lost password locks no one out: there is a second manager, or someone has two-step verification or a
 * passkey.
 */
async function isSafe(orm: Orm): Promise<boolean> {
  if ((await orm.select({ id: managers.id }).from(managers).limit(2).all()).length > 1) return true;
  if (await orm.select({ id: passkeys.id }).from(passkeys).limit(1).get()) return true;
  return (
    (await orm.select({ id: managers.id }).from(managers).where(isNotNull(managers.totpSecret)).get()) !== undefined
  );
}

const unread = prepared((orm) =>
  orm
    .select({ n: count() })
    .from(messages)
    .where(and(isNull(messages.readAt), boxConditions.inbox))
    .prepare(),
);
const failed = prepared((orm) =>
  orm
    .select({ n: count() })
    .from(outbox)
    .where(and(eq(outbox.state, "dead"), isNull(outbox.inDoubtSince), gt(outbox.createdAt, sql.placeholder("since"))))
    .prepare(),
);

/** Returns the counts shown beside the navigation on every page. Failed emails are those of the last seven days. */
export const navigationCounts = (db: Db, now: Date) =>
  db.read(async (orm) => ({
    active: await countActive(orm),
    unread: (await unread(orm).get())?.n ?? 0,
    failedMails: (await failed(orm).get({ since: now.getTime() - 7 * dayMs }))?.n ?? 0,
    siteTitle: (await settingValue(orm, "siteTitle"))?.trim() || undefined,
  }));
