import { and, desc, eq, gte, sql } from "drizzle-orm";
import { type Orm, prepared } from "../engine/open";
import { storageNodes } from "../schema/storage";
import type { StorageNode } from "./nodes";

/* The room of the nodes: their capacity without what is used and what is reserved. */

const free = sql`${storageNodes.capacityBytes} - ${storageNodes.usedBytes} - ${storageNodes.reservedBytes}`;

const fitting = prepared((orm) =>
  orm
    .select()
    .from(storageNodes)
    .where(
      and(
        eq(storageNodes.state, "active"),
        gte(storageNodes.maxPutBytes, sql.placeholder("put")),
        gte(free, sql.placeholder("size")),
      ),
    )
    .orderBy(desc(free), storageNodes.id)
    .prepare(),
);
/** The nodes that may take the file, the one with the most room first. @param partSize as in `NewUpload` */
export const nodesFor = (
  orm: Orm,
  { size, partSize = size }: { size: number; partSize?: number | undefined },
): StorageNode[] => fitting(orm).all({ size, put: Math.min(size, partSize) });

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
