import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import * as audit from "../../../db/audit";
import * as overview from "../../../db/overview";
import { look } from "../../../test/support/look";
import { start } from "../../../test/support/storage/storage-pages";
import { codeInBody } from "../s3/errors";
import { smallDisk } from "../../../test/support/storage/small-disk";
import { testTimeoutMs } from "../../../test/support/within";

setDefaultTimeout(testTimeoutMs);

// A node whose disk or quota is full, whatever its configured capacity: uploads go elsewhere, and return to it later.

const closing: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

const mebibyte = 2 ** 20;
const minute = 60_000;

async function withSmallDisk() {
  const service = await start();
  const disk = await smallDisk();
  closing.push(disk.close);
  const { endpoint, bucket, accessKey, secretKey, faults } = disk;
  const { id } = await service.addNode("cellar", endpoint, { bucket, accessKey, secretKey });
  const { db, key, now, post, storage } = service;
  const otherKey = await service.anotherKey();
  const failed = async (upload: string, body: object = { status: 507, code: "XMinioStorageFull" }, by = key) => {
    const answer = await post(`/api/v1/storage/uploads/${upload}/failed`, body, by);
    await storage.capacity.settled();
    return answer;
  };
  return {
    ...service,
    id,
    disk,
    faults,
    otherKey,
    failed,
    node: () => service.nodeNamed("cellar"),
    /** The node that gets an upload of that size. */
    async goesTo(size: number, by = key) {
      const answer = await post("/api/v1/storage/upload", { filename: "a", mimeType: "text/plain", size }, by);
      if (answer.status !== 200) return { status: answer.status, node: "", upload: "", url: "" };
      const { data } = (await answer.json()) as { data: { uploadUrl: string; _meta: Record<string, string> } };
      const { nodeId = "", reservationId = "" } = data._meta;
      return { status: 200, node: nodeId === id ? "cellar" : "embedded", upload: reservationId, url: data.uploadUrl };
    },
    async deeds() {
      const { events } = await audit.list(db, { group: "storage-node" }, { page: 1, per: 10 });
      return events.map(({ action, details }) => [action, details?.because]).toReversed();
    },
    full: async () => (await overview.storage(db, now())).full,
  };
}

test.each([
  ["disk", 507],
  ["quota", 403],
  ["bucketQuota", 400],
  ["garageQuota", 403],
] as const)(
  "a full node (%s, %d) takes no more uploads once a client said so and a trial found it so; the next goes elsewhere",
  async (refusal, status) => {
    const { failed, faults, goesTo, node, deeds, full, put, state } = await withSmallDisk();
    Object.assign(faults, { room: 10 * mebibyte, refusal });
    const first = await goesTo(60 * mebibyte);
    expect(first.node).toBe("cellar"); // it has the most space, according to its configuration
    const answer = await fetch(first.url, { method: "PUT", body: new Uint8Array(60 * mebibyte) });
    expect(answer.status).toBe(status);
    const code = codeInBody(await answer.text());
    const told = await failed(first.upload, { status, code });
    expect([told.status, await state(first.upload)]).toEqual([200, "aborted"]);
    expect(await node()).toMatchObject({
      failures: 0,
      checkError: null,
      refusedBytes: 8 * mebibyte + 1,
      retryBytes: 60 * mebibyte,
    });
    const [again, small] = [await goesTo(60 * mebibyte), await goesTo(5)];
    expect([again.node, small.node]).toEqual(["embedded", "cellar"]);
    expect((await put(small.url)).status).toBe(200);
    expect([await deeds(), await full()]).toEqual([
      [
        ["storage-node.add", undefined],
        ["storage-node.full", code],
      ],
      ["cellar"],
    ]);
  },
);

test("an internal error is only a suspicion: MinIO answers that when its disk fills up during a write", async () => {
  const { clock, failed, faults, goesTo, node } = await withSmallDisk();
  const internalError = { status: 500, code: "InternalError" };
  await failed((await goesTo(mebibyte)).upload, internalError);
  const second = await goesTo(mebibyte);
  expect([(await node()).fullSince, second.node]).toEqual([null, "cellar"]); // the node had space: the error had another reason
  faults.room = mebibyte / 2;
  clock.time += 5 * minute; // one trial in that time
  await failed(second.upload, internalError);
  expect([await node(), (await goesTo(mebibyte)).node]).toEqual([
    expect.objectContaining({ fullSince: expect.any(Date), refusedBytes: 0 }),
    "embedded",
  ]);
});

test("a client's false report keeps only that client from the node for a while", async () => {
  const { after, clock, disk, failed, goesTo, node, otherKey } = await withSmallDisk();
  const lie = await goesTo(mebibyte);
  expect((await failed(lie.upload)).status).toBe(200);
  expect((await node()).fullSince).toBeNull();
  expect([(await goesTo(mebibyte)).node, (await goesTo(5)).node, (await goesTo(mebibyte, otherKey)).node]).toEqual([
    "embedded",
    "cellar",
    "cellar",
  ]);
  for (let i = 0; i < 20; i++) await failed((await goesTo(5, otherKey)).upload, undefined, otherKey);
  expect(disk.figures.trialBytes).toBeLessThan(2 * mebibyte); // one trial, for the first report
  clock.time += 10 * minute;
  await after(1_000);
  expect((await goesTo(mebibyte)).node).toBe("cellar");
});

test("an upload that failed for other reasons is aborted, and nothing else happens", async () => {
  const { disk, failed, goesTo, outcome } = await withSmallDisk();
  const upload = await goesTo(mebibyte);
  expect((await failed(upload.upload, { status: 403, code: "AccessDenied" })).status).toBe(200);
  expect([await outcome(upload.upload), (await goesTo(mebibyte)).node, disk.figures.trialBytes]).toEqual([
    ...["failed", "cellar", 0],
  ]);
});

test("the report belongs to the key, and is no way to end what is complete", async () => {
  const { after, failed, goesTo, otherKey, put, state } = await withSmallDisk();
  const upload = await goesTo(5);
  expect((await failed(upload.upload, undefined, otherKey)).status).toBe(404);
  expect((await failed(upload.upload, { status: "507" })).status).toBe(400);
  expect((await failed(upload.upload, { status: 507, code: "A B" })).status).toBe(400);
  expect(await state(upload.upload)).toBe("open");
  await put(upload.url);
  await after(1_000);
  await after(3_000);
  expect([(await failed(upload.upload)).status, await state(upload.upload)]).toEqual([409, "completed"]);
});

test("a reservation that ended without a byte leads to a trial too", async () => {
  const { after, faults, goesTo, node, storage } = await withSmallDisk();
  faults.room = mebibyte / 2;
  await goesTo(mebibyte);
  await after(76 * minute);
  await after(2 * minute);
  await storage.capacity.settled();
  expect(await node()).toMatchObject({ fullSince: expect.any(Date), refusedBytes: 0 });
});

test("a reservation for an empty file that ended says nothing about the space", async () => {
  const { after, disk, faults, goesTo, node, outcome, storage } = await withSmallDisk();
  const { upload } = await goesTo(0);
  const asked = disk.figures.taken + disk.figures.refused;
  faults.room = 0;
  await after(76 * minute);
  await after(2 * minute);
  await storage.capacity.settled();
  expect([await outcome(upload), disk.figures.taken + disk.figures.refused - asked]).toEqual(["expired", 0]);
  expect((await node()).fullSince).toBeNull();
});

test("a full node is tried again after five minutes, then less and less often, and accepts everything once 64 MiB succeed", async () => {
  const { clock, db, deeds, failed, faults, full, goesTo, node, storage } = await withSmallDisk();
  faults.room = 2 * mebibyte;
  await failed((await goesTo(20 * mebibyte)).upload);
  await look(db, "update storage_nodes set told_free_bytes = 1000 where name = 'cellar'"); // until it is asked again
  const waits: number[] = [];
  for (let i = 0; i < 4; i++) {
    const { retryAt } = await node();
    waits.push(((retryAt?.getTime() ?? 0) - clock.time) / minute);
    clock.time = (retryAt?.getTime() ?? 0) - 1;
    await storage.nodes.revive();
    expect((await node()).retryAt).toEqual(retryAt);
    clock.time++;
    await storage.nodes.revive();
  }
  expect(waits).toEqual([5, 5, 10, 20]);
  faults.room = Infinity;
  clock.time += 60 * minute;
  await storage.nodes.revive();
  expect(await node()).toMatchObject({ fullSince: null, refusedBytes: null, retryAt: null, toldFreeBytes: null });
  expect([await full(), (await goesTo(20 * mebibyte)).node]).toEqual([[], "cellar"]);
  expect((await deeds()).map(([action]) => action)).toEqual([
    "storage-node.add",
    "storage-node.full",
    "storage-node.room",
  ]);
});

test("a trial that is refused for another reason says nothing about the space", async () => {
  const { disk, failed, faults, goesTo, node } = await withSmallDisk();
  Object.assign(faults, { room: 0, refusal: "denied" });
  await failed((await goesTo(mebibyte)).upload);
  expect([disk.figures.refused, await node()]).toMatchObject([1, { fullSince: null, refusedBytes: null }]);
});

test("a full node that is being tested is not tested a second time", async () => {
  const { clock, disk, failed, faults, goesTo, node, storage } = await withSmallDisk();
  faults.room = 2 * mebibyte;
  await failed((await goesTo(20 * mebibyte)).upload);
  const before = disk.figures.trialBytes;
  clock.time = (await node()).retryAt?.getTime() ?? 0;
  await Promise.all([storage.nodes.revive(), storage.nodes.revive()]); // one starts every five seconds
  expect([before, disk.figures.trialBytes]).toEqual([9 * mebibyte, 18 * mebibyte]);
});

test("a node without space for five bytes is full, not offline, and the test says so", async () => {
  const { faults, full, goesTo, node, storage } = await withSmallDisk();
  faults.room = 0;
  expect((await storage.nodes.test(await node())).error).toBe("put: XMinioStorageFull");
  expect(await node()).toMatchObject({ checkError: null, refusedBytes: 0 });
  expect([await full(), (await goesTo(0)).node]).toEqual([["cellar"], "embedded"]);

  faults.room = 4 * mebibyte;
  const { error, findings } = await storage.nodes.test(await node());
  expect([error, findings.room]).toEqual([undefined, "XMinioStorageFull"]);
  const view = await storage.nodes.find("cellar");
  const room = view && (await storage.nodes.capabilities(view)).find(({ check }) => check === "room");
  expect(room).toMatchObject({ state: "flawed", fix: { problem: expect.stringContaining("The server is full") } });
});

test("507 if every node is full as far as we know, and readiness says how many are", async () => {
  const { app, embedded, failed, faults, goesTo, storage } = await withSmallDisk();
  faults.room = 0;
  await storage.nodes.test(await storage.nodes.find("cellar").then((node) => node ?? embedded));
  expect((await goesTo(embedded.capacityBytes + 1)).status).toBe(507);
  const ready = await app.handle(new Request("http://localhost:3000/readyz"));
  expect([ready.status, await ready.json()]).toMatchObject([
    200,
    { checks: { storage: { ok: true, detail: "1 of 2 nodes full" } } },
  ]);
  await failed("nobody's");
});
