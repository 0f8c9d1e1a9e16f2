import { expect, test } from "bun:test";
import * as storageNodes from "../../db/storage-nodes";
import { openStorage } from ".";
import { start } from "./desk-for-tests";
import { embedForTests } from "./testing";

test("a drained node takes nothing new and finishes what it has", async () => {
  const { after, db, embedded, grant, put, request, state } = await start();
  const { uploadUrl, _meta } = await grant();
  await storageNodes.drain(db, embedded.id);
  expect((await request()).status).toBe(507);
  await put(uploadUrl);
  await after(1_000);
  await after(3_000);
  expect(await state(_meta.reservationId)).toBe("completed");
});

test("once MINIO_* is set the embedded node is out of use, and back when it is not", async () => {
  const { config, db, log, now, storage } = await start();
  const minio = { MINIO_ENDPOINT: "http://127.0.0.1:1", MINIO_ACCESS_KEY: "key", MINIO_SECRET_KEY: "secret" };
  await openStorage({ config: { ...config, ...minio }, db, log, now }).nodes.open();
  const states = async () => (await storage.nodes.list()).map(({ name, state }) => `${name} ${state}`);
  expect(await states()).toEqual(["default active", "embedded down"]);
  await storage.nodes.open();
  expect(await states()).toEqual(["default active", "embedded active"]);
});

test("a smaller capacity never goes below what is promised", async () => {
  const { bytes, config, db, grant, log, now, storage } = await start();
  await grant({ size: 1_000 });
  const embed: typeof embedForTests = async (...to) => ({ ...(await embedForTests(...to)), room: 10 });
  await openStorage({ config, db, log, now, embed }).nodes.open();
  expect(await storage.nodes.list()).toMatchObject([{ capacityBytes: 1_000 }]);
  expect(await bytes()).toEqual({ used: 0, reserved: 1_000 });
});

test("a probe tells a good node from a bad one, keeps that, and leaves nothing behind", async () => {
  const { addNode, embedded, s3, storage } = await start();
  expect(await storage.nodes.test(embedded)).toEqual({
    ok: true,
    milliseconds: expect.any(Number),
    signedLength: true,
    skewSeconds: expect.any(Number),
  });
  expect(await s3.findUploadId("probe")).toBeUndefined();
  const dead = await addNode("dead", "http://127.0.0.1:1");
  expect(await storage.nodes.test(dead)).toEqual({ ok: false, error: expect.stringContaining("ECONNREFUSED") });
  expect(await storage.nodes.list()).toMatchObject([
    { name: "dead", checkedAt: expect.any(Date), checkError: expect.any(String), signedLength: null },
    { name: "embedded", checkedAt: expect.any(Date), checkError: null, signedLength: true },
  ]);
});

test("a node's secret is sealed in the database and never shown", async () => {
  const { addNode, db, storage } = await start();
  const { secret } = await addNode("other", "http://127.0.0.1:1");
  expect(secret).not.toContain("secret");
  expect(JSON.stringify(await storage.nodes.list())).not.toMatch(/accessKey|secret/);
  expect(await storage.nodes.add({ ...(await storageNodes.byName(db, "other"))!, secretKey: "x" })).toBeUndefined();
});
