import { expect, test } from "bun:test";
import * as audit from "../../../db/audit";
import * as nodeEdits from "../../../db/storage/nodes/edit";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import { openStorage } from "..";
import { secretKeyOf } from "./access";
import { start } from "../../../test/support/storage/storage-pages";
import { embedForTests } from "../../../test/support/storage/storage";
import { look } from "../../../test/support/look";

const by = { actor: "test" };

test("a drained node accepts no new uploads and finishes those in progress", async () => {
  const { after, db, embedded, grant, now, put, request, state } = await start();
  const { uploadUrl, _meta } = await grant();
  await nodeEdits.drain(db, embedded.id, by, now());
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

test("a drained embedded node is disabled too once MINIO_* is set, and cannot be activated manually", async () => {
  const { config, db, embedded, log, now, storage } = await start();
  await nodeEdits.drain(db, embedded.id, by, now());
  const minio = { MINIO_ENDPOINT: "http://127.0.0.1:1", MINIO_ACCESS_KEY: "key", MINIO_SECRET_KEY: "secret" };
  await openStorage({ config: { ...config, ...minio }, db, log, now }).nodes.open();
  for (const verb of ["drain", "activate"] as const)
    expect(await nodeEdits[verb](db, embedded.id, by, now())).toMatchObject({ state: "down" });
  expect((await storage.nodes.find("embedded"))?.state).toBe("down");
});

test("a capacity is never reduced below what is reserved", async () => {
  const { bytes, config, db, grant, log, now, storage } = await start();
  await grant({ size: 1_000 });
  const embed: typeof embedForTests = async (...to) => ({ ...(await embedForTests(...to)), freeBytes: 10 });
  await openStorage({ config, db, log, now, embed }).nodes.open();
  expect(await storage.nodes.list()).toMatchObject([{ capacityBytes: 1_000 }]);
  expect(await bytes()).toEqual({ used: 0, reserved: 1_000 });
});

test("storage tests its nodes automatically at start-up", async () => {
  const { addNode, storage } = await start();
  const heard = Promise.withResolvers<void>();
  const server = Bun.serve({ port: 0, fetch: () => (heard.resolve(), new Response(null, { status: 403 })) });
  await addNode("other", `http://127.0.0.1:${server.port}`);
  await storage.start();
  await heard.promise;
  await storage.close();
  await server.stop(true);
});

test("a probe says check by check what a node can do, keeps that, and leaves nothing behind", async () => {
  const { addNode, embedded, s3, storage } = await start();
  const { findings, error, signedLength } = await storage.nodes.test(embedded);
  expect([error, signedLength]).toEqual([undefined, true]);
  expect(findings).toEqual({
    bucket: "ok",
    initiate: "ok",
    put: "ok",
    length: "ok",
    cut: expect.stringMatching(process.env.STORAGE_TEST_ENDPOINT ? /^(ok|listed)$/ : /^ok$/), // versitygw keeps it
    etag: "ok",
    "cors http://localhost:3000": "ok",
    list: "ok",
    complete: "ok",
    stat: "ok",
    delete: "ok",
    room: "ok",
    clock: expect.stringMatching(/^-?\d$/),
    milliseconds: expect.stringMatching(/^\d+$/),
    ...(findings.freeAt && { freeAt: expect.any(String) }), // where the server reports its free space
  });
  expect(await Array.fromAsync(s3.objects("probe/"))).toEqual([]);
  expect(await Array.fromAsync(s3.openUploads("probe/"))).toEqual([]);

  const dead = await addNode("dead", "http://127.0.0.1:1");
  expect(await storage.nodes.test(dead)).toEqual({
    findings: { bucket: "ECONNREFUSED" },
    error: "bucket: ECONNREFUSED",
    signedLength: undefined,
  });
  expect(await storage.nodes.list()).toMatchObject([
    { name: "dead", checkedAt: expect.any(Date), checkError: "bucket: ECONNREFUSED", signedLength: null },
    { name: "embedded", checkedAt: expect.any(Date), checkError: null, signedLength: true, probe: findings },
  ]);
});

test("wrong keys are called wrong: the secret key, or the access key", async () => {
  const { addNode, config, embedded, storage } = await start();
  const { accessKey, endpoint } = embedded;
  const secretKey = secretKeyOf(config, embedded);
  const found = async (name: string, keys: { accessKey: string; secretKey: string }) =>
    (await storage.nodes.test(await addNode(name, endpoint, keys))).error;
  expect(await found("one", { accessKey, secretKey: "not-this-one" })).toBe("bucket: SignatureDoesNotMatch");
  expect(await found("two", { accessKey: "not-this-one", secretKey })).toMatch(
    /^bucket: (InvalidAccessKeyId|XAdminUserNotFound)$/,
  );
  expect(await found("three", { accessKey, secretKey })).toBeUndefined();
});

// As MinIO, Ceph and others respond: an error has its code in the body, and HEAD has no body
test.each(["SignatureDoesNotMatch", "InvalidAccessKeyId", "RequestTimeTooSkewed", "AccessDenied"])(
  "a node that refuses with %s is told so, before and after it is added",
  async (code) => {
    const { addNode, storage } = await start();
    const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>No.</Message><BucketName>uploads</BucketName><RequestId>tx0000</RequestId><HostId>10b2-default-default</HostId></Error>`;
    const answer = ({ method }: Request) => new Response(method === "HEAD" ? null : xml, { status: 403 });
    using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
    const endpoint = `http://127.0.0.1:${server.port}`;
    const node = await addNode("strict", endpoint);
    expect((await storage.nodes.test(node)).findings).toEqual({ bucket: code });
    const fresh = { ...node, name: "fresh", secretKey: "secret" };
    expect((await storage.nodes.tryOut(fresh)).error).toBe(`bucket: ${code}`);
    expect(await storage.nodes.find("fresh")).toBeUndefined();
  },
);

test("a pause that a wrong clock began ends when the clock is right", async () => {
  const { addNode, clock, get, request } = await start();
  await addNode("second", "http://127.0.0.1:1");
  const storageCheck = async () =>
    ((await (await get("/readyz")).json()) as { checks: { storage: { detail?: string } } }).checks.storage.detail;
  clock.time += 3_600_000;
  for (let i = 0; i < 3; i++) await request();
  expect(await storageCheck()).toBe("1 of 2 nodes paused");
  clock.time -= 3_600_000;
  expect(await storageCheck()).toBeUndefined();
});

test("three failures are a minute of rest, then a probe brings the node back, and both are noted", async () => {
  const { addNode, clock, db, embedded, request, storage } = await start();
  const { id } = await addNode("second", "http://127.0.0.1:1");
  const node = async () => (await storageNodes.find(db, id)) ?? embedded;
  for (let i = 0; i < 3; i++) await request();
  expect((await node()).downUntil?.getTime()).toBe(clock.time + 60_000);

  clock.time += 59_999;
  await storage.nodes.revive();
  expect((await node()).checkedAt).toBeNull();
  clock.time += 1;
  await storage.nodes.revive(); // still failing: paused for another minute
  expect((await node()).downUntil?.getTime()).toBe(clock.time + 60_000);

  const { endpoint, accessKey, secret } = embedded;
  await look(
    db,
    "update storage_nodes set endpoint = ?, public_endpoint = ?, access_key = ?, secret = ? where id = ?",
    [endpoint, endpoint, accessKey, secret, id],
  );
  clock.time += 60_000;
  await storage.nodes.revive();
  expect(await node()).toMatchObject({ failures: 0, downUntil: null, checkError: null });
  const { events } = await audit.list(db, { group: "storage-node" }, { page: 1, per: 10 });
  expect(events.map(({ actor, action, target, details }) => [actor, action, target, details])).toEqual([
    ["system", "storage-node.return", "second", {}],
    ["system", "storage-node.rest", "second", { because: "ECONNREFUSED" }],
    ["test", "storage-node.add", "second", { endpoint: "http://127.0.0.1:1", bucket: embedded.bucket }],
  ]);
});

test("uploads go where most room is, and only where they fit", async () => {
  const { bytes, db, embedded, grant, request } = await start();
  const { region, bucket, accessKey, secret, maxPutBytes, endpoint, publicEndpoint, capacityBytes } = embedded;
  const same = { region, bucket, accessKey, secret, maxPutBytes, endpoint, publicEndpoint };
  await storageNodes.register(db, { ...same, name: "a", capacityBytes: capacityBytes + 1_000 });
  await storageNodes.register(db, { ...same, name: "b", capacityBytes: capacityBytes + 1_500 });
  const reserved = () => Promise.all(["a", "b", "embedded"].map(async (name) => (await bytes(name)).reserved));
  await grant({ size: 1_000 });
  expect(await reserved()).toEqual([0, 1_000, 0]);
  await grant({ size: 1_000 });
  expect(await reserved()).toEqual([1_000, 1_000, 0]);
  const multipart = true; // some servers are used for nothing else, once they are tested
  expect((await request({ size: capacityBytes + 501, multipart })).status).toBe(507);
  expect((await request({ size: capacityBytes + 500, multipart })).status).toBe(200);
  expect(await reserved()).toEqual([1_000, capacityBytes + 1_500, 0]);
});

test("a node's secret is sealed in the database and never shown", async () => {
  const { addNode, storage } = await start();
  const { secret } = await addNode("other", "http://127.0.0.1:1");
  expect(secret).not.toContain("secret");
  expect(JSON.stringify(await storage.nodes.list())).not.toMatch(/accessKey|secret/);
  const again = { ...(await addNode("third", "http://127.0.0.1:1")), secretKey: "x" };
  for (const name of ["other", "default", "embedded"])
    expect(await storage.nodes.add({ ...again, name }, by)).toBeUndefined();
});
