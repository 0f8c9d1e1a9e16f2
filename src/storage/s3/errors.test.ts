import { afterAll, expect, test } from "bun:test";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import { listUploads } from "../../../test/support/storage/upload-rows";
import { testService } from "../../../test/support/service";
import { file, path, start } from "../../../test/support/storage/storage-pages";
import { look } from "../../../test/support/look";

const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));

/** A provider that accepts connections, reports them, and never responds. */
function silentProvider(asked: () => void = () => undefined) {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { open: asked, data() {} } });
  closing.push(() => server.stop(true));
  return `http://127.0.0.1:${server.port}`;
}

test("507 when no node has room, and nothing is written", async () => {
  const { bytes, db, embedded, request } = await start();
  const answer = await request({ size: embedded.capacityBytes + 1, folderPath: "new" });
  expect([answer.status, await answer.json()]).toEqual([
    507,
    { success: false, data: null, error: { code: "INSUFFICIENT_STORAGE", message: "Insufficient storage" } },
  ]);
  expect([await bytes(), await listUploads(db)]).toEqual([{ used: 0, reserved: 0 }, []]);
  expect((await request({ size: embedded.capacityBytes })).status).toBe(200);
  expect((await request({ size: 1 })).status).toBe(507);
  expect((await request({ size: 0 })).status).toBe(200);
});

test("507 if there are no nodes", async () => {
  const { key, post } = await testService({ NODE_ENV: "production" });
  expect((await post(path, file, await key())).status).toBe(507);
});

test("a file larger than a node accepts in one PUT goes to another node, or is rejected", async () => {
  const { addNode, db, grant, embedded, now, request } = await start();
  const aws = await addNode("aws", "https://s3.eu-west-1.amazonaws.com");
  await storageNodes.saveProbe(db, aws.id, { server: "AmazonS3" }, now());
  expect(aws.maxPutBytes).toBe(5e9);
  expect((await grant({ size: 6e9 }))._meta.nodeId).toBe(embedded.id);
  expect((await request({ size: 5e12 })).status).toBe(507);
});

test("500 if the only node with free space does not respond, and the reservation is rolled back", async () => {
  const { addNode, bytes, embedded, logged, request } = await start();
  await addNode("dead", "http://127.0.0.1:1");
  const answer = await request({ size: embedded.capacityBytes + 1, multipart: true });
  expect([answer.status, await answer.json()]).toEqual([
    500,
    { success: false, data: null, error: { code: "UPLOAD_FAILED", message: "Upload failed" } },
  ]);
  expect(await bytes("dead")).toEqual({ used: 0, reserved: 0 });
  expect(logged).toContainEqual(expect.objectContaining({ event: "storage error", node: "dead" }));
});

test("if a node fails, the next suitable one is tried", async () => {
  const { addNode, bytes, embedded, grant } = await start();
  await addNode("dead", "http://127.0.0.1:1");
  const { _meta } = await grant();
  expect(_meta.nodeId).toBe(embedded.id);
  expect([await bytes("dead"), await bytes()]).toEqual([
    { used: 0, reserved: 0 },
    { used: 0, reserved: 5 },
  ]);
});

test("a node whose keys are wrong fails like one that is down", async () => {
  const { addNode, bytes, embedded, grant } = await start();
  await addNode("locked", embedded.endpoint);
  expect((await grant())._meta.nodeId).toBe(embedded.id);
  expect(await bytes("locked")).toEqual({ used: 0, reserved: 0 });
});

test("a node that fails three times in a row is paused for a minute; what only it could store is a 500", async () => {
  const { addNode, clock, db, embedded, request } = await start();
  const dead = await addNode("dead", "http://127.0.0.1:1");
  const rests = async () => (await storageNodes.find(db, dead.id))?.downUntil?.getTime();
  await request();
  await request();
  expect(await rests()).toBeUndefined();
  await request();
  expect(await rests()).toBe(clock.time + 60_000);
  await request();
  expect((await storageNodes.find(db, dead.id))?.failures).toBe(3);
  expect((await request({ size: embedded.capacityBytes + 1 })).status).toBe(500);
  clock.time += 60_000;
  await request();
  expect((await storageNodes.find(db, dead.id))?.failures).toBe(4);
});

test("a silent provider costs one deadline; its bytes stay reserved until it can be asked what it did", async () => {
  const { addNode, after, bytes, db, impatient, state } = await start();
  let asked = 0;
  await addNode(
    "silent",
    silentProvider(() => asked++),
  );
  const grant = await impatient().reserve({ ...file, folderPath: "" });
  expect(asked).toBe(1); // once, so there was one deadline
  expect(grant).toMatchObject({ method: "PUT", expiresIn: 3_600 });
  expect([await bytes("silent"), await bytes()]).toEqual([
    { used: 0, reserved: 5 },
    { used: 0, reserved: 5 },
  ]);
  const [, upload] = await listUploads(db);
  expect(upload?.upload).toMatchObject({ state: "aborting", outcome: "no answer" });

  // The provider is back, at a different address.
  const { endpoint, accessKey, secret } = (await storageNodes.byName(db, "embedded")) ?? {};
  await look(db, "update storage_nodes set endpoint = ?, access_key = ?, secret = ? where name = 'silent'", [
    endpoint ?? "",
    accessKey ?? "",
    secret ?? "",
  ]);
  await after(60_000);
  expect(await state(upload?.upload.id ?? "")).toBe("aborted");
  expect(await bytes("silent")).toEqual({ used: 0, reserved: 0 });
});

test("a provider in trouble while uploads are followed changes no row and moves no byte", async () => {
  const { after, bytes, db, grant, put, state } = await start();
  const { uploadUrl, _meta } = await grant();
  await put(uploadUrl);
  const { endpoint } = (await storageNodes.byName(db, "embedded")) ?? {};
  const moveTo = async (address = "") => await look(db, "update storage_nodes set endpoint = ?", [address]);
  await moveTo("http://127.0.0.1:1");
  for (let i = 0; i < 5; i++) await after(60_000);
  expect([await state(_meta.reservationId), await bytes()]).toEqual(["open", { used: 0, reserved: 5 }]);
  await moveTo(endpoint);
  await after(120_000);
  await after(3_000);
  expect([await state(_meta.reservationId), await bytes()]).toEqual(["completed", { used: 5, reserved: 0 }]);
});
