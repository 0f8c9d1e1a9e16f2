import type { Db } from "../../../db/engine/open";
import * as inventory from "../../../db/storage/nodes/inventory";
import type { StorageNode } from "../../../db/storage/nodes/nodes";
import type { Log } from "../../platform/log";
import type { Ask } from "../nodes/access";

type Options = { db: Db; log: Log; now: () => Date; ask: Ask };

const every = 10 * 60_000; // milliseconds, for each node
const atOnce = 20;

/**
 * Looks for the objects of lost files: for some of them from time to time, and for all of them once one has reappeared,
 * because then the disk is back. Those that are unchanged become files again.
 */
export function finder({ db, log, now, ask }: Options) {
  const rounds = new Map<string, { at: number; after: string }>();

  /** Returns how many files of the batch are back. */
  const look = (node: StorageNode, batch: inventory.LostFile[]): Promise<number> =>
    ask(node, async (s3) => {
      let back = 0;
      for (const { id, objectKey } of batch) {
        const object = await s3.stat(objectKey);
        if (object && (await inventory.restoreLost(db, { id, ...object }, { actor: "system" }, now()))) back++;
      }
      return back;
    });

  return async function find(node: StorageNode): Promise<void> {
    const { at, after: start } = rounds.get(node.id) ?? { at: -Infinity, after: "" };
    if (Math.abs(now().getTime() - at) < every) return;
    let all = 0;
    for (let after = start, isBack = true; isBack;) {
      const batch = await inventory.lostFiles(db, node.id, after, atOnce);
      after = batch.length === atOnce ? (batch.at(-1)?.id ?? "") : ""; // after the last one, starts again with the first
      rounds.set(node.id, { at: now().getTime(), after });
      const back = batch.length ? await look(node, batch).catch(() => 0) : 0; // logged there
      isBack = back > 0;
      all += back;
    }
    if (all) log.info("lost files are back", { node: node.name, files: all });
  };
}
