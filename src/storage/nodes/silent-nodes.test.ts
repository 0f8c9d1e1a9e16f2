import { afterAll, expect, spyOn, test } from "bun:test";
import * as storageNodes from "../../../db/storage/nodes/nodes";
import { drain } from "../../../db/storage/nodes/edit";
import { holdDeadlines } from "../../../test/support/storage/deadlines";
import { within } from "../../../test/support/within";
import { start } from "../../../test/support/storage/storage-pages";
import { embedForTests } from "../../../test/support/storage/storage";
import { openStorage } from "..";
import { SilentNodes } from "./answering";

// A node that accepts connections and does not respond keeps uploads waiting no longer than needed

const closing: (() => unknown)[] = [];
afterAll(() => closing.forEach((close) => close()));

/** The service, and a node with more space whose responses wait until it is thawed. */
async function withFrozenNode(patience = 100) {
  const service = await start();
  const { config, db, embedded, log, nodeAt, now } = service;
  const thawed = Promise.withResolvers<void>();
  const [called, aborted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const opened: string[] = [];
  let calls = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      calls++;
      called.resolve();
      const { method, headers, url } = request;
      const body = method === "PUT" || method === "POST" ? await request.bytes() : null;
      await thawed.promise;
      const { pathname, search } = new URL(url);
      const answer = await fetch(embedded.endpoint + pathname + search, { method, headers, body });
      if (method === "POST") opened.push(method);
      if (method === "DELETE") aborted.resolve();
      return answer;
    },
  });
  closing.push(() => server.stop(true));
  const node = await nodeAt("frozen", server.url.origin);
  const storage = openStorage({ config, db, log, now, embed: embedForTests, deadline: 600_000, patience });
  const file = { filename: "a", mimeType: "a/b", size: 5, folderPath: "" };
  const reserve = async (more: object = {}) => {
    const granted = await storage.reserve({ ...file, ...more });
    return typeof granted === "string" ? granted : granted._meta.nodeId;
  };
  const thaw = () => thawed.resolve();
  return {
    ...service,
    aborted: aborted.promise,
    called: called.promise,
    calls: () => calls,
    file,
    node,
    opened,
    reserve,
    thaw,
  };
}

test("an upload goes to another node, and the next ones go there at once; what was opened late is aborted", async () => {
  const { aborted, bytes, calls, db, embedded, node, opened, reserve, thaw } = await withFrozenNode();
  expect(await reserve()).toBe(embedded.id); // while the other one has not answered
  expect(calls()).toBe(1);
  expect(await Promise.all([reserve(), reserve(), reserve()])).toEqual([embedded.id, embedded.id, embedded.id]);
  expect(calls()).toBe(1);
  expect((await storageNodes.find(db, node.id))?.failures).toBe(0);
  thaw();
  await aborted;
  expect(opened).toHaveLength(1);
  expect((await bytes("frozen")).reserved).toBe(5); // until the sweeper has seen that nothing is left
});

test("if no other node could take it, it waits for the answer", async () => {
  const { called, db, embedded, node, now, reserve, thaw } = await withFrozenNode(0);
  await drain(db, embedded.id, { actor: "test" }, now());
  const granted = reserve();
  await called;
  thaw();
  expect(await granted).toBe(node.id);
  expect(await reserve()).toBe(node.id);
});

test("if the only node has failed since it last answered, it is not waited for, until a late answer ends that", async () => {
  const { aborted, db, embedded, node, now, reserve, thaw } = await withFrozenNode();
  await drain(db, embedded.id, { actor: "test" }, now());
  await storageNodes.recordFailure(db, node.id, "Timeout", now());
  await expect(within(reserve(), "an answer")).rejects.toThrow("No responding storage node");
  thaw();
  await within(aborted, "the end of the upload");
  while ((await storageNodes.find(db, node.id))?.failures) await Bun.sleep(1);
  expect(await reserve()).toBe(node.id);
});

test("those that wait for the only node wait no longer once the first of them got no answer in time", async () => {
  const { calls, called, db, embedded, node, now, reserve } = await withFrozenNode();
  await drain(db, embedded.id, { actor: "test" }, now());
  using deadlines = holdDeadlines();
  const waits = spyOn(SilentNodes.prototype, "nextTimeout");
  try {
    const end = () => reserve().catch((error: Error) => error.message);
    const first = end();
    await called; // so the first deadline is its
    const ends = [first, end(), end()];
    while (waits.mock.calls.length < 3) await Bun.sleep(1);
    deadlines.passFirst();
    for (const end of ends) expect(await within(end, "an answer")).toStartWith("No responding storage node");
    expect([calls(), (await storageNodes.find(db, node.id))?.failures]).toEqual([3, 1]);
  } finally {
    waits.mockRestore();
  }
});

test("if all are paused, it does not wait for one that does not answer, and what was opened late is aborted", async () => {
  const { aborted, db, embedded, node, now, opened, reserve, thaw } = await withFrozenNode();
  await drain(db, embedded.id, { actor: "test" }, now());
  for (let failures = 0; failures < 3; failures++) await storageNodes.recordFailure(db, node.id, "Timeout", now());
  await expect(within(reserve(), "an answer")).rejects.toThrow("No responding storage node");
  thaw();
  await within(aborted, "the end of the upload");
  expect(opened).toHaveLength(1);
});

test("a slow node is not left for a silent one, and is preferred to it", async () => {
  const { calls, embedded, reserve } = await withFrozenNode(0); // every node is slow
  expect([await reserve(), calls()]).toEqual([embedded.id, 1]);
  expect(await Promise.all([reserve(), reserve(), reserve()])).toEqual([embedded.id, embedded.id, embedded.id]);
  expect(calls()).toBe(1);
});

test("an upload stays at a slow node that has just answered another one, and is not left for a silent one", async () => {
  const { config, db, embedded, file, log, nodeAt, now } = await withFrozenNode(0);
  const hasAsked = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch({ method, headers, url }) {
      if (method === "POST") await hasAsked.promise;
      const { pathname, search } = new URL(url);
      return fetch(embedded.endpoint + pathname + search, { method, headers });
    },
  });
  closing.push(() => server.stop(true));
  const slow = await nodeAt("slow", server.url.origin);
  await drain(db, embedded.id, { actor: "test" }, now());

  const nextTimeout = SilentNodes.prototype.nextTimeout;
  let reads = 0;
  const waits = spyOn(SilentNodes.prototype, "nextTimeout").mockImplementation(function (this: SilentNodes, id) {
    if (id === slow.id) this.answered(id); // another upload
    reads = 0;
    return nextTimeout.call(this, id);
  });
  const read: typeof db.read = (query) => {
    if (++reads === 2) setImmediate(hasAsked.resolve); // whether the node has failed, and whether the upload may leave it
    return db.read(query);
  };
  const watched = { ...db, read };
  const storage = openStorage({ config, db: watched, log, now, embed: embedForTests, deadline: 600_000, patience: 0 });
  try {
    expect(await within(storage.reserve(file), "an answer")).toMatchObject({ _meta: { nodeId: slow.id } });
  } finally {
    waits.mockRestore();
  }
});

test("a minute later the node is asked again", async () => {
  const { calls, clock, reserve } = await withFrozenNode();
  await reserve();
  clock.time += 60_000;
  await reserve();
  expect(calls()).toBe(2);
});
