import { expect, test } from "bun:test";
import * as uploads from "../../db/storage/uploads";
import { listUploads } from "../../test/support/storage/upload-rows";
import { testService } from "../../test/support/service";
import { lookAt } from "../../test/support/look";

const path = "/api/v1/storage/upload";
const file = { filename: "a.txt", mimeType: "text/plain", size: 5 };
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

type Answer = { data: { uploadUrl: string; _meta: { reservationId: string; folderId: string } } };

async function start() {
  const service = await testService();
  const key = await service.key();
  const request = (body: unknown, headers: Record<string, string> = key) => service.post(path, body, headers);
  const grant = async (body: object = {}) => ((await (await request({ ...file, ...body })).json()) as Answer).data;
  return { ...service, headers: key, request, grant };
}

test("the response is as in the contract, and must not be cached", async () => {
  const { request } = await start();
  const answer = await request(file);
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(await answer.json()).toEqual({
    success: true,
    data: {
      uploadUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/.*X-Amz-Expires=3600&/),
      expiresIn: 3600,
      method: "PUT",
      _meta: {
        nodeId: expect.stringMatching(uuid),
        reservationId: expect.stringMatching(uuid),
        folderId: expect.stringMatching(uuid),
      },
    },
    error: null,
  });
});

test("without a key there is nothing but 401, whatever was sent", async () => {
  const { request } = await start();
  for (const body of [file, "{", {}]) {
    const missing = await request(body, {});
    expect([missing.status, await missing.json()]).toMatchObject([401, { error: { message: "Missing API key" } }]);
    const wrong = await request(body, { "x-api-key": "site_live_0" });
    expect([wrong.status, await wrong.json()]).toMatchObject([
      401,
      { error: { message: "Invalid or inactive API key" } },
    ]);
  }
});

const size = "must be a whole number from 0 to 5497558138880";
test.each<[string, object, string, string]>([
  ["no name", { filename: undefined }, "filename", "is required"],
  ["a name that is a number", { filename: 1 }, "filename", "must be a string"],
  ["a null name", { filename: null }, "filename", "must be a string"],
  ["an empty name", { filename: " " }, "filename", "is required"],
  ["256 bytes", { filename: "ä".repeat(128) }, "filename", "must be at most 255 bytes long"],
  ["a slash", { filename: "a/b" }, "filename", "must not contain / or \\"],
  ["a backslash", { filename: "a\\b" }, "filename", "must not contain / or \\"],
  ["a NUL", { filename: "a\0b" }, "filename", "must not contain control characters or line breaks"],
  ["a line break", { filename: "a\r\nb" }, "filename", "must not contain control characters or line breaks"],
  ["half a character", { filename: "a\ud800" }, "filename", "must be valid Unicode"],
  [
    "text turned around",
    { filename: "gpj.\u202egnp" },
    "filename",
    "must not contain bidirectional control characters",
  ],
  ["a dot", { filename: "." }, "filename", "must be a valid file name"],
  ["two dots", { filename: ".." }, "filename", "must be a valid file name"],
  ["no type", { mimeType: undefined }, "mimeType", "is required"],
  ["half a type", { mimeType: "image" }, "mimeType", "must be a MIME type such as image/png"],
  ["a wild type", { mimeType: "*/*" }, "mimeType", "must be a MIME type such as image/png"],
  [
    "a header in the type",
    { mimeType: "a/b\r\nx: y" },
    "mimeType",
    "must not contain control characters or line breaks",
  ],
  ["an emoji type", { mimeType: "image/🙂" }, "mimeType", "must be a MIME type such as image/png"],
  ["a wide space in the type", { mimeType: "a/b;\u3000c=d" }, "mimeType", "must be a MIME type such as image/png"],
  ["a fixed space in the type", { mimeType: "a/b\u00a0; c=d" }, "mimeType", "must be a MIME type such as image/png"],
  ["a loose end", { mimeType: "text/plain;" }, "mimeType", "must be a MIME type such as image/png"],
  ["no size", { size: undefined }, "size", "is required"],
  ["a size in quotes", { size: "5" }, "size", "must be a number"],
  ["half a byte", { size: 0.5 }, "size", size],
  ["less than nothing", { size: -1 }, "size", size],
  ["more than 5 TiB", { size: 5 * 2 ** 40 + 1 }, "size", size],
  ["a folder that is a list", { folderPath: ["a"] }, "folderPath", "must be a string"],
  ["a folder above", { folderPath: "a/../b" }, "folderPath", "must not contain .. or \\"],
  ["a backslash in a folder", { folderPath: "a\\b" }, "folderPath", "must not contain .. or \\"],
  ["33 folders", { folderPath: Array(33).fill("a").join("/") }, "folderPath", "must have at most 32 folders"],
  [
    "a long folder",
    { folderPath: "ä".repeat(128) },
    "folderPath",
    "must not contain a folder name longer than 255 bytes",
  ],
  [
    "a long path",
    { folderPath: Array(5).fill("ä".repeat(127)).join("/") },
    "folderPath",
    "must be at most 1024 bytes long",
  ],
])("400: %s", async (_, body, field, message) => {
  const { db, request } = await start();
  const answer = await request({ ...file, ...body });
  expect([answer.status, await answer.json()]).toEqual([
    400,
    {
      success: false,
      data: null,
      error: { code: "VALIDATION_ERROR", message: "The request is not valid.", details: [{ field, message }] },
    },
  ]);
  expect(await listUploads(db)).toEqual([]);
});

test("400: invalid JSON, and a body that is not an object", async () => {
  const { request } = await start();
  expect(await (await request("{")).json()).toMatchObject({ error: { code: "INVALID_JSON" } });
  expect(await (await request([])).json()).toMatchObject({ error: { code: "VALIDATION_ERROR" } });
  expect((await request({ ...file, size: 1e999 })).status).toBe(400);
});

test.each([
  ["a.txt", "a.txt"],
  [" a b.txt ", "a b.txt"],
  ["A\u030a.txt", "Å.txt"],
  ["..a", "..a"],
  ["ä".repeat(127), "ä".repeat(127)],
])("the name %p is kept as %p", async (filename, kept) => {
  const { db, grant } = await start();
  const { _meta } = await grant({ filename });
  expect((await uploads.find(db, _meta.reservationId))?.filename).toBe(kept);
});

test.each(["image/svg+xml", "text/plain; charset=utf-8", 'multipart/mixed; boundary="a b"', "application/vnd.a-b.c_d"])(
  "the type %p is accepted and is the type of the object",
  async (mimeType) => {
    const { clock, grant, storage } = await start();
    const { uploadUrl, _meta } = await grant({ mimeType });
    await fetch(uploadUrl, { method: "PUT", body: "12345" });
    await storage.status(_meta.reservationId);
    clock.time += 3_000;
    await storage.status(_meta.reservationId);
    const url = await storage.downloadUrl(_meta.reservationId);
    expect((await fetch(url ?? "")).headers.get("content-type")).toBe(mimeType);
  },
);

test("a path is one folder, however it is written; without one it is the root", async () => {
  const { db, grant } = await start();
  const folderOf = async (folderPath?: string | null) => (await grant({ folderPath }))._meta.folderId;
  const written = ["a/b", "/a/b/", "a//b", " a / b ", "./a/./b"];
  const ids = new Set(await Promise.all(written.map(folderOf)));
  expect(ids.size).toBe(1);
  const roots = new Set([await folderOf(), await folderOf(null), await folderOf(""), await folderOf("/")]);
  expect(roots.size).toBe(1);
  const paths = (await listUploads(db)).map(({ folder }) => folder);
  expect(new Set(paths)).toEqual(new Set(["a/b", ""]));
});

test("the name of a folder may have 255 bytes", async () => {
  const { db, grant } = await start();
  const name = `${"ä".repeat(127)}a`;
  await grant({ folderPath: `a/${name}` });
  expect((await listUploads(db)).map(({ folder }) => folder)).toEqual([`a/${name}`]);
});

test("5 TiB may be requested", async () => {
  const { request } = await start();
  expect((await request({ ...file, size: 5 * 2 ** 40 })).status).toBe(507); // valid, but more than this node has
});

test.each([null, undefined, false])("multipart %p is the contract's one PUT", async (multipart) => {
  const { grant } = await start();
  expect(Object.keys(await grant({ multipart }))).toEqual(["uploadUrl", "expiresIn", "method", "_meta"]);
});

test("with multipart the response contains the plan, and uploadUrl accepts the first part", async () => {
  const { grant } = await start();
  const size = 12 * 2 ** 20;
  expect(await grant({ multipart: true, size })).toMatchObject({ partSize: 5 * 2 ** 20, partCount: 3, method: "PUT" });
  expect(await grant({ multipart: true })).toMatchObject({ partSize: 5 * 2 ** 20, partCount: 1 });
});

test.each(["true", 1, {}])("multipart %p is a 400", async (multipart) => {
  const { request } = await start();
  const answer = await request({ ...file, multipart });
  const details = [{ field: "multipart", message: "must be true or false" }];
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { details } }]);
});

type Reserved = {
  data: { uploadUrl: string; expiresIn: number; partCount?: number; _meta: { reservationId: string } };
};

/** Sends requests with an Idempotency-Key. */
async function repeating() {
  const service = await start();
  const { headers, request } = service;
  const ask = async (idempotencyKey: string, body: object = file, as = headers) => {
    const answer = await request(body, { ...as, "idempotency-key": idempotencyKey });
    return [answer.status, (await answer.json()) as Reserved] as const;
  };
  const idOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked))[1].data._meta.reservationId;
  return { ...service, ask, idOf };
}

test("the same Idempotency-Key gets the same reservation, with a new URL that accepts the bytes", async () => {
  const { ask, clock, db, storage } = await repeating();
  const [, { data: first }] = await ask("k1");
  clock.time += 50 * 60_000;
  const [status, { data: again }] = await ask("k1", { ...file, multipart: false, folderPath: "/", extra: 1 }); // the same request
  expect(status).toBe(200);
  expect(again).toEqual({ ...first, uploadUrl: expect.any(String) });
  expect((await listUploads(db)).length).toBe(1);
  const { urlExpiresAt, holdUntil } = (await uploads.find(db, first._meta.reservationId)) ?? {};
  expect(urlExpiresAt?.getTime()).toBe(clock.time + 3_600_000);
  expect(holdUntil?.getTime()).toBe(clock.time + 75 * 60_000);
  expect((await fetch(again.uploadUrl, { method: "PUT", body: "12345" })).status).toBe(200);
  await storage.status(first._meta.reservationId);
  clock.time += 3_000;
  expect(await storage.status(first._meta.reservationId)).toMatchObject({ state: "completed" });
});

test("the same Idempotency-Key for another upload is a 409, and reserves nothing", async () => {
  const { ask, db } = await repeating();
  await ask("k1");
  for (const other of [
    { size: 6 },
    { filename: "b.txt" },
    { mimeType: "a/b" },
    { folderPath: "a" },
    { multipart: true },
  ]) {
    const error = { code: "CONFLICT", message: "This Idempotency-Key has already been used for a different upload." };
    expect(await ask("k1", { ...file, ...other })).toEqual([409, { success: false, data: null, error }] as never);
  }
  expect((await listUploads(db)).length).toBe(1);
});

test("an Idempotency-Key is its API key's own", async () => {
  const { idOf, key } = await repeating();
  const stranger = await key("Another");
  expect(await idOf("k1")).not.toBe(await idOf("k1", file, stranger));
  expect(await idOf("k1", { ...file, size: 6 }, await key("Third"))).toBeString();
});

test("requests at the same time under one Idempotency-Key are one reservation", async () => {
  const { db, idOf } = await repeating();
  const ids = await Promise.all(Array.from({ length: 10 }, () => idOf("k1")));
  expect([new Set(ids).size, (await listUploads(db)).length]).toEqual([1, 1]);
});

test("after a day, or once it is aborted, the same Idempotency-Key makes a new reservation", async () => {
  const { clock, headers, idOf, send } = await repeating();
  const first = await idOf("k1");
  await send(`/api/v1/storage/uploads/${first}`, { method: "DELETE", headers });
  const second = await idOf("k1");
  expect(second).not.toBe(first);
  clock.time += 86_400_000;
  expect(await idOf("k1", { ...file, size: 6 })).not.toBe(second);
});

test("a repeated multipart reservation returns its plan, and so does one that was converted", async () => {
  const { ask, headers, post } = await repeating();
  const wanted = { ...file, size: 12 * 2 ** 20 };
  const [, first] = await ask("parts", { ...wanted, multipart: true });
  expect((await ask("parts", { ...wanted, multipart: true }))[1].data.partCount).toBe(first.data.partCount);
  const [, { data: one }] = await ask("one", wanted);
  expect(one.partCount).toBeUndefined();
  await post(`/api/v1/storage/uploads/${one._meta.reservationId}/parts`, {}, headers);
  const [, { data: again }] = await ask("one", wanted);
  expect(again).toMatchObject({ partCount: 3, _meta: one._meta });
  expect((await fetch(again.uploadUrl, { method: "PUT", body: new Uint8Array(5 * 2 ** 20) })).status).toBe(200);
});

test("409 when the upload of an Idempotency-Key is complete, with its id", async () => {
  const { ask, headers, post } = await repeating();
  const [, { data }] = await ask("k1");
  await fetch(data.uploadUrl, { method: "PUT", body: "12345" });
  const id = data._meta.reservationId;
  await post(`/api/v1/storage/uploads/${id}/complete`, {}, headers);
  const details = [{ field: "reservationId", message: id }];
  expect(await ask("k1")).toMatchObject([409, { error: { code: "CONFLICT", details } }] as never);
});

test("a refusal is not remembered", async () => {
  const { ask, db } = await repeating();
  expect((await ask("order-1234", { ...file, size: 5 * 2 ** 40 }))[0]).toBe(507);
  expect((await ask("order-1234"))[0]).toBe(200);
  expect((await lookAt(db, "select key, fingerprint from idempotency_keys")).flat().join()).not.toContain("order-1234");
});

test.each(["", " ", "a b", "ä", "k".repeat(256)])("400: the Idempotency-Key %p", async (idempotencyKey) => {
  const { ask, db } = await repeating();
  const details = [{ field: "Idempotency-Key", message: "must be 1 to 255 visible ASCII characters" }];
  expect(await ask(idempotencyKey)).toMatchObject([400, { error: { details } }] as never);
  expect(await listUploads(db)).toEqual([]);
});
