import { afterAll, expect, test } from "bun:test";
import * as audit from "../../../../db/audit";
import * as storageNodes from "../../../../db/storage/nodes/nodes";
import * as reservations from "../../../../db/storage/reservations";
import * as uploads from "../../../../db/storage/uploads";
import { secretKeyOf } from "../../../storage/nodes/access";
import { testService } from "../../../../test/support/service";
import { look } from "../../../../test/support/look";
import { testNotice } from "./nodes";
import { uploadOf } from "../../../../test/support/storage/upload-rows";

const path = "/dashboard/storage/nodes";
const filled = {
  name: "cellar",
  endpoint: "http://127.0.0.1:1",
  publicEndpoint: "",
  bucket: "parcels",
  region: "us-east-1",
  accessKey: "the-access-key",
  secretKey: "the-secret-key",
  capacity: "2GB",
  maxPut: "",
  staleUploadHours: "24",
};

const closing: (() => unknown)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

async function desk(env: Record<string, string> = {}) {
  const service = await testService(env);
  await service.storage.nodes.open();
  const manager = await service.signIn();
  const { db, now } = service;
  const nodeNamed = async (name: string) => {
    const node = await storageNodes.byName(db, name);
    if (!node) throw new Error(`There is no node ${name}`);
    return node;
  };
  return {
    ...service,
    manager,
    nodeNamed,
    page: async (to = path) => (await manager.get(to)).text(),
    add: (fields: Record<string, string> = {}) => manager.submit(path, { ...filled, force: "yes", ...fields }),
    deeds: async () =>
      (await audit.list(db, { group: "storage-node" }, { page: 1, per: 50 })).events.map(({ action }) => action),
    /** Adds a file, or an open upload, of that many bytes. */
    async fill(size: number, state: "open" | "completed" = "completed") {
      const file = { filename: "a", mimeType: "text/plain", folderPath: "", size, partSize: 2 ** 30 };
      const taken = await reservations.reserve(db, file, { tried: [] }, now());
      if (taken.outcome !== "reserved") throw new Error(taken.outcome);
      const { id } = taken.upload;
      await uploads.markOpen(db, { id, providerUploadId: "provider's id" }, now());
      if (state === "open") return;
      await uploads.startCompleting(db, await uploadOf(db, id));
      await uploads.settle(db, await uploadOf(db, id), { state }, now());
    },
  };
}

test("every node is shown with its state, its space in words, and how it was added", async () => {
  const { add, fill, nodeNamed, page } = await desk();
  await add({ capacity: "99TB" });
  await fill(3e12);
  await fill(1e12, "open");
  const html = await page();
  expect(html).toContain(">embedded<");
  expect(html).toContain("Built-in storage");
  for (const words of ["3 TB used", "1 TB reserved", "95 TB free", "of 99 TB", "Offline", "No server is listening at"])
    expect(html).toContain(words);
  expect(html).not.toMatch(/the-(access|secret)-key/);
  expect(await page(`${path}/${(await nodeNamed("cellar")).id}`)).toContain("1 file, 1 open upload");
});

test("where there is no node, the page says what to do", async () => {
  const { manager } = await desk({ NODE_ENV: "production" });
  const html = await (await manager.get(path)).text();
  expect(html).toContain("No storage nodes yet");
  expect(html).toContain("MINIO_ENDPOINT");
});

test("a node is added and tested immediately, and its page says what is wrong and how to fix it", async () => {
  const { add, deeds, nodeNamed, page } = await desk();
  const answer = await add();
  const node = await nodeNamed("cellar");
  expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}/${node.id}`]);
  expect(node).toMatchObject({ capacityBytes: 2e9, publicEndpoint: filled.endpoint, staleUploadHours: 24 });
  expect(node.probe).toEqual({ bucket: "ECONNREFUSED" });
  expect(await deeds()).toEqual(["storage-node.add"]);
  const html = await page(`${path}/${node.id}`);
  expect(html).toContain("cellar failed a health check");
  expect(html).toContain("No server is listening at http://127.0.0.1:1");
  expect(html).toContain("curl -sS");
  expect(html).not.toMatch(/the-(access|secret)-key/);
});

test("a node is tried out before it is added; one that does not work is added only when someone insists", async () => {
  const { add, config, db, nodeNamed } = await desk();
  const keysOf = (node: storageNodes.StorageNode) => ({
    accessKey: node.accessKey,
    secretKey: secretKeyOf(config, node),
  });
  const answer = await add({ force: "" });
  const html = await answer.text();
  expect([answer.status, await storageNodes.byName(db, "cellar")]).toEqual([422, undefined]);
  expect(html).toContain("failed a health check: No server is listening at http://127.0.0.1:1 (ECONNREFUSED)");
  expect(html).toContain('name="force"');
  expect(html).not.toMatch(/the-(access|secret)-key/);

  const { endpoint, bucket } = await nodeNamed("embedded");
  const wrong = await (await add({ force: "", endpoint, bucket })).text();
  expect(wrong).toContain("The server does not know the access key");
  const works = { endpoint, bucket, ...keysOf(await nodeNamed("embedded")) };
  expect((await add({ force: "", ...works })).status).toBe(303);
  expect(await nodeNamed("cellar")).toMatchObject({ checkError: null, probe: { delete: "ok", room: "ok" } });
});

test("a form that comes back has the keys with it, encrypted, and the focus where something is wrong", async () => {
  const { add, config, db, nodeNamed } = await desk();
  const html = await (await add({ force: "" })).text();
  const kept = /name="kept" value="([^"]+)"/.exec(html)?.[1] ?? "";
  expect(html).toMatch(/<input id="f-endpoint"[^>]* autofocus/);
  expect(html.match(/ autofocus/g)).toHaveLength(1);
  expect(html).toContain("Kept from before.");
  expect((await add({ accessKey: "", secretKey: "", kept: `${kept}x`, force: "" })).status).toBe(422);
  expect(await storageNodes.byName(db, "cellar")).toBeUndefined();
  expect((await add({ accessKey: "", secretKey: "", kept })).status).toBe(303);
  const node = await nodeNamed("cellar");
  expect([node.accessKey, secretKeyOf(config, node)]).toEqual([filled.accessKey, filled.secretKey]);
});

test("a node that works with limits does not claim to have passed every check", async () => {
  const { storage } = await desk();
  const node = await storage.nodes.find("embedded");
  if (!node) throw new Error("There is no node");
  const capabilities = storage.nodes.capabilities.bind(storage.nodes);
  const test = async () => ({ findings: { bucket: "ok", cut: "listed" } });
  const text = "embedded works, but failed a health check. See the fix below.";
  expect(await testNotice({ test, capabilities }, node)).toEqual({ kind: "bad", text });
});

test.each([
  ["XAdminUserNotFound", "accessKey"], // versitygw
  ["InvalidAccessKeyId", "accessKey"],
  ["SignatureDoesNotMatch", "secretKey"],
  ["BucketAlreadyExists", "bucket"],
  ["InvalidRegion", "region"],
  ["InternalError", "endpoint"],
])("%s is an error of the field that is wrong: %s", async (code, field) => {
  const { add } = await desk();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(`<Error><Code>${code}</Code></Error>`, { status: 400 }),
  });
  closing.push(() => server.stop(true));
  const html = await (await add({ endpoint: server.url.origin, force: "" })).text();
  expect(/<input id="f-(\w+)"[^>]* autofocus/.exec(html)?.[1]).toBe(field);
});

test("a node that works says so", async () => {
  const { manager, nodeNamed, page } = await desk();
  const { id } = await nodeNamed("embedded");
  const answer = await manager.submit(`${path}/${id}/test`, {}, { referer: `http://localhost:3000${path}/${id}` });
  expect(answer.headers.get("location")).toBe(`${path}/${id}`);
  const html = await page(`${path}/${id}`);
  expect(html).toContain("embedded passed all health checks.");
  expect(html.match(/>Passed</g)).toHaveLength(12);
});

test.each([
  [{ name: "" }, "Enter a name."],
  [{ name: "embedded" }, "This name is taken by another node or reserved. Choose another."],
  [{ name: "default" }, "This name is taken by another node or reserved. Choose another."],
  [{ endpoint: "ftp://x" }, "must be an http(s) URL"],
  [{ endpoint: "https://x.example/path" }, "must contain only scheme, host and port"],
  [{ publicEndpoint: "nonsense" }, "must be an http(s) URL"],
  [{ bucket: "UPPER" }, "lower-case"],
  [{ bucket: "a;b" }, "lower-case"],
  [{ region: "a b" }, "must be a region"],
  [{ accessKey: "" }, "Enter an access key."],
  [{ secretKey: "two words" }, "without spaces"],
  [{ capacity: "much" }, "500GB"],
  [{ capacity: "0" }, "greater than 0"],
  [{ staleUploadHours: "0" }, "between 1 and 8760"],
  [{ maxPut: "much" }, "a size such as 500GB"],
])("%j is rejected, what was typed stays, and no key is returned", async (wrong, words) => {
  const { add, deeds } = await desk();
  const answer = await add(wrong);
  const html = await answer.text();
  expect([answer.status, html.includes(words)]).toEqual([422, true]);
  expect(html).toContain('value="2GB"'.replace("2GB", "capacity" in wrong ? wrong.capacity : "2GB"));
  expect(html).not.toMatch(/the-(access|secret)-key|two words/);
  expect(await deeds()).toEqual([]);
});

test.each(["a..b", "10.0.0.7", "my.10.0.0.7.bucket"])(
  "a bucket that no server takes is refused: %s",
  async (bucket) => {
    const { add, deeds } = await desk();
    const answer = await add({ bucket });
    expect([answer.status, await answer.text()]).toEqual([
      422,
      expect.stringContaining("must not contain two consecutive dots"),
    ]);
    expect(await deeds()).toEqual([]);
  },
);

test("the largest single PUT is 5 GiB unless the server is known, or someone says otherwise", async () => {
  const { add, db, manager, nodeNamed, now, page } = await desk();
  await add();
  const { id } = await nodeNamed("cellar");
  const shown = async () => /<dd>([^;<]*); larger files/.exec(await page(`${path}/${id}`))?.[1];
  expect(await shown()).toBe("5.4 GB");
  await storageNodes.saveProbe(db, id, { server: "MinIO" }, now());
  expect(await shown()).toBe("5.5 TB");
  await manager.submit(`${path}/${id}`, { ...filled, endpoint: "http://127.0.0.1:2", maxPut: "10GB" });
  expect([(await nodeNamed("cellar")).server, await shown()]).toEqual([null, "10 GB"]);
  expect(await page(`${path}/${id}/edit`)).toMatch(/name="maxPut"[^>]*value="10GB"|value="10GB"[^>]*name="maxPut"/);
  await manager.submit(`${path}/${id}`, { ...filled, endpoint: "http://127.0.0.1:2", maxPut: "" });
  expect(await shown()).toBe("5.4 GB");
});

test("an edit without keys keeps them, and the form never shows them", async () => {
  const { add, manager, nodeNamed, page } = await desk();
  await add();
  const { id, secret, accessKey } = await nodeNamed("cellar");
  const html = await page(`${path}/${id}/edit`);
  expect(html).toContain('value="2GB"');
  expect(html).not.toContain(secret);
  expect(html).not.toMatch(/the-(access|secret)-key/);

  await manager.submit(`${path}/${id}`, { ...filled, name: "attic", accessKey: "", secretKey: "", capacity: "3GB" });
  expect(await nodeNamed("attic")).toMatchObject({ id, secret, accessKey, capacityBytes: 3e9 });
  await manager.submit(`${path}/${id}`, { ...filled, name: "attic", accessKey: "", secretKey: "another" });
  const after = await nodeNamed("attic");
  expect([after.secret === secret, after.accessKey]).toEqual([false, accessKey]);
});

test("a capacity below what is used and promised is refused, with the least there can be", async () => {
  const { add, fill, manager, nodeNamed } = await desk();
  await add({ capacity: "50GB" });
  await fill(12e9);
  await fill(3e9, "open");
  const { id } = await nodeNamed("cellar");
  const answer = await manager.submit(`${path}/${id}`, { ...filled, capacity: "14GB" });
  expect([answer.status, await answer.text()]).toEqual([
    422,
    expect.stringContaining("Enter at least 15 GB (15000000000 bytes): this much is used or reserved."),
  ]);
  expect((await nodeNamed("cellar")).capacityBytes).toBe(50e9);
});

test("draining and taking up again are one button each, and are noted", async () => {
  const { add, deeds, manager, nodeNamed, page } = await desk();
  await add();
  const { id } = await nodeNamed("cellar");
  await manager.submit(`${path}/${id}/drain`);
  expect((await nodeNamed("cellar")).state).toBe("draining");
  expect(await page()).toContain("Resume uploads");
  await manager.submit(`${path}/${id}/activate`);
  expect((await nodeNamed("cellar")).state).toBe("active");
  expect(await deeds()).toEqual(["storage-node.activate", "storage-node.drain", "storage-node.add"]);
});

test("a node that is out of use stays so, whatever an old page says", async () => {
  const { db, deeds, manager, nodeNamed, page } = await desk();
  await storageNodes.retire(db, "embedded");
  const { id } = await nodeNamed("embedded");
  for (const verb of ["drain", "activate"]) {
    await manager.submit(`${path}/${id}/${verb}`);
    expect(await page()).toContain("embedded is disabled");
  }
  expect((await nodeNamed("embedded")).state).toBe("down");
  expect(await deeds()).toEqual([]);
});

test("what someone else saved in the meantime stays, and fields that both changed offer a choice", async () => {
  const { add, manager, nodeNamed, page } = await desk();
  await add();
  const { id } = await nodeNamed("cellar");
  const html = await page(`${path}/${id}/edit`);
  const was = Object.fromEntries(
    [...html.matchAll(/name="(was\.\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  const { accessKey: _, secretKey: __, ...shown } = filled;
  expect(was).toEqual(Object.fromEntries(Object.entries(shown).map(([name, value]) => [`was.${name}`, value])));

  const theirs = { ...was, ...shown, capacity: "3GB", bucket: "theirs" };
  expect((await manager.submit(`${path}/${id}`, theirs)).status).toBe(303);
  const both = await manager.submit(`${path}/${id}`, { ...was, ...shown, capacity: "4GB", region: "eu-1" });
  const asked = await both.text();
  expect(both.status).toBe(422);
  expect(asked).toContain("Someone else changed this to “3GB”. Save again to use your value.");
  expect(asked).toContain('name="was.capacity" value="3GB"');
  for (const kept of ['value="4GB"', 'value="eu-1"', 'value="theirs"']) expect(asked).toContain(kept);
  expect(await nodeNamed("cellar")).toMatchObject({ capacityBytes: 3e9, bucket: "theirs", region: "us-east-1" });

  const mine = { ...was, ...shown, region: "eu-1" };
  expect((await manager.submit(`${path}/${id}`, mine)).status).toBe(303);
  expect(await nodeNamed("cellar")).toMatchObject({ capacityBytes: 3e9, bucket: "theirs", region: "eu-1" });
});

test("a node named default that MINIO_* no longer configures can be edited under its name", async () => {
  const { db, manager, nodeNamed } = await desk();
  const { accessKey, secretKey, capacity: _, staleUploadHours: __, ...rest } = filled;
  const keys = { accessKey, secret: secretKey, capacityBytes: 1e9, maxPutBytes: 1e12 };
  const { id } = await storageNodes.register(db, { ...rest, ...keys, publicEndpoint: rest.endpoint, name: "default" });
  await manager.submit(`${path}/${id}`, { ...filled, name: "default", capacity: "3GB" });
  expect((await nodeNamed("default")).capacityBytes).toBe(3e9);
  expect((await manager.submit(`${path}/${id}`, { ...filled, name: "embedded" })).status).toBe(422);
});

test("only an empty node is removed, after a question", async () => {
  const { add, db, fill, manager, nodeNamed, page } = await desk();
  await add({ capacity: "50TB" });
  const { id } = await nodeNamed("cellar");
  expect(await page(`${path}/${id}/remove`)).toContain("Its credentials will be deleted");
  await fill(0);
  const refused = await manager.submit(`${path}/${id}/remove`);
  expect(refused.headers.get("location")).toBe(`${path}/${id}`);
  expect(await page(`${path}/${id}`)).toContain("“cellar” still has 1 file");
  await look(db, "delete from uploads");
  await manager.submit(`${path}/${id}/remove`);
  expect(await storageNodes.find(db, id)).toBeUndefined();
  expect(await page()).toContain("Storage node “cellar” removed.");
  expect((await manager.get(`${path}/${id}`)).status).toBe(404);
});

test("what the configuration sets up can be tested and drained, not edited or removed", async () => {
  const keys = { MINIO_ACCESS_KEY: "key", MINIO_SECRET_KEY: "secret", MINIO_ENDPOINT: "http://127.0.0.1:1" };
  const { manager, nodeNamed, page } = await desk(keys);
  const { id } = await nodeNamed("default");
  const html = await page(`${path}/${id}`);
  expect(html).toContain("MINIO_*");
  expect(html).not.toMatch(/edit-node|remove-node/);
  for (const answer of [
    await manager.get(`${path}/${id}/edit`),
    await manager.submit(`${path}/${id}`, filled),
    await manager.submit(`${path}/${id}/remove`),
  ])
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `${path}/${id}`]);
  expect(await nodeNamed("default")).toMatchObject({ id, bucket: "postroom" });
});

test("keys are typed only by who typed the password lately", async () => {
  const { add, clock, manager, nodeNamed } = await desk();
  const { id } = await nodeNamed("embedded");
  clock.time += 15 * 60_000;
  for (const answer of [
    await manager.get(`${path}/new`),
    await add(),
    await manager.get(`${path}/${id}/edit`),
    await manager.submit(`${path}/${id}`, filled),
    await manager.submit(`${path}/${id}/remove`),
  ])
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/^\/dashboard\/confirm\?next=/),
    ]);
});

test("a node that resumed after a pause says so for a day", async () => {
  const { add, clock, db, nodeNamed, now, page } = await desk();
  await add();
  const { id } = await nodeNamed("cellar");
  for (let i = 0; i < 3; i++) await storageNodes.recordFailure(db, id, "Timeout", now());
  expect(await page()).toContain("Offline, retrying");
  await storageNodes.recordSuccess(db, id, now());
  expect(await page()).toContain("Paused after errors");
  expect(await page(`${path}/${id}`)).toContain("(<bdi>Timeout</bdi>)");
  clock.time += 24 * 3_600_000 + 1;
  expect(await page()).not.toContain("Paused after errors");
});

test("managers can view nodes and see why that is all; owners can change them", async () => {
  const service = await desk();
  await service.add();
  const node = await service.nodeNamed("cellar");
  const bob = await service.signIn({ email: "bob@example.com", role: "manager" });
  for (const page of [path, `${path}/${node.id}`]) {
    const answer = await bob.get(page);
    const text = await answer.text();
    expect([page, answer.status, text.includes("Only owners can"), text.includes(node.name)]).toEqual([
      page,
      200,
      true,
      true,
    ]);
    expect([
      page,
      /<form[^>]*storage\/nodes/.test(text),
      /href="[^"]*nodes\/(new|[^"]*\/(edit|remove))"/.test(text),
    ]).toEqual([page, false, false]);
  }
  const own = { name: "inner", endpoint: "http://169.254.169.254" };
  expect((await bob.submit(path, own)).status).toBe(403);
  for (const verb of ["test", "drain", "activate", "remove"])
    expect([verb, (await bob.submit(`${path}/${node.id}/${verb}`)).status]).toEqual([verb, 403]);
  expect(await service.nodeNamed("cellar")).toMatchObject({ state: "active" });
  const owner = await service.signIn();
  expect((await owner.submit(`${path}/${node.id}/drain`)).status).toBe(303);
});
