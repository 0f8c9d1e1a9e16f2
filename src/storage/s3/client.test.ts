import { afterAll, expect, test } from "bun:test";
import { clientFor } from "./client";
import { openS3, type S3 } from "./s3";
import { codeOf, isRefusal } from "./errors";

const closing: (() => unknown)[] = [];
afterAll(() => closing.forEach((close) => close()));

const target = (port: number | undefined) => {
  const endpoint = `http://127.0.0.1:${port}`;
  const keys = { accessKey: "key", secretKey: "secret", region: "us-east-1", bucket: "uploads" };
  return { ...keys, endpoint, publicEndpoint: endpoint };
};

/** A provider that responds to everything with this, and the requests it got. */
function provider(answer: (request: Request) => Response | Promise<Response>) {
  const asked: { method: string; url: string; body: string }[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      asked.push({ method: request.method, url: request.url, body: await request.clone().text() });
      return answer(request);
    },
  });
  closing.push(() => server.stop(true));
  const heard: string[] = [];
  return { asked, heard, s3: openS3(target(server.port), 5_000, (operation) => heard.push(operation)) };
}

const problem = (code: string, status: number) => new Response(`<Error><Code>${code}</Code></Error>`, { status });
const trouble = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

const calls: [string, (s3: S3) => Promise<unknown>][] = [
  ["CreateMultipartUpload", (s3) => s3.initiate("u/a", "text/plain", "r")],
  ["ListParts", (s3) => s3.listParts("u/a", "id")],
  ["CompleteMultipartUpload", (s3) => s3.complete("u/a", "id", [{ part: 1, size: 1, etag: "e" }])],
  ["AbortMultipartUpload", (s3) => s3.abort("u/a", "id")],
  ["HeadObject", (s3) => s3.stat("u/a")],
  ["DeleteObject", (s3) => s3.remove("u/a")],
  ["ListObjectsV2", (s3) => s3.ensureBucket()],
  ["ListMultipartUploads", (s3) => s3.findUploadId("u/a")],
  ["ListMultipartUploads", (s3) => Array.fromAsync(s3.openUploads("u/"))],
  ["ListObjectsV2", (s3) => Array.fromAsync(s3.objects("u/"))],
  ["GetBucketCors", (s3) => s3.allowOrigins(["https://site.example"])],
];

test.each(["https://s3.example", "http://s3.example", "https://s3.example:9000"])(
  "a download from %s is at exactly that address",
  async (endpoint) => {
    const { bucket, ...keys } = target(1);
    const url = await clientFor(endpoint, keys, 1_000).presignedGetObject(bucket, "u/a");
    expect(new URL(url).origin).toBe(endpoint);
  },
);

test("a node at an IPv6 address is called there", async () => {
  const s3 = openS3({ ...target(1), endpoint: "http://[::1]:1" }, 60_000);
  expect(codeOf(await trouble(s3.ensureBucket()))).toMatch(/^E[A-Z]+$/); // the system's code: connection refused, or no IPv6 here
});

test("every call to a provider that accepts and never responds ends at its deadline", async () => {
  const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  closing.push(() => silent.stop(true));
  const patient = trouble(openS3(target(silent.port), 20_000).ensureBucket());
  const s3 = openS3(target(silent.port), 200);
  const codes = Promise.all(calls.map(async ([, call]) => codeOf(await trouble(call(s3)))));
  expect(await Promise.race([codes, patient.then(() => "the patient one gave up first")])).toEqual(
    calls.map(() => "Timeout"),
  );
});

/** A node that refuses every call, and its connections. @param mayAnswer whether it answers, or cuts the connection */
function refusing(mayAnswer: (connection: object) => boolean) {
  const connections: Bun.Socket[] = [];
  const body = "<Error><Code>AccessDenied</Code></Error>";
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (socket) => void connections.push(socket),
      data(socket, asked) {
        if (!mayAnswer(socket)) return socket.terminate();
        const head = `HTTP/1.1 403 Forbidden\r\nContent-Length: ${body.length}\r\n\r\n`;
        socket.write(asked.toString().startsWith("HEAD") ? head : head + body);
      },
    },
  });
  closing.push(() => server.stop(true));
  return { connections, s3: openS3(target(server.port), 60_000) };
}

test.each(calls)("%s is made again if the node closed the connection that was kept open", async (_, call) => {
  const used = new Set<object>();
  const { s3 } = refusing((connection) => {
    const isFirst = !used.has(connection);
    used.add(connection);
    return isFirst;
  });
  const codes = [codeOf(await trouble(call(s3))), codeOf(await trouble(call(s3)))];
  expect(codes).toEqual(["AccessDenied", "AccessDenied"]);
});

test.each(calls)("%s is made again if the node had long closed the connection", async (_, call) => {
  const { connections, s3 } = refusing(() => true);
  expect(codeOf(await trouble(call(s3)))).toBe("AccessDenied");
  connections[0]?.shutdown(); // then it refuses a sign of life: this process was too busy to learn of either
  connections[0]?.terminate();
  expect([codeOf(await trouble(call(s3))), connections.length]).toEqual(["AccessDenied", 2]);
});

test("a piece of an object is read whole before it is used: who is slow does not miss the deadline", async () => {
  const size = 8 * 2 ** 20;
  let sent = 0;
  const { s3 } = provider(
    () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            if (sent === size) return controller.close();
            sent += 2 ** 16;
            controller.enqueue(new Uint8Array(2 ** 16));
          },
        }),
        { status: 206 },
      ),
  );
  const bytes = s3.read("u/a", 0, size);
  expect([(await bytes.next()).value?.length, sent]).toEqual([expect.any(Number), size]);
  await bytes.return(undefined);
});

test("a response that begins and never ends is cut off at the deadline, and told from a connection that broke", async () => {
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<ListParts") },
  });
  closing.push(() => server.stop(true));
  const s3 = openS3(target(server.port), 200);
  expect(codeOf(await trouble(s3.listParts("u/a", "id")))).toBe("Timeout");
});

test.each([
  [507, "XMinioStorageFull", true],
  [400, "XMinioAdminBucketQuotaExceeded", true],
  [403, "SignatureDoesNotMatch", true],
  [503, "SlowDown", false],
  [500, "InternalError", false],
  [429, "TooManyRequests", true],
])("%i keeps its code %s, and nothing is repeated", async (status, code, isNo) => {
  const { asked, s3 } = provider(() => problem(code, status));
  const error = await trouble(s3.initiate("u/a", "text/plain", "r"));
  expect([codeOf(error), isRefusal(error), asked.length]).toEqual([code, isNo, 1]);
});

test("the page of a proxy is not a response of an S3 server, and not a definite rejection", async () => {
  const { s3 } = provider(() => new Response("<html><h1>502 Bad Gateway</h1></html>", { status: 502 }));
  const error = await trouble(s3.initiate("u/a", "text/plain", "r"));
  expect([codeOf(error), isRefusal(error)]).toEqual(["NotS3", false]);
});

test("every call is heard under its name", async () => {
  for (const [name, call] of calls) {
    const { heard, s3 } = provider(() => problem("AccessDenied", 403));
    await trouble(call(s3));
    expect(heard).toEqual([name]);
  }
});

test("other rules of the bucket stay, and ours is there once", async () => {
  const other = "<CORSRule><ID>shop</ID><AllowedOrigin>https://shop.example</AllowedOrigin></CORSRule>";
  let rules = `<CORSConfiguration>${other}</CORSConfiguration>`;
  const { asked, s3 } = provider(async (request) => {
    if (request.method === "PUT") rules = await request.text();
    return new Response(request.method === "GET" ? rules : null);
  });
  await s3.allowOrigins(["https://old.example"]);
  await s3.allowOrigins(["https://site.example", "https://blog.example"]);
  expect(rules).toStartWith(`<CORSConfiguration>${other}<CORSRule><ID>postroom</ID>`);
  expect(rules.match(/<AllowedOrigin>[^<]+/g)?.map((text) => text.slice(15))).toEqual([
    "https://shop.example",
    "https://site.example",
    "https://blog.example",
  ]);
  expect(asked.map(({ method }) => method)).toEqual(["GET", "PUT", "GET", "PUT"]);
});
