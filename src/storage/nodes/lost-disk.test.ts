import { afterAll, expect, test } from "bun:test";
import * as audit from "../../../db/audit";
import { find } from "../../../db/storage/files";
import { trash } from "../../../db/storage/trash";
import { smallDisk } from "../../../test/support/storage/small-disk";
import { start } from "../../../test/support/storage/storage-pages";
import { store } from "../../../test/support/storage/stored-files";
import { look } from "../../../test/support/look";

// A disk that is lost, swapped or not mounted, and then comes back: no file may be lost by that.

const closing: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

/** A service whose files are on a node with a removable disk. */
async function withDisk() {
  const service = await start();
  const disk = await smallDisk();
  closing.push(disk.close);
  const { endpoint, bucket, accessKey, secretKey, takeOut, putBack, swap, swapBack } = disk;
  const node = await service.addNode("cellar", endpoint, { bucket, accessKey, secretKey });
  return {
    ...service,
    node,
    takeOut,
    putBack,
    swap,
    swapBack,
    async states() {
      const rows = await look(service.db, "select state, outcome from uploads where node_id = ?", [node.id]);
      return (rows as { state: string; outcome: string | null }[]).map(({ state, outcome }) => outcome ?? state);
    },
    async check(yesLost?: number) {
      const seen = { matched: 0, bytes: 0, missing: 0 };
      const by = { actor: "cli" };
      const all = await Array.fromAsync(service.storage.nodes.differences(node.id, seen, by, yesLost));
      return { seen, all, kinds: all.map(({ kind }) => kind) };
    },
  };
}

test("no bucket is created on a node that should have files: its disk is missing, and uploads go elsewhere", async () => {
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

test("one byte is a file, too: the bucket that should have it is not made anew", async () => {
  const disk = await withDisk();
  await store(disk, { body: "a" });
  disk.takeOut();
  expect((await disk.storage.nodes.test(disk.node)).error).toBe("bucket: NoSuchBucket");
});

test.each(["nodes check", "the sweeper"])(
  "files that were given up are files again when their disk is back: %s sees it",
  async (who) => {
    const disk = await withDisk();
    const { after, bytes, check, db, states, swap, swapBack } = disk;
    const files = Array.from({ length: 30 }, (_, i) => ({ body: `file ${i}`, filename: `${i}.txt` }));
    await store(disk, ...files);
    const before = await bytes("cellar");
    swap();
    for (const { repair } of (await check()).all) expect(await repair()).toBe(false);
    for (const { repair } of (await check(30)).all) expect(await repair()).toBe(true);
    expect([new Set(await states()), await bytes("cellar")]).toEqual([new Set(["lost"]), { used: 0, reserved: 0 }]);
    await after(600_000);

    swapBack();
    if (who === "nodes check") expect(new Set((await check()).kinds)).toEqual(new Set(["back"]));
    else {
      await after(599_000);
      expect(new Set(await states())).toEqual(new Set(["lost"]));
      await after(1_000);
    }
    expect([new Set(await states()), await bytes("cellar")]).toEqual([new Set(["completed"]), before]);
    expect(await check()).toMatchObject({ seen: { matched: 30, missing: 0 }, all: [] });
    const { events } = await audit.list(db, { group: "file" }, { page: 1, per: 100 });
    expect(events.filter(({ action }) => action === "file.found")).toHaveLength(30);
  },
);

test("a file that was in the trash is there again when its disk is back, and not among the files", async () => {
  const disk = await withDisk();
  const { check, db, now, storage, swap, swapBack } = disk;
  const [kept = "", deleted = ""] = await store(disk, {}, {});
  await trash(db, deleted, { actor: "test" }, now());
  const { purgeAt } = (await find(db, deleted)) ?? {};
  swap();
  for (const { repair } of (await check(2)).all) expect(await repair()).toBe(true);
  expect([await find(db, kept), await find(db, deleted)]).toEqual([undefined, undefined]);
  swapBack();
  expect((await check()).kinds).toEqual(["back", "back"]);
  expect([await storage.downloadUrl(kept), await storage.downloadUrl(deleted)]).toEqual([
    expect.any(String),
    undefined,
  ]);
  expect(await find(db, deleted)).toMatchObject({ deletedAt: now(), purgeAt });
});

test("an object that is not the one of then brings no file back", async () => {
  const disk = await withDisk();
  const { check, db, states, swap, swapBack } = disk;
  await store(disk, {});
  swap();
  for (const { repair } of (await check(1)).all) await repair();
  await look(db, "update uploads set etag = 'another' where outcome = 'lost'");
  swapBack();
  expect([(await check()).kinds, await states()]).toEqual([["leftover"], ["lost"]]);
});

test("a node with the wrong disk accepts no uploads until its own is back", async () => {
  const disk = await withDisk();
  const { clock, embedded, grant, node, storage, swap, swapBack } = disk;
  await store(disk, {}, {}, {});
  swap();
  clock.time += 10_000;
  for (let i = 0; i < 4; i++) expect((await grant())._meta.nodeId).toBe(embedded.id);
  expect((await storage.nodes.test(node)).error).toBe("bucket: FilesMissing");
  const view = await storage.nodes.find("cellar");
  const [bucket] = view ? await storage.nodes.capabilities(view) : [];
  expect(bucket?.fix?.problem).toContain("the disk is lost, swapped or not mounted");
  swapBack();
  clock.time += 60_000;
  await storage.nodes.revive();
  expect((await grant())._meta.nodeId).toBe(node.id);
});
