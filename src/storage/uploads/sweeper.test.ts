import { afterAll, expect, test } from "bun:test";
import * as fileBulk from "../../../db/storage/files-bulk";
import { trash } from "../../../db/storage/trash";
import * as files from "../../../db/storage/files";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import { start } from "../../../test/support/storage/storage-pages";
import { store } from "../../../test/support/storage/stored-files";
import { look } from "../../../test/support/look";
import { createLog } from "../../platform/log";
import { sweeper } from "./sweeper";

const by = { actor: "ada@example.com" };
const closing: (() => unknown)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

/** Two files on the node, the first of them in the trash. */
async function withTrash() {
  const setup = await start();
  const { db, now, s3 } = setup;
  const [id = "", other = ""] = await store(setup, {}, { body: "1234567" });
  const { objectKey = "" } = (await files.find(db, id)) ?? {};
  await trash(db, id, by, now());
  return {
    ...setup,
    id,
    other,
    objectKey,
    deleteNow: () => fileBulk.applyAction(db, { action: "delete", selection: { ids: [id] } }, by, now()),
    isThere: async () => ({ row: Boolean(await files.find(db, id)), object: Boolean(await s3.stat(objectKey)) }),
  };
}

test("after thirty days the object is deleted, then the row, and the node has the space again", async () => {
  const { after, bytes, db, isThere, other, storage } = await withTrash();
  await after(30 * 86_400_000 - 1_000);
  expect([await isThere(), await bytes()]).toEqual([
    { row: true, object: true },
    { used: 12, reserved: 0 },
  ]);
  await after(1_000);
  expect([await isThere(), await bytes()]).toEqual([
    { row: false, object: false },
    { used: 7, reserved: 0 },
  ]);
  expect(await storageNodes.imbalances(db)).toEqual([]);
  expect((await fetch((await storage.downloadUrl(other)) ?? "")).status).toBe(200);
});

test("a crash after the provider removed it is repaired by the next round, and bytes are given back once", async () => {
  const { after, bytes, db, deleteNow, isThere, objectKey, s3 } = await withTrash();
  await deleteNow();
  await s3.remove(objectKey);
  expect(await isThere()).toEqual({ row: true, object: false });
  expect(await bytes()).toEqual({ used: 12, reserved: 0 });
  await after(0);
  await after(0);
  expect([await isThere(), await bytes()]).toEqual([
    { row: false, object: false },
    { used: 7, reserved: 0 },
  ]);
  expect(await storageNodes.imbalances(db)).toEqual([]);
});

test("while its node does not respond a file stays, with its bytes, and cannot be restored", async () => {
  const { after, bytes, db, deleteNow, embedded, id, isThere, logged, now } = await withTrash();
  await deleteNow();
  const moveTo = async (address: string) => await look(db, "update storage_nodes set endpoint = ?", [address]);
  await moveTo("http://127.0.0.1:1");
  await after(1_000);
  expect(logged).toContainEqual(expect.objectContaining({ event: "purge failed", id }));
  expect(await fileBulk.applyAction(db, { action: "restore", selection: { ids: [id] } }, by, now())).toMatchObject({
    count: 0,
  });
  expect(await bytes()).toEqual({ used: 12, reserved: 0 });
  await moveTo(embedded.endpoint);
  await after(120_000);
  expect([await isThere(), await bytes()]).toEqual([
    { row: false, object: false },
    { used: 7, reserved: 0 },
  ]);
});

/** The embedded node behind an address where this object is only deleted once its downloads have ended, as on MinIO. */
function whileDownloaded(endpoint: string, objectKey: string) {
  const ended = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch({ url, method, headers, body }) {
      const { pathname, search } = new URL(url);
      if (method === "DELETE" && pathname.endsWith(objectKey)) await ended.promise;
      return fetch(endpoint + pathname + search, { method, headers, body });
    },
  });
  closing.push(() => server.stop(true));
  return { address: server.url.origin, end: () => ended.resolve() };
}

test("a file that someone downloads waits, and keeps neither its node nor other files waiting", async () => {
  const { clock, db, deleteNow, embedded, id, impatient, isThere, now, objectKey, other } = await withTrash();
  await deleteNow();
  clock.time += 1_000;
  await trash(db, other, by, now());
  await fileBulk.applyAction(db, { action: "delete", selection: { ids: [other] } }, by, now());
  const download = whileDownloaded(embedded.endpoint, objectKey);
  await look(db, "update storage_nodes set endpoint = ?", [download.address]);
  const storage = impatient();
  for (let round = 0; round < 3; round++) await storage.sweep();
  expect([await isThere(), await files.find(db, other)]).toEqual([{ row: true, object: true }, undefined]);
  expect(await storageNodes.find(db, embedded.id)).toMatchObject({ failures: 0, downUntil: null });
  download.end();
  clock.time += 10 * 60_000;
  await storage.sweep();
  expect(await files.find(db, id)).toBeUndefined();
});

test("two simultaneous rounds delete it once", async () => {
  const { bytes, deleteNow, impatient, storage } = await withTrash();
  await deleteNow();
  await Promise.all([storage.sweep(), impatient().sweep(), impatient().sweep()]);
  expect(await bytes()).toEqual({ used: 7, reserved: 0 });
});

test.each([
  [2, 1],
  [3, 0],
])("after %i failures at a node, its round goes on to the trash %i times", async (failing, purged) => {
  const { db, embedded, grant, now } = await start();
  for (let n = 0; n < failing; n++) await grant();
  await look(db, "update uploads set next_check_at = 0");
  let count = 0;
  const options = {
    ...{ db, log: createLog("silent"), now },
    mayWork: async () => true,
    look: () => Promise.reject(new Error("The node does not answer")),
    purge: async ({ id }: storageNodes.StorageNode) => void (id === embedded.id && count++),
    findLost: async () => {},
  };
  await sweeper(options).sweep();
  expect(count).toBe(purged);
});
