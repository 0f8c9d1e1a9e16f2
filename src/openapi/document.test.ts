import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "bun:test";
import * as apiKeys from "../../db/access/keys/api-keys";
import { contract, type Endpoint, endpointsOf } from "../../test/support/probes/contract";
import { type Probe, post } from "../../test/support/probes/probe";
import { failures, probes } from "../../test/support/probes/probes";
import { temporaryFolder } from "../../test/support/processes";
import { nextPeer, testService } from "../../test/support/service";
import { errorTexts } from "./docs-errors";
import { documentPath, isDocumented } from "./document";
import { components } from "./prose";
import { resolvedSchema } from "./reference";
import { newSecret } from "../platform/webhook-signature";
import type { JsonSchema, OpenApi } from "./responses";
import { unplug } from "../../test/support/look";

const big = "x".repeat(64 * 1024 + 1);

async function documented(env: Record<string, string> = {}) {
  const service = await testService(env);
  const document = (await (await service.get("/openapi.json")).json()) as OpenApi;
  return { ...service, document, endpoints: endpointsOf(document) };
}

test("the document is valid OpenAPI 3.1", async () => {
  const { document } = await documented();
  const { valid, errors } = await new Validator().validate(document);
  expect([valid, errors]).toEqual([true, undefined]);
  expect(document.openapi).toStartWith("3.1");
});

test("the document and the routes are the same, both ways", async () => {
  const { app, endpoints } = await documented();
  const all = await app.routes();
  const routes = all.filter(isDocumented).map(({ method, path }) => `${method} ${documentPath(path)}`);
  expect(endpoints.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(routes.sort());
  const kept = all.filter((route) => !isDocumented(route)).map(({ path }) => path.split("/")[1]);
  expect(["", "assets", "dashboard"]).toEqual(expect.arrayContaining([...new Set(kept)]));
});

test("every operation brings a line of curl that can be pasted", async () => {
  const { document } = await documented();
  const complete = document.paths["/api/v1/storage/uploads/{id}/complete"]?.post?.["x-codeSamples"];
  expect(complete).toEqual([
    {
      lang: "Shell",
      label: "curl",
      source: expect.stringMatching(/^curl -X POST 'http.*\/complete' \\\n {2}-H 'x-api-key: <your key>'/),
    },
  ]);
  const samples = Object.values(document.paths).flatMap((path) => Object.values(path).map((o) => o["x-codeSamples"]));
  expect(samples.every((sample) => sample?.[0]?.source.startsWith("curl "))).toBe(true);
});

test("a form is documented with its fields, and a line of curl that sends them", async () => {
  const { document, send } = await documented();
  const { requestBody, "x-codeSamples": samples } = document.paths["/newsletter/subscribe"]?.post ?? {};
  const schema = resolvedSchema(document, requestBody?.content["application/x-www-form-urlencoded"]?.schema ?? {});
  expect([requestBody?.required, schema.required, Object.keys(schema.properties ?? {})]).toEqual([
    ...[true, ["email"], ["email", "name", "source", "language", "timeZone", "topics", "next"]],
  ]);
  const body = /-d '([^']+)'$/.exec(samples?.[0]?.source ?? "")?.[1] ?? "";
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  expect((await send("/newsletter/subscribe", { method: "POST", headers, body })).status).toBe(200);
});

test("a value of several types is written as alternatives, which every generator reads", async () => {
  const { document } = await documented();
  const unions: unknown[] = [];
  JSON.stringify(document, (name, value: unknown) => {
    if (name === "type" && Array.isArray(value) && value.filter((type) => type !== "null").length > 1)
      unions.push(value);
    return value;
  });
  expect(unions).toEqual([]);
});

test("a list of words is an enum: of constants as alternatives, generated Python accepts only the first", async () => {
  const { document } = await documented();
  const constants: unknown[] = [];
  JSON.stringify(document, (name, value: unknown) => {
    const isList = /^(any|one)Of$/.test(name) && Array.isArray(value);
    if (isList && value.filter((one) => "const" in one).length > 1) constants.push(value);
    return value;
  });
  expect(constants).toEqual([]);
});

test("every operation says what it does, and what success looks like", async () => {
  const { endpoints } = await documented();
  for (const { method, path, operation } of endpoints) {
    expect([path, operation.summary]).not.toEqual([path, `${method} ${path}`]);
    expect([path, Object.keys(operation.responses).some((status) => /^[23]/.test(status))]).toEqual([path, true]);
  }
  const ids = endpoints.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test("keyed operations ask for the key, and no others", async () => {
  const { endpoints } = await documented();
  for (const { path, operation } of endpoints)
    expect([path, operation.security]).toEqual([
      ...[path, path.startsWith("/api/v1/") ? [{ apiKey: [expect.any(String)] }] : []],
    ] as never);
});

test("every documented status occurs, with the documented body", async () => {
  using folder = temporaryFolder();
  const secret = { MAILER_WEBHOOK_SECRET: newSecret(), DATA_DIR: folder.path };
  const service = await documented(secret);
  const { config, document, endpoints, send } = service;
  const { violations } = contract(document);
  const seen = new Set<string>();
  const problems: string[] = [];

  async function probe({ to, status, at, init = {}, peer = nextPeer() }: Probe, using = send) {
    const [method = "", path = ""] = to.split(" ");
    const endpoint = endpoints.find((known) => known.method === method && known.path === path) as Endpoint;
    const response = await using(at ?? path, { method, ...init }, peer);
    if (response.status !== status) problems.push(`${to} answered ${response.status}, not ${status}`);
    problems.push(...(await violations(endpoint, response)));
    seen.add(`${to} ${response.status}`);
  }

  for (const each of await probes(service)) await probe(each);
  const { key: narrow } = await apiKeys.generate(
    service.db,
    { prefix: "site", name: "Narrow", scopes: ["visitors"] },
    service.now(),
  );
  for (const { method, path } of endpoints.filter(({ path }) => path.startsWith("/api/v1/")))
    await probe({
      to: `${method} ${path}`,
      status: 403,
      at: path.replace(/\{\w+\}/g, "x"),
      init: { headers: { "x-api-key": narrow } },
    });

  for (const { method, path } of endpoints.filter(({ method }) => method !== "GET")) {
    const at = path.replace(/\{\w+\}/g, "x");
    await probe({ to: `${method} ${path}`, status: 413, at, init: post(big) });
  }
  for (const endpoint of endpoints.filter(
    ({ operation }) => "503" in operation.responses && !watched.test(operation.operationId),
  ))
    await probe(
      { to: `${endpoint.method} ${endpoint.path}`, status: 503, at: endpoint.path.replace(/\{\w+\}/g, "x") },
      (path, init, peer) => Array.from({ length: 1_001 }, () => send(path, init, peer)).at(-1) as Promise<Response>,
    );

  const broken = await documented({ ...secret, METRICS_TOKEN: "a-token-of-sixteen-characters" });
  const failing = await failures(broken);
  const plain = await documented();
  await probe({ to: "POST /api/webhooks/resend", status: 404, init: post({}) }, plain.send); // without its secret
  await unplug(broken.db);
  for (const each of failing) await probe(each, broken.send);

  expect(problems).toEqual([]);
  const malformed = new Set(
    endpoints
      .filter(({ operation }) => JSON.stringify(operation.responses[400])?.endsWith('/Malformed"}'))
      .map(({ method, path }) => `${method} ${path} 400`), // the parser's responses: see wire.test.ts
  );
  const promised = endpoints.flatMap(({ method, path, operation }) =>
    Object.keys(operation.responses).map((status) => `${method} ${path} ${status}`),
  );
  expect(promised.filter((each) => !seen.has(each) && !unreachable.has(each) && !malformed.has(each))).toEqual([]);
  expect(config.BASE_URL).toBe(document.servers[0]?.url ?? "");
});

const watched = /getReadiness/;

/** Documented because they cannot be ruled out, although no test can make them happen. */
const unreachable = new Set([
  "GET /healthz 500",
  "GET /readyz 500",
  "GET /openapi.json 500",
  "GET /docs 500",
  "GET /docs.md 500",
  "GET /llms.txt 500",
  "GET /docs/search 500",
  "GET /docs/postroom-client.tgz 500",
  "GET /docs/postroom-examples.tgz 500",
  "GET /docs/{page} 500",
  "GET /newsletter/subscribe 500",
  "GET /contact 500",
]);

test("the comparison sees a strange status, field, type, header and a leak", async () => {
  const { document, endpoints } = await documented();
  const { violations } = contract(document);
  const endpoint = endpoints.find(({ path }) => path === "/api/v1/settings") as Endpoint;
  const headers = { etag: '"1"', ratelimit: "x", "ratelimit-policy": "x" };
  const data = { count: 0, settings: {}, updatedAt: "2026-11-21T12:00:00.000Z" };
  const answer = (body: object, status = 200, more: object = {}) =>
    violations(endpoint, Response.json(body, { status, headers: { ...headers, ...more } }));
  const good = { success: true, data, error: null };

  expect(await answer(good)).toEqual([]);
  expect(await answer(good, 418)).toEqual([expect.stringContaining("418 is not documented")]);
  expect(await answer({ ...good, extra: 1 })).toEqual([expect.stringContaining("additional properties")]);
  expect(await answer({ ...good, data: { ...data, count: "0" } })).toEqual([expect.stringContaining("integer")]);
  expect(await answer({ ...good, data: { ...data, updatedAt: "today" } })).toEqual([
    expect.stringContaining("date-time"),
  ]);
  expect(await answer(good, 200, { "content-type": "text/html" })).toEqual([expect.stringContaining("is text/html")]);
  expect(await violations(endpoint, Response.json(good))).toHaveLength(3);
  expect(await answer({ ...good, data: { ...data, settings: { a: "SQLITE_BUSY" } } })).toEqual([
    expect.stringContaining("leaks SQLITE"),
  ]);
});

test("an operation's id is chosen beside its route, so that a client's method keeps its name", async () => {
  const { endpoints, document } = await documented();
  const webhooks = Object.values(document.webhooks).map(({ post }) => post.operationId);
  for (const id of [...endpoints.map(({ operation }) => operation.operationId), ...webhooks])
    expect(id).toMatch(/^[a-z]+([A-Z][a-z]*)*$/);
});

test("generators can read every pattern and bound: RE2, short, and none that all of JSON has", async () => {
  const { document } = await documented();
  const text = JSON.stringify(document, (name, value) => {
    if (name === "pattern" && typeof value === "string") expect([value, value.length <= 120]).toEqual([value, true]);
    return value;
  });
  expect(text).not.toMatch(/\(\?[!=<]|9007199254740991|propertyNames/);
});

test("every object has a name, and every failure is the same one, told apart by its code", async () => {
  const { document, endpoints } = await documented();
  const isObject = ({ $ref, properties, additionalProperties }: JsonSchema) =>
    !$ref && Boolean(properties ?? additionalProperties);
  const unnamed: string[] = [];
  const search = (where: string, schema: JsonSchema) => {
    const { properties = {}, items, additionalProperties, anyOf = [] } = schema;
    const parts = { ...properties, "[]": items, "{}": additionalProperties, ...Object.fromEntries(anyOf.entries()) };
    for (const [name, part] of Object.entries(parts)) {
      if (typeof part !== "object" || Array.isArray(part)) continue;
      if (isObject(part)) unnamed.push(`${where}.${name}`);
      search(`${where}.${name}`, part);
    }
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) search(name, schema);
  for (const { method, path, operation } of endpoints)
    for (const [status, answer] of Object.entries(operation.responses)) {
      const { content } = (
        "$ref" in answer ? document.components.responses[answer.$ref.split("/").at(-1) ?? ""] : answer
      ) as {
        content?: Record<string, { schema: JsonSchema }>;
      };
      const schema = content?.["application/json"]?.schema;
      if (schema && isObject(schema) && path !== "/openapi.json") unnamed.push(`${method} ${path} ${status}`);
      if (Number(status) >= 400 && path.startsWith("/api/") && schema)
        expect([path, status, schema.$ref]).toEqual([path, status, "#/components/schemas/Failure"]);
    }
  expect(unnamed).toEqual([]);
  const { properties } = document.components.schemas.Error ?? {};
  expect((properties?.code as JsonSchema).enum).toEqual(Object.keys(errorTexts));
});

test("a header that is a number is documented as one", () => {
  const numbers = Object.entries(components.headers).filter(([, { schema }]) => schema.type === "integer");
  expect(numbers.map(([name]) => name)).toEqual(["Retry-After", "X-Total-Count"]);
});

test("nothing in a response is optional that is always there", async () => {
  const { document, endpoints } = await documented();
  const bodies = JSON.stringify(endpoints.map(({ operation }) => operation.requestBody));
  const isInput = (name: string) => bodies.includes(`/${name}"`) || /Changes$|Input$/.test(name);
  const optional = Object.entries(document.components.schemas).flatMap(([name, { properties = {}, required = [] }]) =>
    isInput(name) ? [] : Object.keys(properties).flatMap((key) => (required.includes(key) ? [] : `${name}.${key}`)),
  );
  expect(optional.sort()).toEqual([
    ...["BatchEntry.details", "BatchEntry.id", "BatchEntry.ignored"], // of those that are not valid, or are
    ...["Check.detail", "Error.details", "Health.checks"], // of what is wrong, and of /readyz
    ...["UploadReservation.headers", "UploadReservation.partCount", "UploadReservation.partSize"], // if asked for
  ]);
});

test("a link of an email needs its address and its token", async () => {
  const { document, get } = await documented();
  const links = Object.entries(document.paths).filter(([, { get }]) =>
    get?.parameters.some(({ name }) => name === "token"),
  );
  expect(links.length).toBeGreaterThan(1);
  for (const [path, { get: page }] of links) {
    const required = page?.parameters.filter((one) => one.in === "query" && one.required).map(({ name }) => name);
    expect([path, required]).toEqual([path, ["email", "token"]]);
    expect([path, (await get(`${path}?email=ada@example.com`)).status]).toEqual([path, 400]);
  }
});

test("a list says how many items a page has if nobody asks", async () => {
  const { document } = await documented();
  const sizes = ["/api/v1/posts", "/api/v1/projects", "/api/v1/newsletter/broadcasts"].map(
    (path) => document.paths[path]?.get?.parameters.find(({ name }) => name === "limit")?.schema?.default,
  );
  expect(sizes).toEqual([20, 50, 20]);
});

test("a feed is text of its own type", async () => {
  const { document } = await documented();
  const answer = document.paths["/rss.xml"]?.get?.responses[200] as { content: object };
  const type = "application/rss+xml";
  expect(answer.content).toEqual({ [type]: { schema: { type: "string", contentMediaType: type } } });
});
