import Ajv from "ajv/dist/2020";
import { expect, setDefaultTimeout, test } from "bun:test";
import { type Endpoint, endpointsOf } from "../../test/support/probes/contract";
import { nextPeer, testService } from "../../test/support/service";
import { describeService } from "./document";
import { resolvedSchema } from "./reference";
import type { OpenApi, Operation } from "./responses";
import { typeOf } from "./json-schema";
import { testTimeoutMs } from "../../test/support/within";

setDefaultTimeout(testTimeoutMs);

/** The service with its document, as published or with the exact patterns of the routes. */
async function documented(how: { isExact?: boolean } = {}) {
  const service = await testService();
  const document = describeService(await service.app.routes(), service.config.BASE_URL, how);
  return { ...service, document, endpoints: endpointsOf(document) };
}

const bodyOf = (document: OpenApi, { operation }: Pick<Endpoint, "operation">) =>
  resolvedSchema(document, operation.requestBody?.content["application/json"]?.schema ?? {});

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
  "%s takes what its exact patterns allow of each field, and nothing else; the document allows no less",
  async (path, valid) => {
    const { document, key, send } = await documented({ isExact: true });
    const published = (await documented()).document;
    const ajv = new Ajv({ strict: false, validateFormats: false }); // in JSON Schema a format is only an annotation
    const schemaIn = (of: OpenApi) => ({
      ...bodyOf(of, { operation: of.paths[path]?.post as Operation }),
      components: of.components,
    });
    const schema = schemaIn(document);
    const [allows, publishedAllows] = [ajv.compile(schema), ajv.compile(schemaIn(published))];
    const headers = { ...(await key()), "content-type": "application/json" };
    const differences: unknown[] = [];
    for (const [name, field] of Object.entries(schema.properties ?? {}))
      for (const value of [...(name === "website" ? [] : texts), null, true, 1, [], {}]) {
        const body = { ...valid, [name]: value };
        const { status } = await send(path, { method: "POST", headers, body: JSON.stringify(body) }, nextPeer());
        if (allows(body) !== (status !== 400)) differences.push([name, value, status]);
        if (allows(body) && !publishedAllows(body)) differences.push([name, value, "refused by the document"]);
        expect(field).toBeDefined();
      }
    expect(differences).toEqual([]);
  },
);

test("an optional field may be null, and the document says so", async () => {
  const { document, endpoints } = await documented();
  for (const { path, operation } of endpoints) {
    const { properties = {}, required = [] } = bodyOf(document, { operation });
    for (const [name, { type }] of Object.entries(properties as Record<string, { type?: unknown }>))
      if (!required.includes(name) && type !== undefined)
        expect([path, name, type]).toEqual([path, name, [expect.any(String), "null"]]);
  }
});

test("what a text is made of is said by a pattern: names, types, cursors, keys, tokens, addresses", async () => {
  const { document, endpoints } = await documented({ isExact: true });
  const inputs = endpoints.filter(isApi).flatMap(({ path, operation }) => [
    ...operation.parameters.map(({ name, schema }) => ({ at: `${path} ${name}`, name, schema })),
    ...Object.entries(bodyOf(document, { operation }).properties ?? {}).map(([name, schema]) => ({
      at: `${path} ${name}`,
      name,
      schema,
    })),
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
      expect([at, Object.keys(schema ?? {})]).toEqual([
        at,
        expect.arrayContaining([name === "email" ? "format" : "pattern"]),
      ]);
  }
});

test("every request that the document allows can be sent: its line and headers stay below Bun's 16 KiB", async () => {
  const { endpoints } = await documented();
  const rest = 2_000; // method, version, and the headers of an ordinary client
  for (const { method, path, operation } of endpoints.filter(isApi)) {
    let bytes = path.length + rest;
    for (const { name, in: place, schema = {} } of operation.parameters.filter(({ in: at }) => at !== "header")) {
      const ascii = /^\^\[A-Za-z0-9_-\]\{(?:1,)?(\d+)\}\$$/.exec(String(schema.pattern))?.[1];
      const characters = /^(integer|boolean)$/.test(typeOf(schema) ?? "")
        ? 10
        : (schema.enum?.join().length ?? schema.maxLength ?? 200);
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
