import { afterAll, expect, test } from "bun:test";
import { type AddressInfo, createServer } from "node:net";
import { within } from "../../test/support/within";
import { isPublicAddress } from "../platform/networks";
import { webhookTarget } from "./target";
import { post } from "./post";

const nobody: ReadonlySet<string> = new Set();
const reached: string[] = [];
const inside: Bun.Server<undefined> = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request): Promise<Response> => {
    reached.push(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`);
    const { pathname } = new URL(request.url);
    if (pathname === "/away") return Response.redirect(`http://127.0.0.1:${inside.port}/inner`);
    return new Response("x".repeat(100_000), {
      status: pathname === "/gone" ? 410 : 200,
      headers: { "retry-after": "7" },
    });
  },
});
afterAll(() => inside.stop(true));

const decimal = (a: number, b: number, c: number, d: number) => ((a * 256 + b) * 256 + c) * 256 + d;
const insideHosts = [
  ...[
    "127.0.0.1",
    "127.1",
    "0",
    "0.0.0.0",
    "0x7f.1",
    "0177.0.0.1",
    "0x7f000001",
    String(decimal(127, 0, 0, 1)),
    "localhost",
  ],
  ...[
    "10.0.0.1",
    "10.255.255.255",
    "172.16.0.1",
    "172.31.9.9",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.127.9.9",
  ],
  ...[
    "168.63.129.16",
    "224.0.0.1",
    "239.1.1.1",
    "255.255.255.255",
    "240.0.0.1",
    "198.18.0.1",
    "192.0.0.8",
    "203.0.113.1",
  ],
  ...[
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[fe80::1]",
    "[fc00::1]",
    "[fd12:3456::1]",
  ],
  ...[
    "[ff02::1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b:1::a00:1]",
    "[2002:7f00:1::]",
    "[2001::1]",
    "[2001:db8::1]",
    "[100::1]",
  ],
  ...[
    "metadata",
    "router",
    "printer.",
    "１２７.０.０.１",
    "127。0。0。1",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "[fec0::1]",
    "[3fff::1]",
    "%31%32%37.0.0.1",
  ],
];

test("an endpoint is on the public Internet, by HTTPS, without a user, a fragment or a system's port", async () => {
  const paths = ["", ":443", ":8443/hook", "/?q=1"];
  const inner = insideHosts.flatMap((host) => paths.map((rest) => `https://${host}${rest}`));
  const others = ["http://example.com", "ftp://example.com", "https://a:b@example.com", "https://a@example.com"];
  const more = [
    "https://example.com:22",
    "https://example.com:80",
    "https://example.com/#x",
    "javascript:alert(1)",
    "",
    "//example.com",
  ];
  const urls = [...inner, ...others, ...more, `https://example.com/${"a".repeat(600)}`];
  expect(urls.length).toBeGreaterThan(200);
  expect(urls.filter((url) => "url" in webhookTarget(url, nobody))).toEqual([]);
  for (const url of [
    "https://example.com/hook",
    "https://example.com:8443/?a=1",
    "https://[2606:4700::1111]/",
    "https://1.1.1.1/",
  ])
    expect(webhookTarget(url, nobody)).toEqual({ url });
});

test("no request reaches a private address, however the host is written, and whatever a name resolves to", async () => {
  reached.length = 0;
  const port = inside.port;
  for (const host of insideHosts) {
    expect(await post(`https://${host}:${port}/`, {}, "{}", { privateHosts: nobody })).toHaveProperty("error");
    expect(await post(`http://${host}:${port}/`, {}, "{}", { privateHosts: nobody })).toHaveProperty("error");
  }
  const rebinding = ["127.0.0.1", "::1", "10.0.0.1", "::ffff:127.0.0.1", "169.254.169.254", "64:ff9b::7f00:1"];
  for (const address of rebinding) {
    const resolve = async () => [
      { address: "1.1.1.1", family: 4 },
      { address, family: address.includes(":") ? 6 : 4 },
    ];
    const result = await post(`https://rebind.example:${port}/`, {}, "{}", { privateHosts: nobody, resolve });
    expect(result).toEqual({ error: "The name of the host leads to an address that is not public." });
  }
  expect(reached).toEqual([]);
});

test("the connection goes to the address that was checked, and a redirect is not followed", async () => {
  reached.length = 0;
  const privateHosts = new Set(["builder.internal"]);
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const send = (path: string) =>
    post(`http://builder.internal:${inside.port}${path}`, { a: "b" }, "hé", { privateHosts, resolve });
  expect(await send("/hook")).toMatchObject({ status: 200, retryAfter: "7" });
  expect(await send("/away")).toMatchObject({ status: 302 });
  expect(await send("/gone")).toMatchObject({ status: 410 });
  expect(reached).toEqual(["POST /hook hé", "POST /away hé", "POST /gone hé"]);
});

test("if one address of a host cannot be reached, the call goes to another", async () => {
  const resolve = async () => [
    { address: "::1", family: 6 },
    { address: "127.0.0.1", family: 4 },
  ];
  const privateHosts = new Set(["builder.internal"]);
  const result = await post(`http://builder.internal:${inside.port}/hook`, {}, "{}", { privateHosts, resolve });
  expect(result).toMatchObject({ status: 200 });
});

test("a name server that does not answer does not hold a call", async () => {
  const resolve = () => new Promise<never>(() => {});
  const result = await post("https://slow.example/", {}, "{}", { privateHosts: nobody, resolve, timeoutMs: 1 });
  expect(result).toEqual({ error: "No answer within 15 seconds." });
});

test("an endpoint that switches protocols has responded, and its connection is closed", async () => {
  const ended = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on("close", () => ended.resolve()).on("error", () => {});
    socket.once("data", () =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    );
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const privateHosts = new Set(["127.0.0.1"]);
  expect(await post(`http://127.0.0.1:${port}/`, {}, "{}", { privateHosts })).toEqual({ status: 101 });
  await within(ended.promise, "the end of the connection");
  server.close();
});

/** A server that repeats this for as long as anyone listens. Returns how a call ended, once its connection is closed. */
async function endless(text: string, first = "") {
  const ended = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on("close", () => ended.resolve()).on("error", () => {});
    const pour = () => void (socket.destroyed || socket.write(text.repeat(100), () => setImmediate(pour)));
    socket.once("data", () => socket.write(first, pour));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  const result = await post(`http://127.0.0.1:${port}/`, {}, "{}", { privateHosts: new Set(["127.0.0.1"]) });
  await within(ended.promise, "the end of the connection");
  server.close();
  return result;
}

test.each([
  ["100", "HTTP/1.1 100 Continue\r\n\r\n"],
  ["103", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"],
])("a receiver that answers %s without end is ended after a few", async (_, text) => {
  expect(await endless(text)).toEqual({ error: "The receiver announces a response (1xx) without end." });
});

test("headers and bodies without end are ended too", async () => {
  expect(await endless("X-More: yes\r\n", "HTTP/1.1 200 OK\r\n")).toHaveProperty("error");
  const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  expect(await endless("3\r\nabc\r\n", chunked)).toMatchObject({ status: 200 });
});

test("a few interim responses are taken for what they are", async () => {
  const few = `${"HTTP/1.1 102 Processing\r\n\r\n".repeat(5)}HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n`;
  expect(await endless("x", few)).toMatchObject({ status: 200 });
});

test("public addresses are distinguished from all others", () => {
  const outside = [
    "1.1.1.1",
    "8.8.8.8",
    "172.15.0.1",
    "172.32.0.1",
    "100.63.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "2a00:1450::1",
  ];
  expect(outside.filter((address) => !isPublicAddress(address))).toEqual([]);
  for (const other of ["", "example.com", "1.1.1", "999.1.1.1", "::ffff:8.8.8.8"])
    expect(isPublicAddress(other)).toBe(false);
});
