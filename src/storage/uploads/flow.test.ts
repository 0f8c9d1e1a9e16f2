import { expect, test } from "bun:test";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import * as uploads from "../../../db/storage/uploads";
import { listUploads } from "../../../test/support/storage/upload-rows";
import { testService } from "../../../test/support/service";
import { openStorage } from "..";
import { file, start } from "../../../test/support/storage/storage-pages";
import { embedForTests } from "../../../test/support/storage/storage";
import { look } from "../../../test/support/look";

test("POST, PUT, and the object is there without a further call", async () => {
  const { after, bytes, db, grant, put, state, storage } = await start();
  const { uploadUrl, _meta } = await grant({ folderPath: "photos/2026" });
  expect(await bytes()).toEqual({ used: 0, reserved: 5 });
  expect((await put(uploadUrl)).status).toBe(200);
  await after(1_000);
  expect(await state(_meta.reservationId)).toBe("open");
  await after(3_000);
  expect(await state(_meta.reservationId)).toBe("completed");
  expect(await bytes()).toEqual({ used: 5, reserved: 0 });

  const back = await fetch((await storage.downloadUrl(_meta.reservationId)) ?? "");
  expect([await back.text(), back.headers.get("content-type")]).toEqual(["12345", "text/plain"]);
  expect(await listUploads(db)).toMatchObject([{ folder: "photos/2026", node: "embedded", upload: file }]);
});

test("a client that lost the response may repeat its PUT for three seconds", async () => {
  const { after, grant, put, state } = await start();
  const { uploadUrl, _meta } = await grant();
  await put(uploadUrl, "first");
  await after(1_000);
  await after(2_900);
  expect((await put(uploadUrl)).status).toBe(200);
  await after(3_000);
  expect(await state(_meta.reservationId)).toBe("completed");
  expect((await put(uploadUrl)).status).toBe(404);
});

test("an upload without bytes is aborted when it expires, and its space is freed", async () => {
  const { after, bytes, grant, outcome, put, state } = await start();
  const { uploadUrl, _meta } = await grant();
  await after(74 * 60_000);
  expect([await state(_meta.reservationId), await bytes()]).toEqual(["open", { used: 0, reserved: 5 }]);
  await after(60_000);
  expect([await state(_meta.reservationId), await bytes()]).toEqual(["aborted", { used: 0, reserved: 0 }]);
  expect(await outcome(_meta.reservationId)).toBe("expired");
  expect((await put(uploadUrl)).status).toBe(404);
});

test("a large file has longer, but not longer than the provider keeps it", async () => {
  const { db, embedded, grant, now } = await start();
  const minutes = async (size: number) => {
    const { _meta } = await grant({ size });
    const hold = (await uploads.find(db, _meta.reservationId))?.holdUntil.getTime() ?? 0;
    return (hold - now().getTime()) / 60_000;
  };
  expect([await minutes(0), await minutes(4.5e9), await minutes(5e9)]).toEqual([75, 75, 60 + 5e9 / 5e6 / 60]);
  await look(db, "update storage_nodes set stale_upload_hours = 1 where id = ?", [embedded.id]);
  expect(await minutes(0)).toBe(60);
});

test("an object that is removed behind our back is noticed", async () => {
  const { after, bytes, db, grant, outcome, s3, state } = await start();
  const { _meta } = await grant();
  const upload = await uploads.find(db, _meta.reservationId);
  await s3.abort(upload?.objectKey ?? "", upload?.providerUploadId ?? "");
  await after(1_000);
  expect([await state(_meta.reservationId), await outcome(_meta.reservationId)]).toEqual(["aborted", "vanished"]);
  expect(await bytes()).toEqual({ used: 0, reserved: 0 });
});

test("an upload with more bytes than reserved, if the node accepted them, is aborted", async () => {
  const { after, bytes, db, grant, outcome, s3, state } = await start();
  const { _meta } = await grant();
  const upload = await uploads.find(db, _meta.reservationId);
  await fetch(s3.uploadUrl(upload?.objectKey ?? "", upload?.providerUploadId ?? "", 6), {
    method: "PUT",
    body: "123456",
  });
  await after(1_000);
  expect([await state(_meta.reservationId), await outcome(_meta.reservationId)]).toEqual([
    "aborted",
    "larger than reserved",
  ]);
  expect(await bytes()).toEqual({ used: 0, reserved: 0 });
});

test("many concurrent sweepers move the bytes once", async () => {
  const { after, bytes, clock, config, db, grant, log, now, put, state } = await start();
  const { uploadUrl, _meta } = await grant();
  await put(uploadUrl);
  await after(1_000);
  clock.time += 3_000;
  const rivals = Array.from({ length: 8 }, () => openStorage({ config, db, log, now, embed: embedForTests }));
  await Promise.all(rivals.map(({ status }) => status(_meta.reservationId)));
  clock.time += 3_000;
  await Promise.all(rivals.map(({ status }) => status(_meta.reservationId)));
  expect([await state(_meta.reservationId), await bytes()]).toEqual(["completed", { used: 5, reserved: 0 }]);
});

test("URLs are made for the public endpoint, and a bucket that is not there is made", async () => {
  const { config, db, log, now } = await testService();
  const { endpoint, accessKey, secretKey } = await embedForTests(config, log);
  const storage = openStorage({
    config: {
      ...config,
      MINIO_ENDPOINT: endpoint,
      MINIO_PUBLIC_ENDPOINT: "https://files.example",
      MINIO_BUCKET: "not-there-yet",
      MINIO_ACCESS_KEY: accessKey,
      MINIO_SECRET_KEY: secretKey,
      MINIO_CAPACITY: 1e9,
    },
    db,
    log,
    now,
  });
  const grant = await storage.reserve({ ...file, folderPath: "" });
  expect(grant).toMatchObject({ uploadUrl: expect.stringMatching(/^https:\/\/files\.example\/not-there-yet\/u\//) });
  expect(await storage.nodes.list()).toMatchObject([{ name: "default", capacityBytes: 1e9, reservedBytes: 5 }]);
});

test("no signature is ever logged", async () => {
  const { after, grant, logged, put } = await start();
  const { uploadUrl } = await grant();
  await put(uploadUrl);
  await after(1_000);
  await after(3_000);
  expect(logged.length).toBeGreaterThan(0);
  expect(JSON.stringify(logged)).not.toMatch(/Signature|X-Amz/i);
});

test("a day of the clock is enough for everything to be settled", async () => {
  const { after, bytes, db, grant } = await start();
  for (let i = 0; i < 20; i++) await grant({ size: i * 1e6 });
  await after(24 * 3_600_000);
  expect(await bytes()).toEqual({ used: 0, reserved: 0 });
  expect((await listUploads(db)).every(({ upload }) => upload.state === "aborted")).toBe(true);
  expect(await storageNodes.imbalances(db)).toEqual([]);
});

test("a round that is stopped finishes what it has started, and starts nothing else", async () => {
  const { after, db, embedded, grant, nodeAt, storage } = await start();
  const [isBusy, isStopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const looks: string[] = [];
  const slow = Bun.serve({
    port: 0,
    async fetch({ url, method, headers, body }) {
      const { pathname, search } = new URL(url);
      if (method === "GET" && looks.push(search) === 8) isBusy.resolve();
      if (method === "GET") await isStopped.promise;
      return fetch(embedded.endpoint + pathname + search, { method, headers, body });
    },
  });
  await nodeAt("slow", `http://127.0.0.1:${slow.port}`);
  for (let i = 0; i < 20; i++) await grant();
  looks.length = 0;
  const round = after(1_000);
  await isBusy.promise;
  const closed = storage.close();
  isStopped.resolve();
  await Promise.all([round, closed]);
  expect([looks.length, (await listUploads(db)).length]).toEqual([8, 20]);
  await slow.stop(true);
});
