import { expect, test } from "bun:test";
import { openDb } from "../../open";
import * as audit from "../../audit";
import * as nodeEdits from "./edit";
import * as storageNodes from "./nodes";
import * as reservations from "../reservations";
import * as uploads from "../uploads";
import { look } from "../../../test/support/look";
import { uploadOf } from "../../../test/support/storage/upload-rows";

const now = new Date("2026-11-21T12:00:00Z");
const by = { actor: "ada@example.com", address: "192.0.2.1" };
const wanted = {
  name: "cellar",
  endpoint: "https://s3.example",
  publicEndpoint: "https://s3.example",
  region: "us-east-1",
  bucket: "uploads",
  accessKey: "access-key-one",
  secret: "sealed-one",
  capacityBytes: 1_000,
  maxPutBytes: 1e12,
};

async function withNode() {
  const db = await openDb(":memory:");
  const node = await nodeEdits.add(db, wanted, by, now);
  if (!node) throw new Error("The name is taken");
  const file = { filename: "a", mimeType: "text/plain", folderPath: "" };
  return {
    db,
    id: node.id,
    async reserve(size: number) {
      const taken = await reservations.reserve(db, { ...file, size }, { tried: [] }, now);
      if (taken.outcome !== "reserved") throw new Error(taken.outcome);
      return taken.upload.id;
    },
    async complete(upload: string) {
      await uploads.markOpen(db, { id: upload, providerUploadId: "provider's id" }, now);
      await uploads.startCompleting(db, await uploadOf(db, upload));
      await uploads.settle(db, await uploadOf(db, upload), { state: "completed" }, now);
    },
    noted: async () => (await audit.list(db, {}, { page: 1, per: 50 })).events,
  };
}

test("two nodes cannot have the same name", async () => {
  const { db, id } = await withNode();
  expect(await nodeEdits.add(db, wanted, by, now)).toBeUndefined();
  const other = await nodeEdits.add(db, { ...wanted, name: "attic" }, by, now);
  expect(await nodeEdits.edit(db, { id: other?.id ?? "", changes: { name: "cellar" } }, by, now)).toEqual({
    outcome: "taken",
  });
  expect(await nodeEdits.edit(db, { id, changes: { name: "cellar" } }, by, now)).toMatchObject({ outcome: "edited" });
});

test("a capacity below the used and reserved bytes is rejected, naming the minimum", async () => {
  const { complete, db, id, reserve } = await withNode();
  await complete(await reserve(300));
  await reserve(200);
  expect(await nodeEdits.edit(db, { id, changes: { capacityBytes: 499 } }, by, now)).toEqual({
    outcome: "too-small",
    minBytes: 500,
  });
  expect(await nodeEdits.edit(db, { id, changes: { capacityBytes: 500 } }, by, now)).toMatchObject({
    outcome: "edited",
  });
  expect(await storageNodes.find(db, id)).toMatchObject({ capacityBytes: 500, usedBytes: 300, reservedBytes: 200 });
});

test("an edit changes the given fields, ends a pause, and is recorded without keys", async () => {
  const { db, id, noted } = await withNode();
  for (let i = 0; i < 3; i++) await storageNodes.recordFailure(db, id, "SignatureDoesNotMatch", now);
  await nodeEdits.edit(db, { id, changes: { bucket: "archive", secret: "sealed-two", region: "us-east-1" } }, by, now);
  expect(await storageNodes.find(db, id)).toMatchObject({
    ...{ name: "cellar", bucket: "archive", secret: "sealed-two", accessKey: "access-key-one" },
    ...{ failures: 0, downUntil: null },
  });
  const [event] = await noted();
  expect(event).toMatchObject({ ...by, action: "storage-node.edit", target: "cellar", targetId: id });
  expect(event?.details).toEqual({ bucket: "uploads → archive", keys: "replaced" });
  expect(JSON.stringify(await noted())).not.toMatch(/sealed|access-key/);
  expect(await nodeEdits.edit(db, { id: "nobody", changes: { bucket: "x" } }, by, now)).toEqual({ outcome: "gone" });
});

test("draining and activating are recorded once each", async () => {
  const { db, id, noted } = await withNode();
  for (const verb of ["drain", "drain", "activate", "activate"] as const) await nodeEdits[verb](db, id, by, now);
  expect((await noted()).map(({ action }) => action)).toEqual([
    "storage-node.activate",
    "storage-node.drain",
    "storage-node.add",
  ]);
  expect(await nodeEdits.drain(db, "nobody", by, now)).toBeUndefined();
});

test("only an empty node can be removed, together with its unfinished uploads", async () => {
  const { complete, db, id, reserve, noted } = await withNode();
  const [empty, gone] = [await reserve(0), await reserve(10)];
  await uploads.settle(db, await uploadOf(db, gone), { state: "aborted", outcome: "expired" }, now);
  expect(await nodeEdits.remove(db, id, by, now)).toEqual({ outcome: "not-empty", files: 0, uploads: 1 });
  await complete(empty);
  expect(await nodeEdits.remove(db, id, by, now)).toEqual({ outcome: "not-empty", files: 1, uploads: 0 });

  await look(db, "delete from uploads where id = ?", [empty]);
  expect(await nodeEdits.remove(db, id, by, now)).toMatchObject({ outcome: "removed", node: { name: "cellar" } });
  expect([await storageNodes.list(db), await uploads.find(db, gone)]).toEqual([[], undefined]);
  expect((await noted())[0]).toMatchObject({ action: "storage-node.remove", target: "cellar" });
  expect(await nodeEdits.remove(db, id, by, now)).toEqual({ outcome: "gone" });
});
