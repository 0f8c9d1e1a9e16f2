import { afterAll, beforeAll, expect, test } from "bun:test";
import { createLog } from "../../platform/log";
import { holdDeadlines } from "../../../test/support/storage/deadlines";
import { freezingProxy } from "../../../test/support/storage/freezing-proxy";
import { temporaryFolder } from "../../../test/support/storage/storage";
import { within } from "../../../test/support/within";
import { type EmbeddedNode, startEmbeddedNode } from "../embedded/node";
import { isTimeout } from "./errors";
import { putStream } from "./put-stream";
import { openS3, type S3 } from "./s3";

// A server that freezes in the middle of a transfer, as its machine or the network between does, and thaws later

const closing: (() => unknown)[] = [];
afterAll(() => closing.forEach((close) => close()));

let node: EmbeddedNode;
beforeAll(async () => {
  const log = createLog("silent");
  node = await startEmbeddedNode({ folder: temporaryFolder(), port: 0, origins: new Set(), log, minPartBytes: 1 });
  closing.push(() => node.close());
});

/** The server behind a proxy that freezes, and an object on it. */
async function behindProxy(key: string) {
  const proxy = await freezingProxy(node.endpoint);
  closing.push(() => proxy.close());
  const s3 = openS3({ ...node, endpoint: proxy.endpoint, publicEndpoint: proxy.endpoint }, 10_000);
  const direct = openS3({ ...node, publicEndpoint: node.endpoint }, 120_000);
  await direct.put(`${key}/stored`, bytes, "image/png");
  return { direct, proxy, s3 };
}

const bytes = new Uint8Array(9 * 2 ** 20).fill(7); // more than one piece of a read
async function* pieces() {
  for (let at = 0; at < bytes.length; at += 2 ** 20) yield bytes.subarray(at, at + 2 ** 20);
}

/** An upload with all its parts. */
async function whole(s3: S3, key: string) {
  const uploadId = await s3.initiate(key, "text/plain", "r");
  await fetch(s3.partUrl(key, uploadId, { part: 1, size: 5 }), { method: "PUT", body: "12345" });
  return { uploadId, parts: (await s3.listParts(key, uploadId)) ?? [] };
}

type Transfer = (s3: S3, key: string) => Promise<unknown>;
const put: Transfer = (s3, key) => s3.put(`${key}/made`, bytes, "image/png");
const stream: Transfer = (s3, key) => putStream(s3, { key: `${key}/made`, type: "a/b", reservation: "r" }, pieces());
const read: Transfer = (s3, key) => Array.fromAsync(s3.read(`${key}/stored`, 0, bytes.length));
const list: Transfer = (s3, key) => Array.fromAsync(s3.objects(`${key}/`));
const complete: Transfer = async (s3, key) => {
  const { uploadId, parts } = await whole(s3, `${key}/made`);
  await s3.complete(`${key}/made`, uploadId, parts);
};
const listParts: Transfer = async (s3, key) => {
  const { uploadId } = await whole(s3, `${key}/made`);
  await s3.abort(`${key}/made`, uploadId);
};

/** Each with where the server freezes, and how many milliseconds the longest of its calls may take. */
const transfers: [string, Transfer, Parameters<Awaited<ReturnType<typeof freezingProxy>>["freezeAt"]>[0], number][] = [
  ["storing a picture, in its bytes", put, { request: /^PUT .*partNumber/, sent: 5_000_000 }, 30_000],
  ["storing a picture, in the response to its bytes", put, { request: /^PUT .*partNumber/, received: 20 }, 30_000],
  ["storing a picture, when it is completed", put, { request: /^POST .*uploadId/, received: 300 }, 30_000],
  ["uploading a stream, in its bytes", stream, { request: /^PUT .*partNumber/, sent: 5_000_000 }, 900_000],
  ["uploading a stream, in a response", stream, { request: /^PUT .*partNumber/, received: 20 }, 900_000],
  ["uploading a stream, when it is completed", stream, { request: /^POST .*uploadId/, sent: 500 }, 900_000],
  ["reading an object, before its first byte", read, { request: /^GET /, received: 0 }, 10_000],
  ["reading an object, in its second piece", read, { request: /range: bytes=8388608-/i, received: 100_000 }, 10_000],
  ["listing objects", list, { request: /^GET .*list-type/, received: 300 }, 10_000],
  ["listing parts", listParts, { request: /^GET .*uploadId/, received: 300 }, 30_000],
  ["completing an upload, in the request", complete, { request: /^POST .*uploadId/, sent: 500 }, 30_000],
  ["completing an upload, in the response", complete, { request: /^POST .*uploadId/, received: 300 }, 30_000],
];

test.each(transfers)(
  "%s: ends as a timeout, closes its connection, and works once the server thaws",
  async (name, transfer, point, maxMs) => {
    const key = `u/${name.replaceAll(/\W+/g, "-")}`;
    const { direct, proxy, s3 } = await behindProxy(key);
    using deadlines = holdDeadlines();
    const frozen = proxy.freezeAt(point);
    const outcome = transfer(s3, key).then(
      () => "done",
      (error: unknown) => (isTimeout(error) ? "timeout" : error),
    );
    const { closed } = await within(frozen, "the freeze");
    deadlines.pass();
    expect(await within(outcome, "the end of the transfer")).toBe("timeout");
    expect(Math.max(...deadlines.asked)).toBeLessThanOrEqual(maxMs);
    proxy.thaw();
    await within(closed, "the end of the connection");
    deadlines[Symbol.dispose]();
    await transfer(s3, key);
    expect((await Array.fromAsync(direct.read(`${key}/stored`, 0, bytes.length))).length).toBeGreaterThan(0);
  },
);

test("what an attempt to store a picture left open, because the server froze, is aborted by the next one", async () => {
  const { direct, proxy, s3 } = await behindProxy("u/left");
  using deadlines = holdDeadlines();
  const frozen = proxy.freezeAt({ request: /^PUT .*partNumber/, sent: 5_000_000 });
  const failing = put(s3, "u/left").catch(isTimeout);
  await within(frozen, "the freeze");
  deadlines.pass();
  expect(await within(failing, "the end of the attempt")).toBe(true);
  deadlines[Symbol.dispose]();
  expect(await Array.fromAsync(direct.openUploads("u/left/"))).toHaveLength(1);
  await put(direct, "u/left"); // another way to it: what the frozen one holds does not arrive
  expect(await Array.fromAsync(direct.openUploads("u/left/"))).toEqual([]);
});

test("a small part is given a little time, and sent again once only if the server does not answer", async () => {
  const { proxy, s3 } = await behindProxy("u/small");
  using deadlines = holdDeadlines();
  const frozen = proxy.freezeAt({ request: /^PUT .*partNumber/, received: 0 });
  const target = { key: "u/small/made", type: "a/b", reservation: "r" };
  const small = putStream(s3, target, new Blob([new Uint8Array(2_000)]).stream());
  const failing = small.catch((error: Error) => error.message);
  await within(frozen, "the freeze");
  deadlines.pass();
  expect(await within(failing, "the end")).toBe("The storage server did not answer in time.");
  expect(deadlines.asked.filter((milliseconds) => milliseconds === 10_100)).toHaveLength(2);
});
