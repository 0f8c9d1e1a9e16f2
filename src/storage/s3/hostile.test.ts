import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AddressInfo, createServer } from "node:net";
import { start } from "../../../test/support/storage/storage-pages";
import { connect } from "../nodes/access";
import { NewNode } from "../nodes/input";
import { offer } from "./raw-put";

type Answer = (request: Request) => Response | Promise<Response>;
const closing: (() => unknown)[] = [];
afterAll(() => closing.forEach((close) => close()));

let service: Awaited<ReturnType<typeof start>>;
beforeAll(async () => {
  service = await start();
});

/** A server that is not ours, and the requests it got. */
function server(answer: Answer) {
  const asked: string[] = [];
  const running = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      asked.push(`${request.method} ${new URL(request.url).pathname}`);
      return answer(request);
    },
  });
  closing.push(() => running.stop(true));
  return { url: running.url.origin, asked };
}

const opened = "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>";
/** Normal responses up to the first request for bytes, which gets this one. */
const upTo =
  (bytes: Answer): Answer =>
  (request) => {
    const { searchParams: query } = new URL(request.url);
    if (query.has("list-type")) return new Response("<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>");
    if (request.method === "POST") return new Response(opened);
    return query.has("X-Amz-Signature") ? bytes(request) : new Response("<a/>");
  };

test("redirects of a node are not followed, neither by a probe nor for a preview: this machine may reach internal servers", async () => {
  const inside = server(() => new Response("for this machine only"));
  const node = server(upTo(() => Response.redirect(`${inside.url}/keys`, 307)));
  const added = await service.addNode("leading", node.url);
  const { findings } = await service.storage.nodes.test(added);
  expect(findings).toMatchObject({ initiate: "ok", put: "Status307" });
  const file = { nodeId: added.id, objectKey: "a", filename: "a.txt", mimeType: "text/plain" };
  expect(await service.storage.links.textPreview(file)).toBeUndefined();
  expect(inside.asked).toEqual([]);
  expect(node.asked.filter((call) => call === `GET /${added.bucket}/a`)).toHaveLength(1);
});

const code = (text: string) => `<?xml version="1.0"?><Error><Code>${text}</Code><Message>No</Message></Error>`;

test.each([
  ["as long as it likes", "A".repeat(100_000)],
  ["markup", "&lt;script&gt;"],
  ["several lines", "A\nB"],
])("what a server calls its error is kept only when it is a short word, not %s", async (name, text) => {
  const refusing = server(upTo(() => new Response(code(text), { status: 403 })));
  const closed = server(() => new Response(code(text), { status: 403 }));
  const [late, early] = [await service.addNode(`late ${name}`, refusing.url), await service.addNode(name, closed.url)];
  expect((await service.storage.nodes.test(late)).findings.put).toBe("Status403");
  const { findings } = await service.storage.nodes.test(early);
  expect(findings.bucket).toMatch(/^\w{1,64}$/);
});

test("of an endless response only as much is read as is needed", async () => {
  const endless = server(() => {
    const chunk = new Uint8Array(1024 * 1024).fill(65);
    return new Response(new ReadableStream({ pull: (stream) => stream.enqueue(chunk) }), { status: 403 });
  });
  const node = await service.addNode("endless", server(upTo(() => Response.redirect(endless.url))).url);
  const big = server(
    () => new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(65_536)) })),
  );
  const before = process.memoryUsage().rss;
  const file = { objectKey: "a", filename: "a.txt", mimeType: "text/plain" };
  const { id: nodeId } = await service.addNode("big", big.url);
  expect(await service.storage.links.textPreview({ ...file, nodeId })).toMatchObject({ isWhole: false });
  expect((await service.storage.nodes.test(node)).findings.put).toBe("Status302");
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 2 ** 20);
});

test("a server that sends a byte now and then, but never a response, times out", async () => {
  const dripping = createServer((socket) => {
    const drip = setInterval(() => socket.write("x"), 10);
    socket.on("error", () => undefined).on("close", () => clearInterval(drip));
  });
  await new Promise<void>((listening) => dripping.listen(0, "127.0.0.1", listening));
  closing.push(() => dripping.close());
  const { port } = dripping.address() as AddressInfo;
  const size = 2 ** 26;
  expect(await offer(`http://127.0.0.1:${port}/a`, { size, deadline: 100 })).toEqual({ outcome: "unavailable" });
});

test("a server that is slow to accept connections has not accepted anything", async () => {
  const silent = createServer((socket) => socket.on("error", () => undefined));
  await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
  closing.push(() => silent.close());
  const { port } = silent.address() as AddressInfo;
  const announced = { size: 2 ** 26, isOnlyAnnounced: true, deadline: 1_500 };
  expect(await offer(`https://127.0.0.1:${port}/a`, announced)).toEqual({ outcome: "unavailable" });
});

test("verifying a doubt about a silent node does not delay stopping", async () => {
  const own = await start();
  const heard = Promise.withResolvers<void>();
  const silent = server(() => (heard.resolve(), new Promise<Response>(() => undefined)));
  const { id } = await own.addNode("silent", silent.url);
  own.storage.capacity.doubt(id, 5);
  await heard.promise;
  let isOver = false;
  void own.storage.capacity.settled().then(() => (isOver = true));
  await own.storage.close();
  expect(isOver).toBe(false);
});

test("what a server calls its errors, however many names, does not fill the figures", async () => {
  for (let i = 0; i < 2_000; i++) service.storage.calls.failed("odd", `Code${i}`);
  expect(service.storage.calls.text().match(/node="odd"/g)?.length).toBeLessThanOrEqual(1_000);
});

test("an endpoint is a host and nothing that a policy or a shell would read otherwise", () => {
  const fields = { name: "a", bucket: "abc", capacity: "1GB", accessKey: "a", secretKey: "b" };
  const isTaken = (url: string) =>
    NewNode.safeParse({ ...fields, endpoint: "http://a.example", publicEndpoint: url }).success;
  const bad = [
    "*",
    "*.com",
    "*:*",
    "x;sandbox",
    "x,default-src",
    "x'unsafe-inline'",
    "$(id)",
    "`id`",
    'x"y',
    "a&b",
    "a|b",
    "_a", // the client rejects it too, without a reason
    "-a",
    "a_",
  ];
  expect(bad.filter((host) => isTaken(`http://${host}`) || isTaken(`https://${host}:9000`))).toEqual([]);
  const good = [
    "a.example",
    "minio_1",
    "10.0.0.7",
    "[::1]",
    "bücher.example",
    "S3.Example.COM",
    "xn--bcher-kva.example",
    "localhost.",
    "a",
  ];
  expect(good.filter((host) => !isTaken(`https://${host}:9000`))).toEqual([]);
});

const rule = "<CORSRule><AllowedOrigin>https://a.example</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule>";
test.each<[what: string, rules: string, isKept: boolean]>([
  ["rules as S3 writes them", `<CORSConfiguration xmlns="s3">${rule}${rule}</CORSConfiguration>`, true],
  ["a rule with an attribute", `<CORSConfiguration>${rule.replace(">", ' xmlns="x">')}</CORSConfiguration>`, false],
  [
    "a rule with a prefix",
    `<CORSConfiguration>${rule.replaceAll("CORSRule", "s3:CORSRule")}</CORSConfiguration>`,
    false,
  ],
  ["two megabytes", rule.repeat(20_000), false],
])("rules for pages are added to %s, or left alone", async (what, rules, isKept) => {
  let written = "";
  const { url } = server(async (request) => {
    if (request.method === "PUT") written = await request.text();
    return new Response(request.method === "GET" ? rules : null);
  });
  const s3 = await connect(service.config, await service.addNode(what, url), 60_000);
  const told = await s3.allowOrigins(["https://b.example"]).then(
    () => true,
    () => false,
  );
  expect(told).toBe(isKept);
  expect(written.match(/<CORSRule>/g)?.length ?? 0).toBe(isKept ? 3 : 0);
});
