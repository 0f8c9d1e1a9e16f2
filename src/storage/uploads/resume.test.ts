import { expect, test } from "bun:test";
import { uploads as uploadRows } from "../../../db/schema/storage";
import * as uploads from "../../../db/storage/uploads";
import { openStorage } from "..";
import { start } from "../../../test/support/storage/storage-pages";
import type { PartUrl } from "./resume";
import type { Step } from "./plan";
import { embedForTests, smallPart } from "../../../test/support/storage/storage";
import { look } from "../../../test/support/look";

const [hour, minute] = [3_600_000, 60_000];
const size = 2 * smallPart + 1_000;
const all = () => true;

/** An upload of three parts, and functions to send them. */
async function inParts(multipart = true) {
  const setup = await start();
  const grant = await setup.grant({ size, multipart });
  const id = grant._meta.reservationId;
  const urls = async (isWanted: (part: number) => boolean = all) => {
    const signed = await setup.storage.partUrls(id, isWanted);
    if (signed?.outcome !== "signed") throw new Error(signed?.outcome);
    return signed.parts;
  };
  const send = ({ url, size, part }: PartUrl) => fetch(url, { method: "PUT", body: new Uint8Array(size).fill(part) });
  const row = async () => {
    const found = await uploads.find(setup.db, id);
    if (!found) throw new Error("There is no such upload");
    return found;
  };
  const held = async () => Math.round(((await row()).holdUntil.getTime() - setup.clock.time) / minute);
  const second = () => (setup.clock.time += 1_000);
  return { ...setup, grant, held, id, row, second, send, urls };
}

test("a file is sent in parts, and becomes one file when the last has arrived", async () => {
  const { after, bytes, grant, id, send, state, storage, urls } = await inParts();
  expect(grant).toMatchObject({ partSize: smallPart, partCount: 3 });
  const [one, two, three, ...more] = await urls();
  expect([one?.size, two?.size, three?.size, more.length]).toEqual([smallPart, smallPart, 1_000, 0]);
  for (const part of [three, one, two]) if (part) expect((await send(part)).status).toBe(200);
  await after(1_000);
  await after(3_000);
  expect([await state(id), await bytes()]).toEqual(["completed", { used: size, reserved: 0 }]);
  const whole = new Uint8Array(await (await fetch((await storage.downloadUrl(id)) ?? "")).arrayBuffer());
  expect([whole.length, whole[0], whole[smallPart], whole[size - 1]]).toEqual([size, 1, 2, 3]);
});

test("the URL of the grant is that of the first part", async () => {
  const { grant, id, second, send, storage } = await inParts();
  await send({ part: 1, size: smallPart, url: grant.uploadUrl });
  second();
  expect(await storage.status(id)).toMatchObject({ parts: [1], missing: [2, 3], received: smallPart });
});

test("only missing parts get URLs, and a URL accepts exactly its part's bytes", async () => {
  const { second, send, urls } = await inParts();
  const [one, two] = await urls();
  if (!one || !two) throw new Error("no URLs");
  expect((await send({ ...two, size: two.size - 1 })).status).toBe(403);
  expect((await send({ ...one, url: one.url.replace("partNumber=1", "partNumber=2") })).status).toBe(403);
  await send(two);
  second();
  expect((await urls()).map(({ part }) => part)).toEqual([1, 3]);
  expect((await urls((part) => part > 1)).map(({ part }) => part)).toEqual([3]);
});

test("an upload of one PUT becomes one of parts at the first call, and its URL dies", async () => {
  const { bytes, embedded, grant, id, put, row, s3, storage, urls } = await inParts(false);
  const { objectKey, providerUploadId: before } = await row();
  expect(await storage.status(id)).toMatchObject({ mode: "put", partCount: 1, missing: [1] });
  expect(await urls()).toHaveLength(3);
  expect((await put(grant.uploadUrl, "x".repeat(size))).status).toBe(404);
  expect(await storage.status(id)).toMatchObject({
    mode: "multipart",
    partCount: 3,
    missing: [1, 2, 3],
    state: "open",
  });
  expect(await s3.listParts(objectKey, before ?? "")).toBeUndefined();
  expect(await s3.findUploadId(objectKey)).toBe((await row()).providerUploadId ?? "");
  expect(await bytes(embedded.name)).toEqual({ used: 0, reserved: size });
});

test("a single PUT that becomes parts is aborted at the provider before another upload is opened", async () => {
  const { embedded, grant, nodeAt, storage } = await start();
  const calls: string[] = [];
  const relay = Bun.serve({
    port: 0,
    fetch({ url, method, headers, body }) {
      const { pathname, search } = new URL(url);
      if (search.startsWith("?uploads") && method === "POST") calls.push("open");
      if (search.startsWith("?uploadId=") && method === "DELETE") calls.push("abort");
      return fetch(embedded.endpoint + pathname + search, { method, headers, body });
    },
  });
  await nodeAt("relay", `http://127.0.0.1:${relay.port}`);
  const { _meta: reservation } = await grant({ size });
  expect(calls).toEqual(["open"]);
  expect(await storage.partUrls(reservation.reservationId, all)).toMatchObject({ outcome: "signed", partCount: 3 });
  expect(calls).toEqual(["open", "abort", "open"]);
  await relay.stop(true);
});

test("many simultaneous first calls open one upload", async () => {
  const { row, s3, urls } = await inParts(false);
  const answers = await Promise.all(Array.from({ length: 8 }, () => urls()));
  expect(answers.every((parts) => parts.length === 3)).toBe(true);
  const { objectKey, providerUploadId } = await row();
  expect(await s3.findUploadId(objectKey)).toBe(providerUploadId ?? "");
  await s3.abort(objectKey, providerUploadId ?? "");
  expect(await s3.findUploadId(objectKey)).toBeUndefined();
});

test("an upload that is only being reserved is not opened a second time for who finds it in the list", async () => {
  const { db, embedded, key, nodeAt, post, put, request, state } = await start();
  const [asked, isSeen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = Bun.serve({
    port: 0,
    async fetch({ url, method, headers, body }) {
      const { pathname, search } = new URL(url);
      if (search.startsWith("?uploads")) asked.resolve();
      if (search.startsWith("?uploads") && method === "POST") await isSeen.promise;
      return fetch(embedded.endpoint + pathname + search, { method, headers, body });
    },
  });
  await nodeAt("slow", `http://127.0.0.1:${slow.port}`);
  const answer = request({ multipart: true });
  await asked.promise;
  const id = (await db.read((orm) => orm.select().from(uploadRows).get()))?.id ?? "";
  expect((await post(`/api/v1/storage/uploads/${id}/parts`, {}, key)).status).toBe(409);
  isSeen.resolve();
  const { data } = (await (await answer).json()) as { data: { uploadUrl: string } };
  expect([(await put(data.uploadUrl)).status, await state(id)]).toEqual([200, "open"]);
  await slow.stop(true);
});

test("a complete PUT is not discarded for a multipart upload", async () => {
  const { grant, id, put, second, storage, urls } = await inParts(false);
  await storage.status(id);
  await put(grant.uploadUrl, "x".repeat(size)); // within a second of that check
  await urls();
  second();
  expect(await urls()).toEqual([]);
  expect(await storage.complete(id)).toEqual({ outcome: "completed" });
});

test("completing reports what is missing, does not wait, and may be repeated", async () => {
  const { bytes, id, send, storage, urls } = await inParts();
  const [one, two, three] = await urls();
  if (!one || !two || !three) throw new Error("no URLs");
  await send(two);
  expect(await storage.complete(id)).toEqual({ outcome: "missing", missing: [1, 3] });
  await Promise.all([send(one), send(three)]);
  const answers = await Promise.all(Array.from({ length: 8 }, () => storage.complete(id)));
  expect(answers).toEqual(Array(8).fill({ outcome: "completed" }));
  expect(await storage.complete(id)).toEqual({ outcome: "completed" });
  expect(await bytes()).toEqual({ used: size, reserved: 0 });
});

test("an upload that is being completed or aborted gets no more URLs", async () => {
  const { db, id, storage } = await inParts();
  for (const state of ["completing", "aborting"] as const) {
    await look(db, "update uploads set state = ? where id = ?", [state, id]);
    expect(await storage.partUrls(id, all)).toEqual({ outcome: "closed", state });
  }
});

test("aborting frees the bytes and invalidates the URLs; a complete file stays", async () => {
  const { bytes, grant, id, outcome, put, send, storage, urls } = await inParts();
  const [one] = await urls();
  expect(await storage.abort(id)).toEqual({ outcome: "aborted" });
  expect(await storage.abort(id)).toEqual({ outcome: "aborted" });
  expect([await outcome(id), await bytes()]).toEqual(["aborted by the client", { used: 0, reserved: 0 }]);
  if (one) expect((await send(one)).status).toBe(404);
  expect(await storage.partUrls(id, all)).toEqual({ outcome: "closed", state: "aborted" });
  expect(await storage.renewUrl(id)).toEqual({ outcome: "closed", state: "aborted" });
  expect(await storage.complete(id)).toEqual({ outcome: "closed", state: "aborted" });

  const other = await storage.reserve({ filename: "b", mimeType: "text/plain", size: 5, folderPath: "" });
  if (typeof other === "string") throw new Error("full");
  await put(other.uploadUrl);
  expect(await storage.abort(other._meta.reservationId)).toEqual({ outcome: "aborted" }); // not claimed yet
  await put(grant.uploadUrl);
  expect(await bytes()).toEqual({ used: 0, reserved: 0 });
});

test("a complete upload cannot be aborted", async () => {
  const { bytes, grant, put, storage } = await start();
  const { uploadUrl, _meta } = await grant();
  await put(uploadUrl);
  await storage.complete(_meta.reservationId);
  expect(await storage.abort(_meta.reservationId)).toEqual({ outcome: "completed" });
  expect(await bytes()).toEqual({ used: 5, reserved: 0 });
});

test("a new URL is for a single PUT, is valid for another hour, and keeps the upload open", async () => {
  const { clock, grant, held, id, put, row, storage } = await inParts(false);
  clock.time += 70 * minute;
  const fresh = await storage.renewUrl(id);
  if (fresh?.outcome !== "signed") throw new Error(fresh?.outcome);
  expect([(await row()).urlExpiresAt?.getTime(), await held()]).toEqual([clock.time + hour, 75]);
  expect(fresh.grant).toEqual({ ...grant, uploadUrl: expect.any(String) });
  const { uploadUrl } = fresh.grant;
  expect((await put(uploadUrl, "x".repeat(size))).status).toBe(200);
  expect(uploadUrl.split("X-Amz-Date")[0]).toBe(grant.uploadUrl.split("X-Amz-Date")[0] ?? "");

  const parts = await inParts();
  expect(await parts.storage.renewUrl(parts.id)).toEqual({ outcome: "multipart" });
});

test("progress extends the time, a standstill does not, and the node's own limit stays", async () => {
  const { after, db, embedded, held, send, state, id, urls } = await inParts();
  const [one, two] = await urls();
  await after(60 * minute);
  expect(await held()).toBe(15);
  if (one) await send(one);
  await after(minute);
  expect(await held()).toBe(75);
  await after(60 * minute);
  expect(await held()).toBe(15); // nothing new
  await look(db, "update storage_nodes set stale_upload_hours = 3 where id = ?", [embedded.id]);
  if (two) await send(two);
  await after(minute);
  expect(await held()).toBe(180 - 122);
  await after(58 * minute);
  expect(await state(id)).toBe("aborted");
});

test("a node that accepts less in one PUT than the file's size gets it in parts", async () => {
  const { db, grant, request } = await start();
  await grant(); // from now on the node stays as it is
  await look(db, "update storage_nodes set max_put_bytes = ?", [smallPart]);
  expect((await request({ size })).status).toBe(507);
  expect(await grant({ size, multipart: true })).toMatchObject({ partSize: smallPart, partCount: 3 });
});

test("while a provider fails nothing changes, and the upload continues when it is back", async () => {
  const { bytes, clock, db, embedded, id, row, second, send, storage, urls } = await inParts(false);
  const moveTo = async (endpoint: string) => {
    clock.time += minute; // it may be paused after failures
    await look(db, "update storage_nodes set endpoint = ?, public_endpoint = ?", [endpoint, endpoint]);
  };
  await moveTo("http://127.0.0.1:1");
  expect(await storage.partUrls(id, all)).toEqual({ outcome: "unavailable" });
  expect(await storage.complete(id)).toEqual({ outcome: "unavailable" });
  expect(await storage.status(id)).toBe("unknown");
  expect(await row()).toMatchObject({ state: "open", partSize: null, received: 0 });
  await moveTo(embedded.endpoint);
  const [one] = await urls();
  if (one) await send(one);
  await moveTo("http://127.0.0.1:1");
  expect(await storage.status(id)).toBe("unknown");
  expect(await row()).toMatchObject({ state: "open", partSize: smallPart });
  expect(await storage.abort(id)).toEqual({ outcome: "aborting" });
  expect(await bytes()).toEqual({ used: 0, reserved: size });
  await moveTo(embedded.endpoint);
  second();
  await storage.sweep();
  expect([(await row()).state, await bytes()]).toEqual(["aborted", { used: 0, reserved: 0 }]);
});

test.each<Step>(["reopening", "aborted at the provider", "initiated"])(
  "a change to parts that fails after %p is gone through again by the next call",
  async (fatal) => {
    const { config, db, grant, id, log, now, put, row, s3, storage } = await inParts(false);
    const failing = openStorage({
      ...{ config, db, log, now, embed: embedForTests, part: smallPart },
      at: (step) => {
        if (step === fatal) throw new Error("The provider has gone");
      },
    });
    expect(await failing.partUrls(id, all)).toEqual({ outcome: "unavailable" });
    expect(await row()).toMatchObject({ state: "pending", partSize: smallPart });
    expect(await storage.status(id)).toMatchObject({ state: "pending", missing: [1, 2, 3] });
    expect(await storage.partUrls(id, all)).toMatchObject({ outcome: "signed", partCount: 3 });
    expect((await put(grant.uploadUrl, "x".repeat(size))).status).toBe(404);
    const { objectKey, providerUploadId } = await row();
    await s3.abort(objectKey, providerUploadId ?? "");
    expect(await s3.findUploadId(objectKey)).toBeUndefined(); // there was only one
  },
);

test("there is nothing to say of an upload that is not there", async () => {
  const { storage } = await start();
  expect(await storage.status("x")).toBeUndefined();
  expect(await storage.partUrls("x", all)).toBeUndefined();
  expect(await storage.renewUrl("x")).toBeUndefined();
  expect(await storage.complete("x")).toBeUndefined();
  expect(await storage.abort("x")).toBeUndefined();
});

test("while the node is silent, the status is 503 and there are no URLs: sent parts are never called missing", async () => {
  const { config, db, get, grant, id, key, log, nodeNamed, now, post, second, send, storage } = await inParts();
  const restarted = () => openStorage({ config, db, log, now, embed: embedForTests, part: smallPart });
  await send({ part: 1, size: smallPart, url: grant.uploadUrl });
  second();
  const path = `/api/v1/storage/uploads/${id}`;
  const known = await get(path, key);
  expect([known.status, await known.json()]).toMatchObject([200, { data: { parts: [1], missing: [2, 3] } }]);

  const { endpoint, id: nodeId } = await nodeNamed("embedded");
  const at = (url: string) => look(db, "update storage_nodes set endpoint = ? where id = ?", [url, nodeId]);
  await at("http://127.0.0.1:1");
  for (const wait of [second, () => undefined]) {
    wait();
    const answer = await get(path, key);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "10"]);
    expect(await answer.json()).toMatchObject({ success: false, data: null, error: { code: "UPLOAD_FAILED" } });
    expect((await post(`${path}/parts`, {}, key)).status).toBe(502);
  }
  expect(await restarted().status(id)).toBe("unknown"); // nor does another process know, or one that was started again
  await at(endpoint);
  second();
  expect(await storage.status(id)).toMatchObject({ parts: [1], missing: [2, 3], received: smallPart });
  expect(await restarted().status(id)).toMatchObject({ parts: [1], missing: [2, 3] });
});

test("while the node is being asked, nobody is told what it said before", async () => {
  const { after, db, embedded, get, grant, id, key, second, send, storage } = await inParts();
  second();
  expect(await storage.status(id)).toMatchObject({ parts: [], missing: [1, 2, 3] });
  await send({ part: 1, size: smallPart, url: grant.uploadUrl });
  const [asked, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = Bun.serve({
    port: 0,
    async fetch({ url, method, headers, body }) {
      asked.resolve();
      await mayAnswer.promise;
      const { pathname, search } = new URL(url);
      return fetch(embedded.endpoint + pathname + search, { method, headers, body });
    },
  });
  await look(db, "update storage_nodes set endpoint = ? where id = ?", [`http://127.0.0.1:${slow.port}`, embedded.id]);
  const swept = after(1_000);
  await asked.promise;
  const told = get(`/api/v1/storage/uploads/${id}`, key);
  for (let n = 0; n < 5; n++) await get("/api/v1/storage/uploads", key); // answered after it, had it not waited
  mayAnswer.resolve();
  expect(await (await told).json()).toMatchObject({ data: { parts: [1], missing: [2, 3] } });
  await swept;
  await slow.stop(true);
});

test("what is certain without the node is still told while it is silent: an upload that has ended", async () => {
  const { db, get, grant, id, key, nodeNamed, second, send, storage, urls } = await inParts();
  for (const part of await urls()) await send(part);
  second();
  await storage.complete(id);
  await look(db, "update storage_nodes set endpoint = ? where id = ?", [
    "http://127.0.0.1:1",
    (await nodeNamed("embedded")).id,
  ]);
  const answer = await get(`/api/v1/storage/uploads/${grant._meta.reservationId}`, key);
  expect([answer.status, await answer.json()]).toMatchObject([200, { data: { state: "completed", missing: [] } }]);
});
