import { expect, test } from "bun:test";
import * as storageNodes from "../../db/storage/nodes/nodes";
import * as uploads from "../../db/storage/uploads";
import { smallPart } from "../../test/support/storage/storage";
import { testService } from "../../test/support/service";
import { look, refuse } from "../../test/support/look";

type Parts = { part: number; size: number; url: string }[];
const area = "/api/v1/storage/uploads";

/** An upload of `size` bytes, and short names for its client's requests. */
async function start({ size = 2 * smallPart + 1, multipart = false } = {}) {
  const service = await testService();
  const headers = await service.key();
  const body = { filename: "a.txt", mimeType: "text/plain", size, multipart };
  const reserved = await service.post("/api/v1/storage/upload", body, headers);
  const { data } = (await reserved.json()) as { data: { uploadUrl: string; _meta: { reservationId: string } } };
  const id = data._meta.reservationId;

  const ask = async (method: string, path = "", wanted?: object, as = headers) => {
    const init = { method, headers: { ...as, ...(wanted && { "content-type": "application/json" }) } };
    const answer = await service.send(`${area}/${id}${path}`, {
      ...init,
      ...(wanted && { body: JSON.stringify(wanted) }),
    });
    return [answer.status, (await answer.json()) as { data: object; error: object }] as const;
  };
  const partUrls = async (wanted: object = {}) => {
    const [status, { data }] = await ask("POST", "/parts", wanted);
    return status === 200 ? (data as { parts: Parts }).parts : [];
  };
  const second = () => (service.clock.time += 1_000);
  return { ...service, ask, headers, id, partUrls, second, uploadUrl: data.uploadUrl };
}

const put = ({ url, size }: Parts[number]) => fetch(url, { method: "PUT", body: new Uint8Array(size) });

test("the status of an upload has everything a client needs to resume it", async () => {
  const { ask, second, uploadUrl } = await start({ size: 5 });
  const open = {
    state: "open",
    size: 5,
    received: 0,
    mode: "put",
    partSize: 5,
    partCount: 1,
    parts: [],
    missing: [1],
    urlExpiresAt: "2026-11-21T13:00:00.000Z",
    holdUntil: "2026-11-21T13:15:00.000Z",
  };
  const is = (more: object = {}) => [200, { success: true, data: { ...open, ...more }, error: null }] as never;
  expect(await ask("GET")).toEqual(is());
  await fetch(uploadUrl, { method: "PUT", body: "12345" });
  expect(await ask("GET")).toEqual(is()); // at most one check a second
  second();
  expect(await ask("GET")).toEqual(is({ received: 5, parts: [1], missing: [] }));
  for (let i = 0; i < 3; i++) second();
  expect(await ask("GET")).toEqual(is({ state: "completed", received: 5, parts: [1], missing: [] }));
});

test("an upload belongs to its key: for any other it does not exist, and cannot be changed", async () => {
  const { ask, db, id, key } = await start();
  const before = await uploads.find(db, id);
  const stranger = await key("Another");
  for (const [method, path] of [["GET"], ["POST", "/parts"], ["POST", "/url"], ["POST", "/complete"], ["DELETE"]])
    expect(await ask(method ?? "", path, method === "POST" ? {} : undefined, stranger)).toMatchObject([
      404,
      { error: { code: "NOT_FOUND", message: "Upload not found." } },
    ]);
  expect([before?.state, await uploads.find(db, id)]).toEqual(["open", before]);
});

test("HEAD does not look, so it changes nothing", async () => {
  const { clock, db, headers, id, send, uploadUrl } = await start({ size: 5 });
  await fetch(uploadUrl, { method: "PUT", body: "12345" });
  clock.time += 10_000;
  expect((await send(`${area}/${id}`, { method: "HEAD", headers })).status).toBe(200);
  expect(await uploads.find(db, id)).toMatchObject({ received: 0, checks: 0 });
});

test("parts: those that are requested and missing, each with its length in its URL", async () => {
  const { ask, partUrls, second } = await start();
  expect(await ask("POST", "/parts", { numbers: [3, 2] })).toMatchObject([
    200,
    {
      data: {
        partSize: smallPart,
        partCount: 3,
        expiresIn: 3_600,
        parts: [
          {
            part: 2,
            size: smallPart,
            url: expect.stringContaining("SignedHeaders=content-length%3Bhost&partNumber=2&"),
          },
          { part: 3, size: 1, url: expect.stringContaining("partNumber=3&") },
        ],
      },
    },
  ]);
  const numbers = async (wanted: object) => (await partUrls(wanted)).map(({ part }) => part);
  expect(await numbers({})).toEqual([1, 2, 3]);
  expect(await numbers({ from: 2 })).toEqual([2, 3]);
  expect(await numbers({ to: 1 })).toEqual([1]);
  expect(await numbers({ from: 4, to: 9 })).toEqual([]);
  expect(await numbers({ numbers: [] })).toEqual([]);
  expect(await numbers({ from: null, to: 1, numbers: null })).toEqual([1]); // null is absent (D8)
  const [, two] = await partUrls();
  if (two) await put(two);
  second();
  expect(await numbers({})).toEqual([1, 3]);
});

test("a response contains at most 100 URLs", async () => {
  const { partUrls } = await start({ size: 150 * smallPart, multipart: true });
  expect((await partUrls()).map(({ part }) => part)).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  expect((await partUrls({ from: 101 })).map(({ part }) => part)).toEqual(
    Array.from({ length: 50 }, (_, i) => i + 101),
  );
});

test("a longer range returns its first hundred parts, and one that ends before it begins returns none", async () => {
  const { partUrls } = await start({ size: 150 * smallPart, multipart: true });
  expect((await partUrls({ from: 2, to: 140 })).map(({ part }) => part)).toEqual(
    Array.from({ length: 100 }, (_, i) => i + 2),
  );
  expect(await partUrls({ from: 5, to: 4 })).toEqual([]);
});

test.each([
  [{ from: 0 }, "from", "must be at least 1"],
  [{ from: 1.5 }, "from", "must be a whole number"],
  [{ from: "1" }, "from", "must be a whole number"],
  [{ from: 9_950, to: 10_001 }, "to", "must be at most 10000"],
  [{ numbers: 1 }, "numbers", "must be a list of numbers"],
  [{ numbers: Array(101).fill(1) }, "numbers", "must have at most 100 entries"],
  [{ numbers: [1, -1] }, "numbers.1", "must be at least 1"],
  [{ numbers: [1], from: 1 }, "numbers", "cannot be combined with from or to"],
])("400: parts %j", async (wanted, field, message) => {
  const { ask } = await start();
  expect(await ask("POST", "/parts", wanted)).toMatchObject([400, { error: { details: [{ field, message }] } }]);
});

test("complete: 409 names what is missing in ranges, 200 when it is complete, also again", async () => {
  const { ask, partUrls } = await start({ size: 5 * smallPart, multipart: true });
  const parts = await partUrls();
  if (parts[1]) await put(parts[1]);
  expect(await ask("POST", "/complete")).toMatchObject([
    409,
    {
      error: {
        code: "CONFLICT",
        message: "Parts are missing.",
        details: [
          { field: "parts", message: "1" },
          { field: "parts", message: "3-5" },
        ],
      },
    },
  ]);
  await Promise.all(parts.map(put));
  const done = [200, { data: { state: "completed", received: 5 * smallPart, missing: [] } }];
  expect(await ask("POST", "/complete")).toMatchObject(done);
  expect(await ask("POST", "/complete")).toMatchObject(done);
  expect(await ask("DELETE")).toMatchObject([409, { error: { code: "CONFLICT" } }]);
  expect(await ask("POST", "/parts", {})).toMatchObject([409, { error: { code: "CONFLICT" } }]);
});

test("url: another hour for a single PUT; the URLs of parts are requested elsewhere", async () => {
  const { ask, clock, id } = await start({ size: 5 });
  clock.time += 3_600_000;
  const [status, { data }] = await ask("POST", "/url");
  const { uploadUrl, ...rest } = data as { uploadUrl: string };
  expect([status, rest]).toEqual([
    200,
    { expiresIn: 3_600, method: "PUT", _meta: expect.objectContaining({ reservationId: id }) },
  ]);
  expect((await fetch(uploadUrl, { method: "PUT", body: "12345" })).status).toBe(200);

  const parts = await start({ multipart: true });
  expect(await parts.ask("POST", "/url")).toMatchObject([409, { error: { code: "CONFLICT" } }]);
});

test("delete: the upload is aborted, its URL stops working, and repeating it is not an error", async () => {
  const { ask, uploadUrl } = await start({ size: 5 });
  for (let i = 0; i < 2; i++) expect(await ask("DELETE")).toMatchObject([200, { data: { state: "aborted" } }]);
  expect((await fetch(uploadUrl, { method: "PUT", body: "12345" })).status).toBe(404);
  expect(await ask("POST", "/complete")).toMatchObject([409, { error: { message: "The upload is not open." } }]);
});

test("responses with signed URLs are never cached", async () => {
  const { headers, id, post } = await start();
  for (const path of ["/url", "/parts"]) {
    const { status, headers: sent } = await post(`${area}/${id}${path}`, {}, headers);
    expect([path, status, sent.get("cache-control")]).toEqual([path, 200, "no-store"]);
  }
});

test("502 while the storage fails, and 503 for a status that is not known", async () => {
  const { ask, db } = await start();
  await look(db, "update storage_nodes set endpoint = 'http://127.0.0.1:1'");
  const trouble = { error: { code: "UPLOAD_FAILED", message: "The storage node returned an error. Try again later." } };
  expect(await ask("POST", "/parts", {})).toMatchObject([502, trouble]);
  expect(await ask("POST", "/complete")).toMatchObject([502, trouble]);
  const unknown = { error: { code: "UPLOAD_FAILED", message: expect.stringContaining("unknown") } };
  expect(await ask("GET")).toMatchObject([503, unknown]);
  expect(await ask("DELETE")).toMatchObject([200, { data: { state: "aborting" } }]);
});

test("a failing database is a 500, changes nothing, and does not count against the node", async () => {
  const { ask, db, id } = await start();
  const state = async () => [await uploads.find(db, id), (await storageNodes.list(db)).map(({ failures }) => failures)];
  const before = await state();
  const mend = await refuse(db, "update", "uploads");
  for (const path of ["/parts", "/url", "/complete"])
    expect([path, (await ask("POST", path, path === "/parts" ? {} : undefined))[0]]).toEqual([path, 500]);
  expect((await ask("DELETE"))[0]).toBe(500);
  expect(await state()).toEqual(before);
  await mend();
  expect(await ask("DELETE")).toMatchObject([200, { data: { state: "aborted" } }]);
});

test.each([{}, { "content-type": "application/json" }])(
  "parts without a body are the first missing ones: %j",
  async (type) => {
    const { headers, id, send } = await start();
    const answer = await send(`${area}/${id}/parts`, { method: "POST", headers: { ...headers, ...type } });
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { data: { parts: [{ part: 1 }, { part: 2 }, { part: 3 }] } },
    ]);
  },
);

test("400: parts with a body that is not JSON, or not an object", async () => {
  const { headers, id, send } = await start();
  const said = async (body: string, type = "application/json") => {
    const init = { method: "POST", headers: { ...headers, "content-type": type }, body };
    return ((await (await send(`${area}/${id}/parts`, init)).json()) as { error: { code: string } }).error.code;
  };
  expect(await said("{")).toBe("INVALID_JSON");
  expect(await said("null")).toBe("VALIDATION_ERROR");
  expect(await said("[]")).toBe("VALIDATION_ERROR");
  expect(await said("{}", "text/plain")).toBe("VALIDATION_ERROR");
});
