import { afterAll, expect, test } from "bun:test";
import { activate, drain } from "../../../db/storage/nodes/edit";
import { saveProbe } from "../../../db/storage/nodes/nodes";
import * as uploads from "../../../db/storage/uploads";
import { keepsInterrupted } from "../../../test/support/storage/keeps-interrupted";
import { smallPart } from "../../../test/support/storage/storage";
import { start } from "../../../test/support/storage/storage-pages";
import { connect } from "../nodes/access";
import { cutOff } from "../s3/raw-put";

// A node that keeps interrupted uploads, like versitygw 1.8.0, publishes none of them

const closing: (() => unknown)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

/** The service with such a node alone, tested or not. */
async function setUp({ isTested = true } = {}) {
  const service = await start();
  const { addNode, config, db, embedded, now, storage } = service;
  await drain(db, embedded.id, { actor: "test" }, now());
  const server = await keepsInterrupted();
  closing.push(server.close);
  const { endpoint, ...keys } = server;
  const { id } = await addNode("versity", endpoint, keys);
  if (isTested) await storage.nodes.test({ id }, false);
  const node = await service.nodeNamed("versity");
  const ended = async (reservation: string) => {
    await service.after(1_000);
    await service.after(3_000);
    const { state, outcome } = (await uploads.find(db, reservation)) ?? {};
    return [state, outcome];
  };
  return { ...service, node, ended, s3: await connect(config, node, 60_000) };
}

const size = 100_000;
const cut = (url: string, length = size) => cutOff(url, { size: length, sent: length / 2, deadline: 60_000 });
const md5 = (text: string) => new Bun.CryptoHasher("md5").update(text).digest("base64");
const file = "x".repeat(size);

test("the test of a node finds it, and says what follows", async () => {
  const { node, storage } = await setUp();
  const named = await storage.nodes.find("versity");
  expect([node.probe?.cut, node.checkError]).toEqual(["listed", null]);
  const found = (await storage.nodes.capabilities({ ...node, kind: named?.kind ?? "managed" })).filter(
    ({ fix }) => fix,
  );
  expect(found.map(({ check, state }) => [check, state])).toContainEqual(["cut", "flawed"]);
  expect(found.find(({ check }) => check === "cut")?.fix?.action).toContain("Content-MD5");
});

test("a later test that fails earlier does not forget it", async () => {
  const { db, node, storage } = await setUp();
  await db.write(
    async (orm) => void (await orm.run(`update storage_nodes set access_key = 'other' where id = '${node.id}'`)),
  );
  expect((await storage.nodes.test(node)).error).toBe("bucket: InvalidAccessKeyId");
  expect((await storage.nodes.find("versity"))?.probe?.cut).toBe("listed");
});

test("a single PUT goes to another node, and is refused with the way out if there is none", async () => {
  const { embedded, db, grant, now, request } = await setUp();
  const answer = await request({ size });
  expect([answer.status, await answer.json()]).toMatchObject([
    507,
    {
      error: {
        code: "INSUFFICIENT_STORAGE",
        details: [{ field: "contentMd5", message: expect.stringContaining("multipart") }],
      },
    },
  ]);
  await activate(db, embedded.id, { actor: "test" }, now());
  expect((await grant({ size }))._meta.nodeId).toBe(embedded.id);
});

test("with its MD5, a single PUT is stored whole or not at all", async () => {
  const { ended, grant, node, storage } = await setUp();
  const { headers, uploadUrl, _meta } = await grant({ size, contentMd5: md5(file) });
  expect([_meta.nodeId, headers]).toEqual([node.id, { "Content-MD5": md5(file) }]);
  const put = (body: string, header: object | undefined = headers) =>
    fetch(uploadUrl, { method: "PUT", body, headers: { ...header } }).then(({ status }) => status);
  expect(await put(file, {})).toBe(403);
  expect(await put("y".repeat(size))).toBe(400);
  expect(await storage.status(_meta.reservationId)).toMatchObject({ missing: [1] });
  expect(await put(file)).toBe(200);
  expect(await ended(_meta.reservationId)).toEqual(["completed", null]);
});

test.each(["by the service", "by the client"])("an interrupted part is not published, completed %s", async (who) => {
  const { bytes, ended, grant, s3, storage } = await setUp();
  const { uploadUrl, _meta } = await grant({ size, multipart: true });
  await cut(uploadUrl);
  if (who === "by the client") await storage.complete(_meta.reservationId);
  expect(await ended(_meta.reservationId)).toEqual(["aborted", "damaged"]);
  expect(await Array.fromAsync(s3.objects("u/"))).toEqual([]);
  expect(await bytes("versity")).toEqual({ used: 0, reserved: 0 });
});

test("nor is it after a crash between completing it at the node and recording that", async () => {
  const { db, ended, grant, s3 } = await setUp();
  for (const isCut of [true, false]) {
    const { uploadUrl, _meta } = await grant({ size, multipart: true });
    if (isCut) await cut(uploadUrl);
    else await fetch(uploadUrl, { method: "PUT", body: file });
    const upload = await uploads.find(db, _meta.reservationId);
    if (!upload?.providerUploadId) throw new Error("The upload is not open");
    await uploads.startCompleting(db, upload, null);
    const { objectKey, providerUploadId } = upload;
    await s3.complete(objectKey, providerUploadId, (await s3.listParts(objectKey, providerUploadId)) ?? []);
    expect(await ended(_meta.reservationId)).toEqual(isCut ? ["aborted", "damaged"] : ["completed", null]);
  }
});

test("nor one that began before the node had been tested", async () => {
  const { ended, grant, node, storage } = await setUp({ isTested: false });
  const { uploadUrl, _meta } = await grant({ size });
  await cut(uploadUrl);
  await storage.nodes.test(node, false);
  expect(await ended(_meta.reservationId)).toEqual(["aborted", "damaged"]);
});

test("nor on a node that could not be tested when the service started", async () => {
  const { ended, grant } = await setUp({ isTested: false });
  const { uploadUrl, _meta } = await grant({ size });
  await cut(uploadUrl);
  expect(await ended(_meta.reservationId)).toEqual(["aborted", "damaged"]);
});

test("nor on one whose endpoint leads to another server than the one that was tested", async () => {
  const { db, embedded, ended, grant, node, now, storage } = await setUp({ isTested: false });
  const { endpoint, publicEndpoint } = node;
  const by = { actor: "test" };
  await storage.nodes.edit(node.id, { endpoint: embedded.endpoint, publicEndpoint: embedded.endpoint }, by);
  await saveProbe(db, node.id, { findings: { cut: "ok", etag: "ok" }, server: "MinIO" }, now());
  await storage.nodes.edit(node.id, { endpoint, publicEndpoint }, by);
  const { uploadUrl, _meta } = await grant({ size });
  await cut(uploadUrl);
  expect(await ended(_meta.reservationId)).toEqual(["aborted", "damaged"]);
});

test("whole files are published there, also those that end with zeros, and in several parts", async () => {
  const { ended, grant, storage } = await setUp();
  const total = smallPart + size;
  const bytes = new Uint8Array(total).fill(97);
  bytes.fill(0, smallPart - 10, smallPart);
  bytes.fill(0, total - 10);
  const { _meta } = await grant({ size: total, multipart: true });
  const signed = await storage.partUrls(_meta.reservationId, () => true);
  if (signed?.outcome !== "signed") throw new Error("There are no URLs");
  for (const { part, size: length, url } of signed.parts) {
    const start = (part - 1) * smallPart;
    expect((await fetch(url, { method: "PUT", body: bytes.slice(start, start + length) })).status).toBe(200);
  }
  expect(await ended(_meta.reservationId)).toEqual(["completed", null]);
});
