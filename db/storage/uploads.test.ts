import { expect, test } from "bun:test";
import type { Db } from "../engine/open";
import { openDb } from "../open";
import * as nodeEdits from "./nodes/edit";
import * as storageNodes from "./nodes/nodes";
import * as reservations from "./reservations";
import * as uploads from "./uploads";
import { lookAt } from "../../test/support/look";
import { uploadOf } from "../../test/support/storage/upload-rows";

const now = new Date("2026-11-21T12:00:00Z");
const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
const file = { filename: "a.txt", mimeType: "text/plain", folderPath: "", size: 10 };

/** A database with a node of each capacity, named a, b, c… */
async function withNodes(...capacities: number[]) {
  const db = await openDb(":memory:");
  const access = { endpoint: "", publicEndpoint: "", region: "", bucket: "", accessKey: "", secret: "" };
  for (const [i, capacityBytes] of capacities.entries())
    await storageNodes.register(db, { ...access, name: "abcdef"[i] ?? "", capacityBytes, maxPutBytes: 1e12 });
  const node = async (name: string) => {
    const found = await storageNodes.byName(db, name);
    if (!found) throw new Error(`There is no node ${name}`);
    return found;
  };
  const reserve = (input: Partial<reservations.NewUpload> = {}, tried: string[] = []) =>
    reservations.reserve(db, { ...file, ...input }, { tried }, now);
  const reserved = async (input: Partial<reservations.NewUpload> = {}) => {
    const taken = await reserve(input);
    if (taken.outcome !== "reserved") throw new Error(taken.outcome);
    return taken;
  };
  return { db, node, reserve, reserved };
}

test("two hundred simultaneous reservations take exactly the space there is", async () => {
  const { db, node, reserve } = await withNodes(1_003, 507);
  const taken = await Promise.all(
    Array.from({ length: 200 }, (_, i) => reserve({ folderPath: `team/${i % 20}`, filename: `${i}.txt` })),
  );
  expect(taken.filter(({ outcome }) => outcome === "reserved")).toHaveLength(150);
  expect(taken.filter(({ outcome }) => outcome === "full")).toHaveLength(50);
  expect([(await node("a")).reservedBytes, (await node("b")).reservedBytes]).toEqual([1_000, 500]);
  expect(await storageNodes.imbalances(db)).toEqual([]);
  const paths = (await lookAt(db, "select path from folders")).flat();
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths).toHaveLength(22); // the root, "team" and twenty in it
});

test("the node with the most free space is chosen, and the first by ID among equals", async () => {
  const { node, reserved } = await withNodes(100, 105);
  const names = [];
  for (let i = 0; i < 4; i++) names.push((await reserved()).node.name);
  expect(names).toEqual(["b", "a", "b", "a"]);
  expect((await node("a")).reservedBytes).toBe(20);
});

test("a reservation names an object of its own, with nothing of the file in it", async () => {
  const { reserved } = await withNodes(1_000);
  const { upload } = await reserved({ filename: "../../etc/passwd" });
  expect(upload.objectKey).toMatch(/^u\/[0-9a-f]{8}\/[0-9a-f-]{36}$/);
  expect(upload.objectKey).toEndWith(upload.id);
  expect((await reserved()).upload.objectKey).not.toBe(upload.objectKey);
});

test("the bytes of an upload are moved once, however many callers settle it", async () => {
  const { db, node, reserved } = await withNodes(100);
  const { upload } = await reserved();
  expect(await uploads.settle(db, upload, { state: "completed" }, now)).toBe(false); // no one is completing it
  await uploads.markOpen(db, { id: upload.id, providerUploadId: "provider" }, now);
  await uploads.startCompleting(db, await uploadOf(db, upload.id));
  const completing = await uploadOf(db, upload.id);
  const done = await Promise.all([
    uploads.settle(db, completing, { state: "completed" }, now),
    uploads.settle(db, completing, { state: "completed" }, now),
    uploads.settle(db, completing, { state: "aborted", outcome: "expired" }, now),
  ]);
  expect(done).toEqual([true, false, false]);
  expect(await node("a")).toMatchObject({ usedBytes: 10, reservedBytes: 0 });
  expect(await uploads.find(db, upload.id)).toMatchObject({ state: "completed", completedAt: now, outcome: null });
});

test("an upload goes only from one state to the next", async () => {
  const { db, reserved } = await withNodes(100);
  const pending = (await reserved()).upload;
  const { id } = pending;
  expect(await uploads.startCompleting(db, pending)).toBe(false);
  expect(await uploads.markOpen(db, { id, providerUploadId: "provider" }, now)).toBe(true);
  expect(await uploads.markOpen(db, { id, providerUploadId: "other" }, now)).toBe(false);
  const open = await uploadOf(db, id);
  expect(await uploads.startCompleting(db, open)).toBe(true);
  const completing = await uploadOf(db, id);
  expect(await uploads.startCompleting(db, completing)).toBe(true);
  expect(await uploads.startAborting(db, open, { outcome: "too late", nextCheckAt: now })).toBe(false);
  expect(await uploads.startAborting(db, completing, { outcome: "expired", nextCheckAt: now })).toBe(true);
  expect(await uploads.startAborting(db, completing, { outcome: "again", nextCheckAt: now })).toBe(false);
  const aborting = await uploadOf(db, id);
  expect(await uploads.startCompleting(db, aborting)).toBe(false);
  expect(await uploads.settle(db, aborting, { state: "completed" }, now)).toBe(false);
  expect(await uploads.settle(db, aborting, { state: "aborted" }, now)).toBe(true);
  expect(await uploads.postpone(db, await uploadOf(db, id), now)).toBe(false);
  expect(await uploads.find(db, id)).toMatchObject({
    state: "aborted",
    outcome: "expired",
    providerUploadId: "provider",
  });
});

/** What another process may do to an upload that this one has read. */
const changes = {
  converts: async (db: Db, upload: uploads.Upload) => {
    await uploads.startReopening(db, upload, 5, now);
    await uploads.markOpen(db, { id: upload.id, providerUploadId: "other" }, now);
  },
  extends: (db: Db, upload: uploads.Upload, node: storageNodes.StorageNode) =>
    uploads.extendForUrls(db, upload, node, later(60)),
};

test.each(Object.entries(changes))(
  "what was decided before another process %s an upload is refused",
  async (_, change) => {
    const { db, node, reserved } = await withNodes(100);
    const { id } = (await reserved()).upload;
    await uploads.markOpen(db, { id, providerUploadId: "provider" }, now);
    const read = await uploadOf(db, id);
    await change(db, read, await node("a"));
    const current = await uploadOf(db, id);
    expect([
      await uploads.settle(db, read, { state: "aborted", outcome: "vanished" }, now),
      await uploads.startAborting(db, read, { outcome: "expired", nextCheckAt: now }),
      await uploads.startCompleting(db, read),
      await uploads.startReopening(db, read, 5, now),
      await uploads.extendForUrls(db, read, await node("a"), later(120)),
      await uploads.postpone(db, read, now),
      await uploads.recordProgress(db, { upload: read, received: 7, node: await node("a") }, now),
    ]).toEqual([false, false, false, false, false, false, undefined]);
    expect(await uploadOf(db, id)).toEqual(current);
    expect(await node("a")).toMatchObject({ usedBytes: 0, reservedBytes: 10 });
  },
);

test("due uploads come by node, most overdue first, without settled ones", async () => {
  const { db, node, reserved } = await withNodes(1_000);
  const [first, second, third] = [await reserved(), await reserved(), await reserved()];
  await uploads.postpone(db, first.upload, later(30));
  await uploads.postpone(db, second.upload, later(20));
  await uploads.settle(db, third.upload, { state: "aborted" }, now);
  const { id } = await node("a");
  const due = async (at: Date) => (await uploads.due(db, id, at)).map((upload) => upload.id);
  expect(await due(later(19))).toEqual([]);
  expect(await due(later(20))).toEqual([second.upload.id]);
  expect(await due(later(60))).toEqual([second.upload.id, first.upload.id]);
  expect(await uploads.due(db, "another", later(60))).toEqual([]);
});

test("full means that every node responded; a failed one makes it unreachable, and a paused one is named", async () => {
  const { db, node, reserve } = await withNodes(100, 50);
  const a = await node("a");
  expect(await reserve({ size: 101 })).toEqual({ outcome: "full" });
  expect(await reserve({ size: 100 }, [a.id])).toEqual({ outcome: "unreachable" });
  for (let i = 0; i < 3; i++) await storageNodes.recordFailure(db, a.id, "Timeout", now);
  expect(await reserve({ size: 100 })).toMatchObject({ outcome: "paused", node: { name: "a" } });
  expect(await reserve({ size: 50 })).toMatchObject({ outcome: "reserved", node: { name: "b" } });
  await storageNodes.recordSuccess(db, a.id, now);
  expect(await reserve({ size: 100 })).toMatchObject({ outcome: "reserved", node: { name: "a" } });
});

test("neither a drained nor a disabled node accepts uploads", async () => {
  const { db, node, reserve } = await withNodes(100);
  const { id } = await node("a");
  await nodeEdits.drain(db, id, { actor: "test" }, now);
  expect(await reserve()).toEqual({ outcome: "full" });
  await nodeEdits.activate(db, id, { actor: "test" }, now);
  expect(await reserve()).toMatchObject({ outcome: "reserved" });
  await storageNodes.retire(db, "a");
  expect(await reserve()).toEqual({ outcome: "full" });
});
