import { afterAll, expect, test } from "bun:test";
import { openDb } from "../../db/open";
import { drain } from "../../db/storage/nodes/edit";
import * as reservations from "../../db/storage/reservations";
import { openStorage } from "../../src/storage";
import type { PartUrl } from "../../src/storage/uploads/resume";
import { embedForTests, smallPart } from "../support/storage/storage";
import { start } from "../support/storage/storage-pages";
import { listUploads, uploadOf } from "../support/storage/upload-rows";

/*
 * Two processes at the same upload. What one of them does happens at an exact moment of the other: just before or after
 * one of its requests to the node.
 */

const closing: (() => unknown)[] = [];
afterAll(() => closing.forEach((close) => close()));

const size = smallPart + 1_000;
const all = () => true;
const listing = /^GET .*uploadId=/;

/** A response returned by `before` is instead of the node's. */
type Moment = { request: RegExp; before?: () => unknown; after?: () => unknown };

/** The node at another address. What is in `moments` happens once each, in order. */
function interruptedNode(target: string) {
  const moments: Moment[] = [];
  const proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch({ url, method, headers, body }) {
      const { pathname, search } = new URL(url);
      const moment = moments[0]?.request.test(`${method} ${search}`) ? moments.shift() : undefined;
      const instead = await moment?.before?.();
      if (instead instanceof Response) return instead;
      const answer = await fetch(target + pathname + search, { method, headers, body });
      const bytes = await answer.bytes();
      await moment?.after?.();
      return new Response(bytes, answer);
    },
  });
  closing.push(() => proxy.stop(true));
  return { endpoint: `http://127.0.0.1:${proxy.port}`, moments };
}

/** Two processes, and a node on which both can be interrupted. */
async function twoProcesses() {
  const service = await start("upload-races");
  const { config, embedded, log, nodeAt, now } = service;
  const { endpoint, moments } = interruptedNode(embedded.endpoint);
  await nodeAt("interrupted", endpoint);
  const db = await openDb("upload-races");
  const process = { config, log, now, embed: embedForTests, part: smallPart };
  return {
    ...service,
    moments,
    first: service.storage,
    second: openStorage({ ...process, db }),
    /** The first process, which dies before it opens anything at the node. */
    dying: openStorage({
      ...{ ...process, db: service.db },
      at: (step) => {
        if (step === "reserved" || step === "reopening") throw new Error("It was killed");
      },
    }),
  };
}
type Storage = Awaited<ReturnType<typeof twoProcesses>>["first"];

/** A single PUT that would be two parts, as yet without a byte, and ways to convert it and to finish it. */
async function singlePut(bytesToSend = size) {
  const service = await twoProcesses();
  const { bytes, clock, db, grant, s3 } = service;
  const { uploadUrl, _meta } = await grant({ size: bytesToSend });
  const id = _meta.reservationId;
  clock.time += 1_000;
  return {
    ...service,
    id,
    uploadUrl,
    urls: async (storage: Storage) => {
      const signed = await storage.partUrls(id, all);
      if (signed?.outcome !== "signed") throw new Error(signed?.outcome);
      return signed.parts;
    },
    /** Sends the parts and completes the upload: nothing else of it is left at the node. */
    finish: async (parts: PartUrl[], storage: Storage) => {
      for (const part of parts)
        expect((await fetch(part.url, { method: "PUT", body: new Uint8Array(part.size) })).status).toBe(200);
      const { objectKey, providerUploadId } = await uploadOf(db, id);
      const open = (await Array.fromAsync(s3.openUploads(objectKey))).map(({ uploadId }) => uploadId);
      expect(open).toEqual([providerUploadId ?? ""]);
      clock.time += 1_000;
      expect(await storage.complete(id)).toEqual({ outcome: "completed" });
      expect(await bytes("interrupted")).toEqual({ used: size, reserved: 0 });
    },
  };
}

test("an upload being converted to parts is not aborted by a process that finds the previous one gone", async () => {
  const { finish, first, id, moments, second, urls } = await singlePut();
  const parts: PartUrl[] = [];
  moments.push({ request: listing, before: async () => void parts.push(...(await urls(first))) });
  expect(await second.status(id)).toMatchObject({ state: "open", mode: "multipart" });
  expect(parts).toHaveLength(2);
  await finish(parts, second);
});

test("two processes that convert the same upload give URLs of the same one", async () => {
  const { finish, first, moments, second, urls } = await singlePut();
  const parts: PartUrl[] = [];
  moments.push(
    { request: listing }, // it looks,
    { request: listing, after: async () => void parts.push(...(await urls(second))) }, // and looks again before it converts
  );
  const mine = await urls(first);
  expect([mine.length, parts.length]).toEqual([2, 2]);
  await finish([...mine.slice(1), ...parts.slice(0, 1)], first);
});

test("two processes that finish what a third has begun to convert leave one upload, which stays open", async () => {
  const { dying, finish, first, id, moments, second, urls } = await singlePut();
  expect(await dying.partUrls(id, all)).toEqual({ outcome: "unavailable" });
  const parts: PartUrl[] = [];
  moments.push({ request: /./, before: async () => void parts.push(...(await urls(first))) });
  const mine = await urls(second);
  expect([mine.length, parts.length]).toEqual([2, 2]);
  await finish([...mine.slice(1), ...parts.slice(0, 1)], second);
});

test("bytes that one process sees and another no longer waits for do not complete the upload", async () => {
  const { finish, first, id, moments, put, second, uploadUrl, urls } = await singlePut();
  const [hasSeen, isConverted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let completing: ReturnType<Storage["complete"]> | undefined;
  await first.status(id);
  moments.push(
    {
      request: listing,
      after: async () => {
        expect((await put(uploadUrl, "x".repeat(size))).status).toBe(200);
        completing = second.complete(id);
        await hasSeen.promise;
      },
    },
    { request: listing, after: () => (hasSeen.resolve(), isConverted.promise) },
  );
  const parts = await urls(first);
  isConverted.resolve();
  expect(await completing).toMatchObject({ outcome: "missing" });
  await finish(parts, second);
});

test("a completion finds all parts, although another process sees them first", async () => {
  const { clock, first, id, moments, second, urls } = await singlePut();
  for (const part of await urls(second)) await fetch(part.url, { method: "PUT", body: new Uint8Array(part.size) });
  clock.time += 60_000;
  moments.push({ request: listing, after: () => first.status(id) });
  expect(await second.complete(id)).toEqual({ outcome: "completed" });
  expect(moments).toEqual([]);
});

test("an upload that has just got a fresh URL from another process does not expire", async () => {
  const { clock, first, id, moments, put, second, state } = await singlePut(0); // with bytes, the node would be suspected
  clock.time += 75 * 60_000;
  let url = "";
  const extend = async () => {
    const fresh = await first.renewUrl(id);
    url = fresh?.outcome === "signed" ? fresh.grant.uploadUrl : "";
  };
  moments.push({ request: listing, after: extend });
  await second.sweep();
  expect(await state(id)).toBe("open");
  expect((await put(url, "")).status).toBe(200);
});

const wanted = { filename: "a.txt", mimeType: "text/plain", size: 5, folderPath: "" };
const repeatable = { key: "k", fingerprint: "f" };
type Granted = Awaited<ReturnType<Storage["reserveOnce"]>>;

/** There is one reservation, opened once at the node, and every URL is for it. */
async function expectOne({ bytes, db, put, s3 }: Awaited<ReturnType<typeof twoProcesses>>, granted: Granted[]) {
  const [found, ...others] = await listUploads(db);
  if (!found || others.length) throw new Error(`There are ${others.length + 1} uploads`);
  const { id, objectKey, providerUploadId } = found.upload;
  for (const grant of granted) {
    if (typeof grant === "string" || !("uploadUrl" in grant)) throw new Error(JSON.stringify(grant));
    expect(grant._meta.reservationId).toBe(id);
    expect((await put(grant.uploadUrl)).status).toBe(200);
  }
  const open = (await Array.fromAsync(s3.openUploads(objectKey))).map(({ uploadId }) => uploadId);
  expect(open).toEqual([providerUploadId ?? ""]);
  expect(await bytes("interrupted")).toEqual({ used: 0, reserved: 5 });
}

test("of many simultaneous reservations with the same key at two processes there is one", async () => {
  const { db, first, second, ...rest } = await twoProcesses();
  const all = Array.from({ length: 20 }, (_, n) => (n % 2 ? first : second).reserveOnce(wanted, repeatable));
  await expectOne({ db, first, second, ...rest }, await Promise.all(all));
  expect(await second.reserveOnce({ ...wanted, size: 6 }, { key: "k", fingerprint: "other" })).toBe("conflict");

  const dbs = [db, await openDb("upload-races")] as const;
  const reserve = (n: number) =>
    reservations.reserve(
      dbs[n % 2 ? 1 : 0],
      wanted,
      { tried: [], repeatable: { key: "l", fingerprint: `${n % 3}` } },
      new Date(),
    );
  const outcomes = (await Promise.all(Array.from({ length: 30 }, (_, n) => reserve(n)))).map(({ outcome }) => outcome);
  expect([outcomes.filter((outcome) => outcome === "conflict").length, (await listUploads(db)).length]).toEqual([
    20, 2,
  ]);
});

test("a request repeated at another process while the node opens the first one gets the same reservation", async () => {
  const service = await twoProcesses();
  const { first, moments, second } = service;
  const repeated: Granted[] = [];
  const repeat = async () => void repeated.push(await second.reserveOnce(wanted, repeatable));
  moments.push({ request: /^POST .*uploads/, after: repeat });
  const granted = await first.reserveOnce(wanted, repeatable);
  expect(repeated).toHaveLength(1);
  await expectOne(service, [granted, ...repeated]);
});

test("a request whose process died before it opened the upload is repeated at another, within the same reservation", async () => {
  const service = await twoProcesses();
  const { db, dying, s3, second } = service;
  await expect(dying.reserveOnce(wanted, repeatable)).rejects.toThrow("It was killed");
  const [left] = await listUploads(db);
  await s3.initiate(left?.upload.objectKey ?? "", "text/plain", "r"); // it may have got that far
  await expectOne(service, [await second.reserveOnce(wanted, repeatable)]);
});

test("a request whose node fails gets the upload that another with its key has opened", async () => {
  const service = await twoProcesses();
  const { first, moments, second } = service;
  const repeated: Granted[] = [];
  moments.push({
    request: /^POST .*uploads/,
    before: async () => {
      repeated.push(await second.reserveOnce(wanted, repeatable));
      return new Response(null, { status: 500 });
    },
  });
  const granted = await first.reserveOnce(wanted, repeatable);
  await expectOne(service, [granted, ...repeated]);
});

test("a key whose upload was never opened is free for another request", async () => {
  const { db, embedded, first, moments, now } = await twoProcesses();
  await drain(db, embedded.id, { actor: "test" }, now());
  moments.push({ request: /^POST .*uploads/, before: () => new Response(null, { status: 403 }) });
  const refused = await first.reserveOnce(wanted, repeatable).catch((error: Error) => error.message);
  expect([refused, moments]).toEqual(["No responding storage node has enough space", []]);
  const granted = await first.reserveOnce({ ...wanted, size: 6 }, { key: "k", fingerprint: "other" });
  expect(granted).toMatchObject({ uploadUrl: expect.any(String) });
  expect((await listUploads(db)).map(({ upload }) => upload.size).sort()).toEqual([5, 6]);
});
