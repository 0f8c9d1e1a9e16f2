import { expect, spyOn, test } from "bun:test";
import { connected, realPlatform } from "../../test/support/client/connected";
import { look } from "../../test/support/look";
import { smallestPart } from "../../test/support/storage/storage";
import { within } from "../../test/support/within";
import { clientOn, createClient, isPostroomError } from "./client";
import type { Uploadable, UploadState } from "./client";

const part = smallestPart;
const bytesOf = (size: number) => new Uint8Array(size).map((_, i) => (i * 7) % 251);

type Put = { part: number; length: number; md5: string | null };
type Change = (put: Put, url: string, init: RequestInit) => Response | undefined | Promise<Response | undefined>;

/**
 * A service with parts of a MiB, whose client sends more than one of them in parts. `change` answers a PUT in place of
 * storage, before any byte is sent.
 */
async function start(change?: Change, options: Parameters<typeof connected>[0] = {}) {
  const puts: Put[] = [];
  const site = await connected({
    part,
    ...options,
    platform: { maxPutBytes: part, ...options.platform },
    async fetch(url, init) {
      if (init.method !== "PUT") return fetch(url, init);
      const headers = new Headers(init.headers);
      const number = Number(new URL(url).searchParams.get("partNumber"));
      const put = { part: number, length: Number(headers.get("content-length")), md5: headers.get("content-md5") };
      puts.push(put);
      const changed = await change?.(put, url, init);
      init.signal?.throwIfAborted();
      return changed ?? fetch(url, init);
    },
  });
  const stored = async (id: string) => {
    const link = await site.client.files.link(id);
    return new Uint8Array(await (await fetch(link?.url ?? "")).arrayBuffer());
  };
  return { ...site, puts, stored, [Symbol.asyncDispose]: site.close };
}

const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

/** The state of the newest upload, as the service says. */
const stateOf = async ({ service }: Awaited<ReturnType<typeof start>>) => {
  const [row] = await look<{ state: string }>(service.db, "select state from uploads");
  return row?.state;
};

const refusal = (status: number, code: string) => () =>
  new Response(`<Error><Code>${code}</Code></Error>`, { status, headers: { "content-type": "application/xml" } });

test("a file of more than 64 MiB is reserved in parts, a smaller one for one PUT", async () => {
  const reserved: unknown[] = [];
  const client = createClient({
    baseUrl: "http://localhost:3000",
    key: "site_live_x",
    fetch: async (_, { body }) => {
      reserved.push(JSON.parse(String(body)).multipart);
      return Response.json({ success: false, data: null, error: { code: "INSUFFICIENT_STORAGE" } }, { status: 507 });
    },
  });
  for (const size of [64 * 2 ** 20, 64 * 2 ** 20 + 1])
    await caught(client.upload({ size, slice: () => new Blob() }, { filename: "a.bin", mimeType: "a/b" }));
  expect(reserved).toEqual([false, true]);
});

test("a small file is one PUT with its length and MD5, and becomes a file", async () => {
  await using site = await start();
  const bytes = bytesOf(300_000);
  const progress: number[] = [];
  const upload = site.client.upload(new File([bytes], "a.bin", { type: "image/png" }), {
    folderPath: "photos",
    metadata: { "taken-by": "Ada" },
    onProgress: ({ sent, size }) => progress.push(sent / size),
  });
  const file = await upload;
  expect(file).toMatchObject({ filename: "a.bin", mimeType: "image/png", size: 300_000, folderPath: "photos" });
  expect(file.metadata).toEqual({ "taken-by": "Ada" });
  expect(await site.stored(file.id)).toEqual(bytes);
  const md5 = new Bun.CryptoHasher("md5").update(bytes).digest("base64");
  expect(site.puts).toEqual([{ part: 1, length: 300_000, md5 }]);
  expect([progress[0], progress.at(-1), upload.status]).toEqual([0, 1, "done"]);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
});

test("a large file is sent in parts, each once, four at a time", async () => {
  let [running, most] = [0, 0];
  const all = Promise.withResolvers<void>();
  await using site = await start(async () => {
    most = Math.max(most, ++running);
    if (running === 4) all.resolve();
    await all.promise; // the first four begin before one ends
    running--;
  });
  const bytes = bytesOf(5 * part + 17);
  const states: UploadState[] = [];
  let last = 0;
  const upload = site.client.upload(new Blob([bytes]), {
    filename: "film.mp4",
    onState: (state) => states.push(state),
    onProgress: ({ sent }) => (last = sent),
  });
  const file = await upload;
  expect(await site.stored(file.id)).toEqual(bytes);
  expect(site.puts.map(({ part, length }) => [part, length]).toSorted(([a = 0], [b = 0]) => a - b)).toEqual([
    [1, part],
    [2, part],
    [3, part],
    [4, part],
    [5, part],
    [6, 17],
  ]);
  expect([most, last]).toEqual([4, bytes.length]);
  expect(states).toEqual([{ id: file.id, size: bytes.length, partSize: part, filename: "film.mp4" }]);
  expect(upload.state).toEqual(states[0] ?? null);
});

test("URLs are asked sixteen at a time", async () => {
  await using site = await start();
  await site.client.upload(new Blob([bytesOf(17 * part)]), { filename: "a", checksum: false });
  expect(site.paths().filter((request) => request.endsWith("/parts"))).toHaveLength(2);
  expect(site.puts.every(({ md5 }) => md5 === null)).toBe(true);
});

test.each<[string, (bytes: Uint8Array<ArrayBuffer>) => Uploadable]>([
  ["bytes", (bytes) => ({ size: bytes.length, slice: (start, end) => bytes.subarray(start, end) })],
  [
    "a blob later",
    (bytes) => ({ size: bytes.length, slice: async (start, end) => new Blob([bytes.slice(start, end)]) }),
  ],
  [
    "a stream",
    (bytes) => ({
      size: bytes.length,
      name: "c:\\temp\\b.bin",
      slice: (start, end) => new Response(bytes.slice(start, end)).body ?? new ReadableStream(),
    }),
  ],
])("a source may give %s", async (what, source) => {
  await using site = await start();
  const bytes = bytesOf(2 * part + 5);
  const file = await site.client.upload(source(bytes), {
    mimeType: "text/plain",
    ...(what !== "a stream" && { filename: "b.bin" }),
  });
  expect(await site.stored(file.id)).toEqual(bytes);
  expect(file.filename).toBe("b.bin");
});

test("a file without a name, and a state of another file, are mistakes of the program", async () => {
  await using site = await start();
  expect(await caught(site.client.upload(new Blob(["a"])))).toBeInstanceOf(TypeError);
  const state = JSON.stringify({ id: "1", size: 2, partSize: null, filename: "a" });
  expect(await caught(site.client.upload(new Blob(["a"]), { resume: state }))).toBeInstanceOf(TypeError);
  expect(site.requests).toEqual([]);
});

test("a source with fewer or more bytes than it said ends the upload with its own problem", async () => {
  await using site = await start();
  const short = { size: 10, name: "a", slice: () => new Blob(["12345"]) };
  const upload = site.client.upload(short);
  expect(String(await caught(upload))).toContain("The file has another size than before");
  expect(upload.status).toBe("failed");
  let chunks = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
    ++chunks === 100 ? controller.close() : controller.enqueue(new Uint8Array(10));
  const long = { size: 15, name: "a", slice: () => new ReadableStream({ pull }, { highWaterMark: 0 }) };
  expect(String(await caught(site.client.upload(long, { checksum: false })))).toContain("another size than before");
  expect(chunks).toBe(2);
  const gone = { size: 10, name: "a", slice: () => Promise.reject(new Error("The disk is gone")) };
  expect(String(await caught(site.client.upload(gone)))).toContain("The disk is gone");
});

test("a part that fails is sent again with a fresh URL, and progress goes back", async () => {
  let failures = 0;
  await using site = await start(({ part }) =>
    part === 2 && failures++ < 2 ? refusal(500, "InternalError")() : undefined,
  );
  const bytes = bytesOf(3 * part);
  const file = await site.client.upload(new Blob([bytes]), { filename: "a", concurrency: 1 });
  expect(await site.stored(file.id)).toEqual(bytes);
  expect(site.puts.map(({ part }) => part)).toEqual([1, 2, 2, 2, 3]);
  expect(site.waits).toEqual([250, 500]);
});

test.each([
  [403, "AccessDenied"],
  [404, "NoSuchUpload"],
  [400, "BadDigest"],
])(
  "storage’s %d %s may be an expired URL or damaged bytes: the PUT is made again with a fresh one",
  async (status, code) => {
    let failures = 0;
    const urls = new Set<string>();
    await using site = await start((_, url) => {
      urls.add(url);
      return failures++ ? undefined : refusal(status, code)();
    });
    const file = await site.client.upload(new Blob(["12345"]), { filename: "a" });
    expect(await site.stored(file.id)).toEqual(new TextEncoder().encode("12345"));
    expect(site.paths().filter((request) => request.endsWith("/url"))).toHaveLength(1);
  },
);

test("what storage refuses is STORAGE_REFUSED with its code, and the service is told", async () => {
  const reports: unknown[] = [];
  const intercept = async (request: Request) => {
    if (request.url.endsWith("/failed")) reports.push(await request.clone().json());
    return undefined;
  };
  await using site = await start(refusal(507, "XMinioStorageFull"), { intercept });
  const upload = site.client.upload(new Blob(["12345"]), { filename: "a" });
  const error = await caught(upload);
  expect(isPostroomError(error) && [error.code, error.status, error.details]).toEqual([
    "STORAGE_REFUSED",
    507,
    [{ field: "code", message: "XMinioStorageFull" }],
  ]);
  expect(reports).toEqual([{ status: 507, code: "XMinioStorageFull" }]);
  expect([upload.status, await stateOf(site)]).toEqual(["failed", "aborted"]);
  expect(site.puts).toHaveLength(1);
});

test("storage that is full without saying why is not asked again; one that keeps failing is, and then reported", async () => {
  await using full = await start(() => new Response(null, { status: 507 }));
  expect(await caught(full.client.upload(new Blob(["1"]), { filename: "a" }))).toMatchObject({
    status: 507,
    attempts: 1,
  });
  expect(full.puts).toHaveLength(1);
  await using failing = await start(() => new Response("x".repeat(10_000), { status: 500 }), { retries: 1 });
  const error = await caught(failing.client.upload(new Blob(["1"]), { filename: "a" }));
  expect(error).toMatchObject({ code: "STORAGE_REFUSED", status: 500, attempts: 2, details: [] });
  expect(failing.paths().at(-1)).toEndWith("/failed");
});

test("a network that stays away is told, and the upload can be continued by another client", async () => {
  let isDown = true;
  await using site = await start(({ part }) => {
    if (part === 2 && isDown) throw new TypeError("fetch failed");
    return undefined;
  });
  const bytes = bytesOf(3 * part);
  const upload = site.client.upload(new Blob([bytes]), { filename: "a", concurrency: 1 });
  expect(await caught(upload)).toMatchObject({ code: "NETWORK", status: 0 });
  isDown = false;
  const kept = JSON.stringify(upload.state);

  const numbers: number[] = [];
  const another = clientOn(
    {
      baseUrl: site.url,
      key: site.key,
      fetch(url, init) {
        if (init.method === "PUT") numbers.push(Number(new URL(url).searchParams.get("partNumber")));
        return fetch(url, init);
      },
    },
    realPlatform(part),
  );
  const sent: number[] = [];
  const file = await another.upload(new Blob([bytes]), {
    resume: kept,
    onProgress: (progress) => sent.push(progress.sent),
  });
  expect(numbers.toSorted()).toEqual([2, 3]);
  expect([sent[0], sent.at(-1)]).toEqual([part, 3 * part]);
  expect(await site.stored(file.id)).toEqual(bytes);
});

test("a pause ends what is in flight, and resuming sends only what storage does not have", async () => {
  const second = Promise.withResolvers<void>();
  await using site = await start(async ({ part }) => {
    if (part !== 2 || upload.status !== "running" || site.puts.length > 2) return;
    second.resolve();
    await new Promise<void>((resolve) => (ends = resolve));
    return undefined;
  });
  let ends = () => {};
  const bytes = bytesOf(3 * part);
  const upload = site.client.upload(new Blob([bytes]), { filename: "a", concurrency: 1 });
  await within(second.promise, "the second part");
  upload.pause();
  ends();
  expect(upload.status).toBe("paused");
  upload.pause(); // a second time changes nothing
  upload.resume();
  upload.resume();
  expect(upload.status).toBe("running");
  const file = await upload;
  expect(site.puts.map(({ part }) => part)).toEqual([1, 2, 2, 3]);
  expect(await site.stored(file.id)).toEqual(bytes);
});

test("a single PUT that was paused starts over", async () => {
  const began = Promise.withResolvers<void>();
  let ends = () => {};
  await using site = await start(async () => {
    if (site.puts.length > 1) return;
    began.resolve();
    await new Promise<void>((resolve) => (ends = resolve));
    return undefined;
  });
  const upload = site.client.upload(new Blob(["12345"]), { filename: "a" });
  await within(began.promise, "the request that sends the file");
  upload.pause();
  ends();
  upload.resume();
  expect((await upload).size).toBe(5);
  expect(site.puts).toHaveLength(2);
});

test("an upload that is complete is continued to its file", async () => {
  await using site = await start();
  const upload = site.client.upload(new Blob(["12345"]), { filename: "a" });
  const { id } = await upload;
  const again = site.client.upload(new Blob(["12345"]), { resume: upload.state ?? "" });
  expect((await again).id).toBe(id);
  expect(site.puts).toHaveLength(1);
});

test("abort frees the space, and the upload rejects with an AbortError", async () => {
  const began = Promise.withResolvers<void>();
  await using site = await start(async () => {
    began.resolve();
    await new Promise<void>((resolve) => (ends = resolve));
    return undefined;
  });
  let ends = () => {};
  const upload = site.client.upload(new Blob(["12345"]), { filename: "a" });
  await within(began.promise, "the request that sends the file");
  const aborted = upload.abort();
  ends();
  await aborted;
  expect(await caught(upload)).toMatchObject({ name: "AbortError" });
  expect([upload.status, await stateOf(site)]).toEqual(["aborted", "aborted"]);
  await upload.abort(); // nothing is left to do
  expect(site.paths().filter((request) => request.startsWith("DELETE"))).toHaveLength(1);
});

test("a signal aborts, too, with its reason: before, during and while it is paused", async () => {
  const reason = new Error("enough");
  await using early = await start();
  expect(await caught(early.client.upload(new Blob(["1"]), { filename: "a", signal: AbortSignal.abort(reason) }))).toBe(
    reason,
  );
  expect(early.requests).toEqual([]);

  const controller = new AbortController();
  const deleted = Promise.withResolvers<void>();
  await using site = await start(
    () => {
      upload.pause();
      controller.abort(reason);
      return undefined;
    },
    {
      intercept: ({ method }) => {
        if (method === "DELETE") deleted.resolve();
        return undefined;
      },
    },
  );
  const upload = site.client.upload(new Blob(["12345"]), { filename: "a", signal: controller.signal });
  expect(await caught(upload)).toBe(reason);
  await within(deleted.promise, "the request that deletes it");
  expect(upload.status).toBe("aborted");
});

test("an abort while the space is being reserved frees it as soon as it is", async () => {
  await using site = await start(undefined, {
    intercept: ({ url }) => {
      if (url.endsWith("/upload")) aborted = upload.abort();
      return undefined;
    },
  });
  let aborted: Promise<void> | undefined;
  const upload = site.client.upload(new Blob(["12345"]), { filename: "a" });
  await caught(upload);
  await aborted;
  expect(await stateOf(site)).toBe("aborted");
  expect(site.puts).toEqual([]);
});

test("an upload that someone aborted cannot be continued", async () => {
  await using site = await start();
  const { _meta } = await site.client.uploads.create({ filename: "a", mimeType: "text/plain", size: 5 });
  await site.client.uploads.abort(_meta.reservationId);
  const state = { id: _meta.reservationId, size: 5, partSize: null, filename: "a" };
  expect(await caught(site.client.upload(new Blob(["12345"]), { resume: state }))).toMatchObject({ code: "CONFLICT" });
  expect(site.paths().slice(2)).toEqual([`GET /api/v1/storage/uploads/${_meta.reservationId}`]);
});

test("a node that takes so much only in parts, or only with an MD5, gets parts", async () => {
  const bodies: unknown[] = [];
  await using site = await start(undefined, {
    async intercept(request) {
      if (!request.url.endsWith("/upload")) return;
      const body = (await request.clone().json()) as { multipart: boolean };
      bodies.push(body.multipart);
      const error = { code: "INSUFFICIENT_STORAGE", message: "No.", details: [{ field: "contentMd5", message: "x" }] };
      return body.multipart ? undefined : Response.json({ success: false, data: null, error }, { status: 507 });
    },
  });
  const file = await site.client.upload(new Blob(["12345"]), { filename: "a" });
  expect([file.size, bodies.splice(0)]).toEqual([5, [false, true]]);
  const empty = await site.client.upload(new Blob([]), { filename: "a" });
  expect([empty.size, bodies]).toEqual([0, [false, true]]);
});

test("a PUT that stands still ends, and is made again", async () => {
  let isStill = true;
  let calls = 0;
  const change = (_put: Put, _url: string, init: RequestInit) => {
    if (++calls > 1) init.signal = null; // nobody knows how long the second one takes here
    return undefined;
  };
  await using site = await start(change, { platform: { stallMs: 100 } });
  const still = {
    size: 10,
    name: "a",
    slice: () => {
      if (!isStill) return new Blob(["1234567890"]);
      isStill = false;
      return new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    },
  };
  const file = await site.client.upload(still, { checksum: false });
  expect(file.size).toBe(10);
  expect(site.puts).toHaveLength(2);
});

test("a PUT that goes on, however slowly, is not ended", async () => {
  const stallMs = 3_600_000;
  const [start_, clear] = [globalThis.setTimeout, globalThis.clearTimeout];
  const waiting = new Map<unknown, () => void>();
  using _start = spyOn(globalThis, "setTimeout").mockImplementation(((act: () => void, ms?: number) => {
    const timer = start_(act, ms);
    if (ms === stallMs) waiting.set(timer, act);
    return timer;
  }) as typeof setTimeout);
  using _clear = spyOn(globalThis, "clearTimeout").mockImplementation((timer) => {
    waiting.delete(timer);
    clear(timer as Timer);
  });
  await using site = await start(undefined, { platform: { stallMs } });
  let chunks = 0;
  let since: (() => void)[] = [];
  /** Each piece comes so late that whoever waited since the one before would wait no longer. */
  const pull = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    for (const act of waiting.values()) if (since.includes(act)) act();
    since = [...waiting.values()];
    controller.enqueue(bytesOf(10));
    if (++chunks === 4) controller.close();
  };
  const slow = { size: 40, name: "a", slice: () => new ReadableStream({ pull }, { highWaterMark: 0 }) };
  expect((await site.client.upload(slow, { checksum: false })).size).toBe(40);
  expect([site.puts.length, waiting.size]).toEqual([1, 0]);
});

test("while storage puts the file together, the client asks again, ever less often", async () => {
  let polls = 0;
  await using site = await start(undefined, {
    async intercept(request) {
      const isStatus = /uploads\/[^/]+(\/complete)?$/.test(request.url);
      if (!isStatus || polls++ > 2) return;
      const status = (await (await site.service.app.handle(request, "127.0.0.1")).json()) as { data: object };
      return Response.json({ ...status, data: { ...status.data, state: "completing" } });
    },
  });
  await site.client.upload(new Blob(["12345"]), { filename: "a" });
  expect(site.waits).toEqual([500, 1_000, 2_000]);
});

test("what storage says is missing in the end is sent again, twice", async () => {
  let refusals = 2;
  await using site = await start(undefined, {
    intercept({ url }) {
      if (!url.endsWith("/complete") || refusals-- <= 0) return;
      const error = { code: "CONFLICT", message: "Parts are missing.", details: [{ field: "parts", message: "1" }] };
      return Response.json({ success: false, data: null, error }, { status: 409 });
    },
  });
  expect((await site.client.upload(new Blob(["12345"]), { filename: "a" })).size).toBe(5);
  expect(refusals).toBe(-1);
  refusals = 3;
  expect(await caught(site.client.upload(new Blob(["12345"]), { filename: "b" }))).toMatchObject({ code: "CONFLICT" });
  expect(refusals).toBe(0);
});

type Runtime = { name: string; value?: unknown; file?: Uploadable };

/** Uploads 1,600 bytes as in a runtime that has this global. Returns what was given to fetch, and to timers. */
async function uploadIn({ name, value = {}, file = new Blob(["x".repeat(1_600)]) }: Runtime) {
  const puts: { body: unknown; length: string | null }[] = [];
  await using site = await connected({
    fetch(url, init) {
      if (init.method === "PUT")
        puts.push({ body: init.body, length: new Headers(init.headers).get("content-length") });
      return fetch(url, init);
    },
  });
  const sent: number[] = [];
  using timers = spyOn(globalThis, "setTimeout");
  Object.assign(globalThis, { [name]: value });
  try {
    const onProgress = (progress: { sent: number }) => sent.push(progress.sent);
    await site.client.upload(file, { filename: "a", checksum: false, onProgress });
  } finally {
    Reflect.deleteProperty(globalThis, name);
  }
  return { ...puts[0], sent, timers: timers.mock.calls.map(([, ms]) => ms) };
}

/** Where no progress is seen, a minute and the time of all bytes may pass. */
const patient = 60_000 + 1_600 / 16;

test("Deno and pages, which give streams no length, get bytes, and Workers get their own stream of a length", async () => {
  const bytes = { size: 1_600, slice: () => new Uint8Array(1_600) };
  const [deno, page, other] = [
    await uploadIn({ name: "Deno" }),
    await uploadIn({ name: "document" }),
    await uploadIn({ name: "document", file: bytes }),
  ];
  expect([deno.body instanceof ArrayBuffer, page.body instanceof Blob, other.body instanceof ArrayBuffer]).toEqual([
    ...[true, true, true],
  ]);
  for (const each of [deno, page, other])
    expect(each).toMatchObject({ length: null, sent: [0, 1_600], timers: expect.arrayContaining([patient]) });
  const lengths: number[] = [];
  class FixedLengthStream extends TransformStream {
    constructor(length: number) {
      super();
      lengths.push(length);
    }
  }
  const { body, ...worker } = await uploadIn({ name: "FixedLengthStream", value: FixedLengthStream });
  expect([body instanceof ReadableStream, lengths]).toEqual([true, [1_600]]);
  expect(worker).toMatchObject({ length: "1600", sent: [0, 1_600], timers: expect.not.arrayContaining([patient]) });
});

test("a stream is never empty", async () => {
  const none = await uploadIn({ name: "any", file: new Blob([]) });
  const one = await uploadIn({ name: "any", file: new Blob(["x"]) });
  expect([none.body instanceof ArrayBuffer, one.body instanceof ReadableStream]).toEqual([true, true]);
});
