import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { openDb } from "../../../db/open";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import * as uploads from "../../../db/storage/uploads";
import { openStorage } from "../../../src/storage";
import { file, start } from "../../support/storage/storage-pages";
import { embedForTests } from "../../support/storage/storage";
import { temporaryFolder } from "../../support/processes";
import { agreed, audit } from "./audit";
import { look } from "../../support/look";
import { uploadOf } from "../../support/storage/upload-rows";
import { testTimeoutMs } from "../../support/within";

// What can go wrong. Afterwards the node, the rows and the provider agree about every byte.

setDefaultTimeout(testTimeoutMs);
const closing: (() => unknown)[] = [];
afterAll(() => closing.forEach((close) => close()));

/** Accepts connections and never responds. */
function silentProvider(): string {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  closing.push(() => server.stop(true));
  return `http://127.0.0.1:${server.port}`;
}
const nobody = "http://127.0.0.1:1";

/** A proxy that responds to a `complete` only when released, so that the client cannot know whether it was done. */
function slowToComplete(server: string, isDone: boolean) {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const proxy = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const pass = async () =>
        fetch(server + pathname + search, { method: request.method, headers: request.headers, body: await body });
      const body = request.method === "GET" || request.method === "HEAD" ? null : request.bytes();
      const isComplete = request.method === "POST" && search.includes("uploadId=");
      if (!isComplete) return pass();
      if (isDone) await pass();
      await released;
      return new Response(null, { status: 503 });
    },
  });
  closing.push(() => proxy.stop(true));
  return { url: `http://127.0.0.1:${proxy.port}`, release };
}

/** One upload of five bytes, and ways to break the node under it. */
async function desk() {
  const service = await start();
  const { db, embedded, s3, storage } = service;
  const set = async (column: string, value: string) =>
    await look(db, `update storage_nodes set ${column} = ?`, [value]);
  const { uploadUrl, _meta } = await service.grant();
  const id = _meta.reservationId;
  const find = async () => {
    const upload = await uploads.find(db, id);
    if (!upload) throw new Error("There is no such upload");
    return upload;
  };
  return {
    ...service,
    find,
    id,
    set,
    uploadUrl,
    audit: () => audit(db, s3),
    repair: async () => {
      await set("endpoint", embedded.endpoint);
      await set("secret", embedded.secret);
      await set("bucket", embedded.bucket);
    },
    /** Sweeps until a complete upload must have been recorded, however long its node is paused. */
    settle: async () => {
      for (const wait of [121_000, 3_000, 61_000]) await service.after(wait);
    },
    impatient: service.impatient(),
    storage,
  };
}
type Desk = Awaited<ReturnType<typeof desk>>;

const faults: Record<string, (desk: Desk) => unknown> = {
  down: async ({ set }) => await set("endpoint", nobody),
  silent: async ({ set }) => await set("endpoint", silentProvider()),
  "of another secret": async ({ db, embedded, set }) =>
    (await set("secret", `${embedded.secret.slice(0, -8)}AAAAAAA=`)) && storageNodes.imbalances(db),
  "without its bucket": async ({ set }) => await set("bucket", "nowhere-to-be-found"),
};

test.each(Object.keys(faults))(
  "while the provider is %s nothing moves; afterwards the upload is finished",
  async (fault) => {
    const { audit, clock, find, impatient, put, repair, settle, uploadUrl, ...rest } = await desk();
    expect((await put(uploadUrl)).status).toBe(200);
    await faults[fault]?.({ audit, clock, find, impatient, put, repair, settle, uploadUrl, ...rest });
    for (let i = 0; i < 5; i++) {
      clock.time += 61_000;
      await impatient.sweep();
    }
    expect(await find()).toMatchObject({ state: "open", received: 0 });
    await repair();
    await settle();
    expect(await audit()).toEqual(agreed(["completed"], 5));
  },
);

test.each(Object.keys(faults))(
  "an upload whose time ends while the provider is %s is released afterwards",
  async (fault) => {
    const it = await desk();
    await faults[fault]?.(it);
    it.clock.time += 80 * 60_000;
    await it.impatient.sweep();
    await it.repair();
    for (const wait of [61_000, 61_000]) await it.after(wait);
    expect(await it.audit()).toEqual(agreed(["aborted"], 0));
    expect((await it.put(it.uploadUrl)).status).toBe(404);
  },
);

test.each(["down", "silent", "of another secret"])(
  "a reservation on a node that is %s leaves nothing",
  async (fault) => {
    const it = await desk();
    await it.impatient.reserve({ ...file, folderPath: "" }); // the node stays as it is from now on
    await faults[fault]?.(it);
    await expect(it.impatient.reserve({ ...file, folderPath: "" })).rejects.toThrow("No responding storage node");
    await it.repair();
    for (const wait of [61_000, 61_000]) await it.after(wait);
    expect(await it.audit()).toEqual(agreed(["aborted", "open", "open"], 0, 10));
  },
);

test("a reservation for a bucket that is not there makes it", async () => {
  const it = await desk();
  await it.set("bucket", `new-${crypto.randomUUID()}`);
  const grant = await it.storage.reserve({ ...file, folderPath: "" });
  expect(grant).toMatchObject({ method: "PUT" });
});

test.each([
  ["fewer", "1234"],
  ["more", "123456"],
])("%s bytes are refused, and the upload waits for the right ones", async (_, body) => {
  const { audit, put, settle, uploadUrl } = await desk();
  expect((await put(uploadUrl, body)).status).toBe(403);
  await settle();
  expect(await audit()).toEqual(agreed(["open"], 0, 5));
  expect((await put(uploadUrl)).status).toBe(200);
  await settle();
  expect(await audit()).toEqual(agreed(["completed"], 5));
});

test("a PUT after the end is a 404, however it ended, and changes nothing", async () => {
  const { audit, grant, id, put, storage, uploadUrl } = await desk();
  await put(uploadUrl);
  expect(await storage.complete(id)).toEqual({ outcome: "completed" });
  const other = await grant();
  await storage.abort(other._meta.reservationId);
  expect([(await put(uploadUrl)).status, (await put(other.uploadUrl)).status]).toEqual([404, 404]);
  expect(await audit()).toEqual(agreed(["aborted", "completed"], 5));
});

test.each([
  ["has completed", true],
  ["has not completed", false],
])("a provider that %s and does not say so for long", async (_, isDone) => {
  const { audit, clock, embedded, id, impatient, put, repair, set, settle, uploadUrl } = await desk();
  await put(uploadUrl);
  const { url, release } = slowToComplete(embedded.endpoint, isDone);
  await set("endpoint", url);
  expect(await impatient.complete(id)).toEqual({ outcome: "completing" });
  expect(await impatient.status(id, false)).toMatchObject({ state: "completing", missing: [] });
  expect(await impatient.abort(id)).toEqual({ outcome: isDone ? "completed" : "completing" });
  release();
  await repair();
  clock.time += 61_000;
  await settle();
  expect(await audit()).toEqual(agreed(["completed"], 5));
});

test("an upload that the provider forgot is aborted", async () => {
  const { after, audit, find, outcome, put, id, s3, uploadUrl } = await desk();
  await put(uploadUrl);
  const { objectKey, providerUploadId } = await find();
  await s3.abort(objectKey, providerUploadId ?? "");
  await after(61_000);
  expect([await audit(), await outcome(id)]).toEqual([agreed(["aborted"], 0), "vanished"]);
});

test("an object that vanished before its row was settled is aborted", async () => {
  const { after, audit, db, find, outcome, put, id, s3, uploadUrl } = await desk();
  await put(uploadUrl);
  const { objectKey, providerUploadId } = await find();
  await uploads.startCompleting(db, await uploadOf(db, id));
  await s3.complete(objectKey, providerUploadId ?? "", (await s3.listParts(objectKey, providerUploadId ?? "")) ?? []);
  await s3.remove(objectKey);
  await after(61_000);
  expect([await audit(), await outcome(id)]).toEqual([agreed(["aborted"], 0), "vanished"]);
});

test.each(["sweep and complete", "sweep, complete and abort"])(
  "eight who %s at once move the bytes once",
  async (what) => {
    using folder = temporaryFolder();
    const { config, clock, log, now, s3, put } = await start();
    const open = async () => {
      const db = await openDb(join(folder.path, "postroom.sqlite"));
      closing.push(() => db.close());
      return { db, storage: openStorage({ config, db, log, now, embed: embedForTests }) };
    };
    const all = await Promise.all(Array.from({ length: 8 }, open));
    const [{ db, storage }] = all as [(typeof all)[number]];
    const ids: string[] = [];
    for (let i = 0; i < 10; i++) {
      const grant = await storage.reserve({ ...file, folderPath: "" });
      if (typeof grant === "string") throw new Error("full");
      await put(grant.uploadUrl);
      ids.push(grant._meta.reservationId);
    }
    const race = async (one: (typeof all)[number], n: number) => {
      await one.storage.sweep();
      for (const id of ids) await (what.includes("abort") && n % 2 ? one.storage.abort(id) : one.storage.complete(id));
    };
    clock.time += 61_000;
    await Promise.all(all.map(race));
    for (const wait of [61_000, 61_000, 61_000]) {
      clock.time += wait;
      await storage.sweep();
    }
    const found = await audit(db, s3);
    const ended = found.states.filter((state) => state === "completed").length;
    expect(found).toEqual({ ...agreed([], ended * 5), states: expect.any(Array) });
    expect(found.states.every((state) => state === "completed" || state === "aborted")).toBe(true);
    if (!what.includes("abort")) expect(ended).toBe(10);
  },
);
