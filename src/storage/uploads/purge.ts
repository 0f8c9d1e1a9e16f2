import type { Db } from "../../../db/engine/open";
import * as purge from "../../../db/storage/purge";
import type { StorageNode } from "../../../db/storage/nodes/nodes";
import { described, type Log } from "../../platform/log";
import type { Ask } from "../nodes/access";

type Options = { db: Db; log: Log; now: () => Date; ask: Ask };

/**
 * Permanently deletes the node's files whose time in the trash is over: first the object, then the row and its bytes.
 * Deleting what is already gone is not an error, so the next round repairs a crash in between.
 */
export const purger =
  ({ db, log, now, ask }: Options) =>
  async (node: StorageNode): Promise<void> => {
    for (const { id, objectKey } of await purge.due(db, node.id, now()))
      try {
        await ask(node, (s3) => s3.remove(objectKey));
        if (await purge.deletePurged(db, id)) log.info("file purged", { id, node: node.name });
      } catch (error) {
        log.warn("purge failed", { id, node: node.name, ...described(error) });
        return; // the others wait for the next round too
      }
  };
