import Ajv from "ajv/dist/2020";
import { expect, test } from "bun:test";
import { endpointsOf } from "../../test/support/probes/contract";
import { nextPeer, testService } from "../../test/support/service";
import type { OpenApi } from "./types";
import { typeOf } from "./json-schema";

async function documented() {
  const service = await testService();
  const document = (await (await service.get("/openapi.json")).json()) as OpenApi;
  return { ...service, document, endpoints: endpointsOf(document) };
}

const isApi = ({ path }: { path: string }) => path.startsWith("/api/");

/** Texts about which a rule and its description could disagree. */
const texts = [
  ...["", " ", "\n", "\u0001", "x", "xx", " x ", "\tx\t", "xx\r\n", "a\nb", "a\tb", "a\u0000b", "\u0085ab", "ab\u2028"],
  ...["\u2028ab", "a\u2028b", "\ufeffab", "a\ufeffb", "a\u200bb", "\u202eab", "0123456789", "0 2 4 6 8 ", " 123456789"],
  ...[
    "\u0001".repeat(9) + "x",
    "12345\u000167890",
    "1\u00012345678",
    "1\n\n\n\n\n\n\n\n0",
    "é".repeat(100),
    "é".repeat(101),
  ],
  ...[
    "a".repeat(255),
    "a".repeat(256),
    "a".repeat(2_000),
    "a".repeat(2_001),
    ".",
    "..",
    " .. ",
    "...",
    "a..",
    "a/b",
    "a\\b",
  ],
  ...[
    "../a",
    "a/../b",
    "a/ .. /b",
    "a/..b",
    "a/..",
    "/",
    "//a",
    "image/png",
    " Image/PNG ",
    "image/png; charset=utf-8",
  ],
  ...[
    'a/b;c="d e"',
    "a/b;c",
    "image/",
    "a/b\n",
    "a/é",
    "ada@example.com",
    " ada@example.com\n",
    "ada@",
    "a@b",
    "a@b.c1",
  ],
  ...[
    "!#@example.com",
    "a..b@example.com",
    ".a@example.com",
    "a@-b.example",
    "ada@example.com, b@example.com",
    "a b@c.de",
  ],
  ...["user@почта.рф", "user@xn--80a1acny.xn--p1ai", "A@BÜCHER.example", "a@例え.jp", "a@한국.한국", "a@почта.1"],
  ...[
    "a/b=c%d&e!f#g$h*i?j^k{l|m}n~o`p'q@x.example",
    "=?utf-8?q?a?=@x.example",
    "a@x.xn--",
    `${"a".repeat(65)}@x.example`,
  ],
];

const bodies: [path: string, valid: Record<string, unknown>][] = [
  ["/api/newsletter/subscribe", { email: "ada@example.com" }],
  ["/api/contact", { name: "Ada", email: "ada@example.com", message: "Hello, good morning." }],
  ["/api/v1/storage/upload", { filename: "a.txt", mimeType: "text/plain", size: 5 }],
];

test.each(bodies)(
  "%s takes what the document allows of each field, and nothing else",
  async (path, valid) => {
    const { document, key, send } = await documented();
    const ajv = new Ajv({ strict: false, validateFormats: false }); // in JSON Schema a format is only an annotation
    const schema = document.paths[path]?.post?.requestBody?.content["application/json"]?.schema ?? {};
    const allows = ajv.compile(schema);
    const headers = { ...(await key()), "content-type": "application/json" };
    const differences: unknown[] = [];
    for (const [name, field] of Object.entries(schema.properties ?? {}))
      for (const value of [...(name === "website" ? [] : texts), null, true, 1, [], {}]) {
        const body = { ...valid, [name]: value };
        const { status } = await send(path, { method: "POST", headers, body: JSON.stringify(body) }, nextPeer());
        if (allows(body) !== (status !== 400)) differences.push([name, value, status]);
        expect(field).toBeDefined();
      }
    expect(differences).toEqual([]);
  },
  60_000,
);

test("an optional field may be null, and the document says so", async () => {
  const { endpoints } = await documented();
  for (const { path, operation } of endpoints) {
    const { properties = {}, required = [] } = operation.requestBody?.content["application/json"]?.schema ?? {};
    for (const [name, { type }] of Object.entries(properties as Record<string, { type?: unknown }>))
      if (!required.includes(name) && type !== undefined)
        expect([path, name, type]).toEqual([path, name, [expect.any(String), "null"]]);
  }
});

test("what a text is made of is said by a pattern: names, types, cursors, keys, tokens, addresses", async () => {
  const { endpoints } = await documented();
  const inputs = endpoints
    .filter(isApi)
    .flatMap(({ path, operation }) => [
      ...operation.parameters.map(({ name, schema }) => ({ at: `${path} ${name}`, name, schema })),
      ...Object.entries(operation.requestBody?.content["application/json"]?.schema.properties ?? {}).map(
        ([name, schema]) => ({ at: `${path} ${name}`, name, schema }),
      ),
    ]);
  const named = [
    "filename",
    "mimeType",
    "folderPath",
    "cursor",
    "Idempotency-Key",
    "email",
    "token",
    "message",
    "source",
  ];
  for (const name of named) {
    const found = inputs.filter((input) => input.name === name);
    expect([name, found.length > 0]).toEqual([name, true]);
    for (const { at, schema } of found)
      expect([at, schema]).toEqual([at, expect.objectContaining({ pattern: expect.any(String) })]);
  }
});

test("every request that the document allows can be sent: its line and headers stay below Bun's 16 KiB", async () => {
  const { endpoints } = await documented();
  const rest = 2_000; // method, version, and the headers of an ordinary client
  for (const { method, path, operation } of endpoints.filter(isApi)) {
    let bytes = path.length + rest;
    for (const { name, in: place, schema = {} } of operation.parameters.filter(({ in: at }) => at !== "header")) {
      const ascii = /^\^\[A-Za-z0-9_-\]\{(?:1,)?(\d+)\}\$$/.exec(String(schema.pattern))?.[1];
      const characters = typeOf(schema) === "integer" ? 10 : (schema.enum?.join().length ?? schema.maxLength ?? 200);
      const longest = ascii ? Number(ascii) : name === "folderPath" ? 3 * 1_024 : Number(characters) * 12;
      bytes += name.length * Number(place === "query") + 2 + longest;
    }
    expect([method, path, bytes <= 16 * 1024]).toEqual([method, path, true]);
  }
});

test("the longest search for a tag arrives", async () => {
  const { app, key } = await documented();
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => app.handle(request, nextPeer()) });
  const long = "📮".repeat(500);
  const ask = async (q: string) =>
    (await fetch(`${server.url}api/v1/posts?${new URLSearchParams({ q, tag: long })}`, { headers: await key() }))
      .status;
  expect([await ask(long), await ask(`${long}x`)]).toEqual([200, 400]);
});
