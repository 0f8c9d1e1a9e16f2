import { beforeAll, describe, expect, test } from "bun:test";
import * as audit from "../../../../db/audit";
import * as storageNodes from "../../../../db/storage/nodes/nodes";
import * as uploads from "../../../../db/storage/uploads";
import { listUploads } from "../../../../test/support/storage/upload-rows";
import { smallPart } from "../../../../test/support/storage/storage";
import { asset } from "../../../../views/assets";
import { testService } from "../../../../test/support/service";
import { everything, look, refuse } from "../../../../test/support/look";

const path = "/dashboard/storage/uploads";
const file = { filename: "letter.txt", folderPath: "letters", mimeType: "text/plain", size: 5 };
type Standing = { id: string; state: string; filename: string; size: number; partSize: number; received: number[] };

let service: Awaited<ReturnType<typeof testService>>;
let manager: Awaited<ReturnType<typeof service.signIn>>;
beforeAll(async () => {
  service = await testService();
  manager = await service.signIn();
  await service.storage.nodes.open();
});

/** Does what the page's script does: sends JSON with the form token in a header. */
async function call<T>(to: string, content?: object, by = manager): Promise<{ status: number; body: T }> {
  const headers = { ...by.headers, "content-type": "application/json", "x-form-token": by.token };
  const init = content ? { method: "POST", body: JSON.stringify(content), headers } : { headers };
  const answer = await service.send(path + to, init);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  return { status: answer.status, body: (await answer.json()) as T };
}

async function reserve(more: object = {}): Promise<Standing> {
  const { status, body } = await call<Standing>("", { ...file, ...more });
  expect(status).toBe(201);
  return body;
}

async function send(id: string, bytes: string, number = 1): Promise<void> {
  const { body } = await call<{ urls: Record<string, string> }>(`/${id}/parts`, { numbers: [number] });
  const { status } = await fetch(body.urls[number] ?? "", { method: "PUT", body: bytes });
  expect(status).toBe(200);
}

/** Uploads a file the way the script does. */
async function upload(more: object = {}, completion: object = {}): Promise<string> {
  const { id, size } = await reserve(more);
  await send(id, "x".repeat(size));
  const { body } = await call<Standing>(`/${id}/complete`, completion);
  expect(body.state).toBe("completed");
  return id;
}

const reservedBytes = async () => (await storageNodes.list(service.db))[0]?.reservedBytes;

test("the script weighs 8 KB at most, as it is served", async () => {
  const { send } = service;
  const answer = await send(asset("storage.js"), { headers: { "accept-encoding": "gzip" } });
  expect([answer.status, answer.headers.get("content-encoding")]).toEqual([200, "gzip"]);
  const { byteLength } = await answer.arrayBuffer();
  expect(byteLength).toBeLessThanOrEqual(8 * 1_024);
  expect(byteLength).toBeGreaterThan(1_024);
});

describe("an upload from the dashboard", () => {
  test("is planned in parts, and is a file when they are there", async () => {
    const size = smallPart + 3;
    const { id, ...plan } = await reserve({ filename: "two.bin", size });
    expect(plan).toEqual({ state: "open", filename: "two.bin", size, partSize: smallPart, received: [] });
    await send(id, "123", 2);
    const early = await call<Standing>(`/${id}/complete`, {});
    expect([early.status, early.body.state, early.body.received]).toEqual([200, "open", [2]]);
    await send(id, "x".repeat(smallPart));
    expect((await call<Standing>(`/${id}/complete`, {})).body.state).toBe("completed");
    expect((await call<Standing>(`/${id}/complete`, {})).body.state).toBe("completed");
  });

  test("gives URLs only for parts that are missing", async () => {
    const { id } = await reserve({ filename: "missing.bin", size: smallPart + 3 });
    await send(id, "123", 2);
    service.clock.time += 1_000;
    const { body } = await call<{ urls: object; expiresIn: number }>(`/${id}/parts`, { numbers: [1, 2, 3] });
    expect([Object.keys(body.urls), body.expiresIn]).toEqual([["1"], 3_600]);
  });

  test("says how much room there is when there is too little", async () => {
    const { status, body } = await call<{ message: string }>("", { ...file, size: 38e12 / 10 });
    expect([status, body.message]).toEqual([
      507,
      expect.stringMatching(/^No storage node has 3\.8 TB free\. The most free space is [\d.]+ GB, on embedded\.$/),
    ]);
  });

  test("is aborted on request, and its space is freed immediately", async () => {
    const before = await reservedBytes();
    const { id } = await reserve({ filename: "given-up.txt", size: 1_000 });
    expect(await reservedBytes()).toBe((before ?? 0) + 1_000);
    expect((await call<Standing>(`/${id}/abort`, {})).body.state).toBe("aborted");
    expect(await reservedBytes()).toBe(before);
    expect((await call(`/${id}/parts`, { numbers: [1] })).status).toBe(409);
    const { events } = await audit.list(service.db, { q: id }, { page: 1, per: 5 });
    expect(events.map(({ action, actor }) => [action, actor])).toEqual([
      ["file.upload-cancel", "owner@example.com"],
      ["file.upload", "owner@example.com"],
    ]);
  });

  test("happens with its entry in the audit log, or not at all", async () => {
    const { db } = service;
    const headers = { ...manager.headers, "content-type": "application/json", "x-form-token": manager.token };
    const post = (to: string, content: object) =>
      service.send(path + to, { method: "POST", headers, body: JSON.stringify(content) });
    const mute = () => refuse(db, "insert", "audit_events");
    let unmute = await mute();
    expect((await post("", { ...file, filename: "unheard.txt" })).status).toBe(500);
    await unmute();
    const [unheard] = await listUploads(db, { limit: 1 });
    expect(unheard?.upload).toMatchObject({ filename: "unheard.txt", state: "aborting" });
    expect((await storageNodes.list(db))[0]?.failures).toBe(0);

    const { id } = await reserve();
    unmute = await mute();
    expect((await post(`/${id}/abort`, {})).status).toBe(500);
    await unmute();
    expect((await uploads.find(db, id))?.state).toBe("open");
    for (let i = 0; i < 2; i++) expect((await call<Standing>(`/${id}/abort`, {})).body.state).toBe("aborted");
    const { events } = await audit.list(db, { q: id }, { page: 1, per: 5 });
    expect(events.map(({ action, details }) => [action, details])).toEqual([
      ["file.upload-cancel", {}],
      ["file.upload", { size: "5 bytes" }],
    ]);
  });

  test("requested again under the same key it is the same one, until it is aborted", async () => {
    const before = (await reservedBytes()) ?? 0;
    const headers = { ...manager.headers, "content-type": "application/json", "x-form-token": manager.token };
    const again = async (key: string, more: object = {}, by = headers) => {
      const body = JSON.stringify({ ...file, filename: "lost.txt", size: 700, keepBoth: true, ...more });
      const answer = await service.send(path, { method: "POST", headers: { ...by, "idempotency-key": key }, body });
      return ((await answer.json()) as Standing).id;
    };
    const id = await again("one");
    expect(await again("one")).toBe(id);
    expect(await reservedBytes()).toBe(before + 700);
    const other = await service.signIn({ email: "third@example.com" });
    const theirs = { ...other.headers, "content-type": "application/json", "x-form-token": other.token };
    const ids = [await again("two"), await again("one", { size: 1 }), await again("one", {}, theirs)];
    expect(new Set([id, ...ids]).size).toBe(4);
    await call(`/${id}/abort`, {});
    const fresh = await again("one");
    expect([fresh === id, await again("one")]).toEqual([false, fresh]);
    expect(new Set(await Promise.all(Array.from({ length: 5 }, () => again("three")))).size).toBe(1);
  });

  test("a file that is complete is not aborted", async () => {
    const id = await upload({ filename: "kept.txt" });
    expect((await call<Standing>(`/${id}/abort`, {})).body.state).toBe("completed");
  });

  test("belongs to the manager who began it", async () => {
    const { id } = await reserve({ filename: "mine.txt" });
    const other = await service.signIn({ email: "other@example.com" });
    const answers = await Promise.all([
      call(`/${id}`, undefined, other),
      call(`/${id}/parts`, { numbers: [1] }, other),
      call(`/${id}/complete`, {}, other),
      call(`/${id}/abort`, {}, other),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await uploads.find(service.db, id))?.state).toBe("open");
  });

  test("one by an API key is no one's here", async () => {
    const answer = await service.post("/api/v1/storage/upload", { ...file }, await service.key());
    const { data } = (await answer.json()) as { data: { _meta: { reservationId: string } } };
    expect((await call(`/${data._meta.reservationId}`)).status).toBe(404);
  });

  test.each([
    [{ filename: "a/b" }, "The name must not contain / or \\."],
    [{ filename: "" }, "The name is required."],
    [{ folderPath: "a/../b" }, "The folder must not contain .. or \\."],
    [{ size: -1 }, "The size must be a whole number from 0 to 5497558138880."],
  ])("is refused in words: %p", async (wrong, message) => {
    const { status, body } = await call("", { ...file, ...wrong });
    expect([status, body]).toEqual([422, { message }]);
  });

  test("of a strange type is of no type", async () => {
    const { id } = await reserve({ filename: "odd", mimeType: "not a type" });
    expect((await uploads.find(service.db, id))?.mimeType).toBe("application/octet-stream");
  });
});

describe("a name that is taken", () => {
  test("is known, in its own folder only, and not when it is in the trash", async () => {
    const id = await upload({ filename: "taken.txt" });
    const files = [
      { filename: "taken.txt", folderPath: "letters" },
      { filename: "taken.txt", folderPath: "" },
      { filename: "free.txt", folderPath: "letters" },
    ];
    expect((await call("/names", { files })).body).toEqual({ taken: [true, false, false] });
    const strange = { filename: "a\\b", folderPath: "" }; // not a valid name, but no reason to fail the others
    expect((await call("/names", { files: [strange, ...files] })).body).toEqual({ taken: [false, true, false, false] });
    const tooMany = { files: Array(101).fill(files[0]) };
    expect(await call("/names", tooMany)).toEqual({ status: 422, body: { taken: [] } });
    await look(service.db, "update uploads set deleted_at = 1, purge_at = 1e15 where id = ?", [id]);
    expect((await call("/names", { files })).body).toEqual({ taken: [false, false, false] });
  });

  test("is kept beside the next free one, with its ending", async () => {
    const both = { keepBoth: true };
    for (const filename of ["photo.tar.gz", "README", ".env"]) {
      await upload({ filename });
      const second = await upload({ filename, ...both });
      const third = await reserve({ filename, ...both });
      const names = [(await uploads.find(service.db, second))?.filename, third.filename];
      const expected = { "photo.tar.gz": "photo.tar", README: "README", ".env": ".env" }[filename];
      const ending = filename === "photo.tar.gz" ? ".gz" : "";
      expect(names).toEqual([`${expected} (2)${ending}`, `${expected} (3)${ending}`]);
    }
  });

  test("that is as long as a name may be is cut between characters for its number", async () => {
    const filename = `${"ü".repeat(125)}.txt`;
    await upload({ filename });
    const { filename: other } = await reserve({ filename, keepBoth: true });
    expect(Buffer.byteLength(other)).toBeLessThanOrEqual(255);
    expect(other).toMatch(/^ü+ \(2\)\.txt$/);
  });

  test("is replaced when the new file has arrived: the old one moves to the trash", async () => {
    const old = await upload({ filename: "draft.txt" });
    service.clock.time += 1;
    const { id } = await reserve({ filename: "draft.txt" });
    await call(`/${id}/complete`, { replace: true });
    expect((await uploads.find(service.db, old))?.deletedAt).toBeNull();
    await send(id, "xxxxx");
    await call(`/${id}/complete`, { replace: true });
    expect((await uploads.find(service.db, old))?.deletedAt).not.toBeNull();
    expect((await uploads.find(service.db, id))?.deletedAt).toBeNull();
  });
});

test("a file that an endpoint refused says so, and why; one that ended otherwise does not", async () => {
  const status = async (outcome: string) => {
    const { id } = await reserve();
    const row = await uploads.find(service.db, id);
    if (row) await uploads.settle(service.db, row, { state: "aborted", outcome }, service.now());
    return (await call<{ state: string; refusal?: string }>(`/${id}`)).body;
  };
  expect(await status("refused by Scanner: EICAR")).toMatchObject({
    ...{ state: "aborted", refusal: "This file was refused by Scanner: EICAR." },
  });
  expect(await status("damaged")).not.toHaveProperty("refusal");
});

test("a file that the node refused is given up, and its space is freed", async () => {
  const before = await reservedBytes();
  const { id } = await reserve();
  expect(await call(`/${id}/failed`, { status: 403, code: "AccessDenied" })).toMatchObject({
    body: { state: "aborted" },
  });
  expect(await reservedBytes()).toBe(before);
});

test("HEAD returns the last known status without asking the node (D9)", async () => {
  const { id, size } = await reserve();
  await send(id, "x".repeat(size));
  service.clock.time += 5_000;
  await service.db.settled();
  const changes = async () => await everything(service.db);
  const before = await changes();
  const answer = await service.send(`${path}/${id}`, { method: "HEAD", headers: manager.headers });
  await service.db.settled();
  expect([answer.status, await changes()]).toEqual([200, before]);
  expect((await call<Standing>(`/${id}`)).body.received).toEqual([1]);
});
