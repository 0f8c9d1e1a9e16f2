import { and, desc, eq, gte, sql } from "drizzle-orm";
import { type Orm, prepared } from "../engine/open";
import { storageNodes } from "../schema/storage";
import type { StorageNode } from "./nodes";

/* The room of the nodes: their capacity without what is used and what is reserved. */

const free = sql`${storageNodes.capacityBytes} - ${storageNodes.usedBytes} - ${storageNodes.reservedBytes}`;

const withRoom = prepared((orm) =>
  orm
    .select()
    .from(storageNodes)
    .where(and(eq(storageNodes.state, "active"), gte(free, sql.placeholder("size"))))
    .orderBy(desc(free), storageNodes.id)
    .prepare(),
);
/** The nodes in use that have so many bytes free, the one with the most room first. */
export const nodesWith = (orm: Orm, size: number): StorageNode[] => withRoom(orm).all({ size });

const moved = prepared((orm) =>
  orm
    .update(storageNodes)
    .set({
      reservedBytes: sql`reserved_bytes + ${sql.placeholder("reserved")}`,
      usedBytes: sql`used_bytes + ${sql.placeholder("used")}`,
    })
    .where(eq(storageNodes.id, sql.placeholder("id")))
    .prepare(),
);

/** So many bytes more, or fewer, are reserved and used on the node. */
export const move = (orm: Orm, id: string, { reserved = 0, used = 0 }): void =>
  void moved(orm).run({ id, reserved, used });
