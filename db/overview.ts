import { asc } from "drizzle-orm";
import type { Db } from "./engine/open";
import { storageNodes } from "./schema/storage";
import { freeBytes, isOutOfSpace } from "./storage/nodes/fullness";
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
    return {
      nodes: nodes.length,
      used: sum(({ usedBytes }) => usedBytes),
      capacity: sum(({ capacityBytes }) => capacityBytes),
      isReachable: nodes.some((node) => !isDown(node) && node.checkedAt),
      down: nodes.filter(isDown).map(({ name }) => name),
      full: nodes.filter(isOutOfSpace).map(({ name }) => name),
      nearlyFull: nodes.filter((node) => node.capacityBytes > 0 && isNearlyFull(node)).map(({ name }) => name),
    };
  });
