import { afterAll, expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { createLog } from "../../telemetry/log";
import { start } from "../../../test/support/storage-pages";
import { startEmbeddedNode } from "../embedded/node";
import { store } from "../../../test/support/stored-files";
import { temporaryFolder } from "../../../test/support/storage";

// What a disk does that is lost, swapped or not mounted, and comes back: no file may be lost by it.

const closing: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

/** A service whose files lie on a node with a disk that can be taken out. */
async function withDisk() {
  const service = await start();
  const folder = temporaryFolder();
  const server = await startEmbeddedNode({ folder, port: 0, origins: new Set(), log: createLog("silent") });
  closing.push(server.close);
  const { accessKey, secretKey } = server;
  const { id } = await service.addNode("cellar", server.endpoint, { bucket: "parcels", accessKey, secretKey });
  const node = { ...service.embedded, id };
  const disk = join(folder, "buckets", "parcels");
  return {
    ...service,
    node,
    folder: disk,
    takeOut: () => renameSync(disk, `${disk}.out`),
    putBack: () => renameSync(`${disk}.out`, disk),
    async check(yesLost?: number) {
      const seen = { matched: 0, bytes: 0, missing: 0 };
      const by = { actor: "cli" };
      const all = await Array.fromAsync(service.storage.nodes.differences(id, seen, by, yesLost));
      return { seen, all };
    },
  };
}

test("no bucket is made on a node that holds files: its disk is missing, and uploads go elsewhere", async () => {
  const disk = await withDisk();
  const { embedded, grant, node, storage, takeOut, putBack } = disk;
  expect((await grant())._meta.nodeId).toBe(node.id); // an empty node gets its bucket
  await store(disk, {}, {});
  takeOut();
  expect((await grant())._meta.nodeId).toBe(embedded.id);
  expect((await storage.nodes.test(node)).error).toBe("bucket: NoSuchBucket");
  const view = await storage.nodes.find("cellar");
  const [bucket] = view ? await storage.nodes.capabilities(view) : [];
  expect(bucket?.fix?.problem).toContain("the disk is lost, swapped or not mounted");
  putBack();
  expect((await storage.nodes.test(node)).error).toBeUndefined();
  expect((await disk.check()).seen).toEqual({ matched: 2, bytes: 10, missing: 0 });
});
