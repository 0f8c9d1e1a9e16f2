import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { contract, type Endpoint, endpointsOf } from "../../test/contract";
import { unsubscribeLink } from "../security/unsubscribe-link";
import { nextPeer, testService } from "../testing";
import { documentPath, isDocumented, type OpenApi } from "./document";

const big = "x".repeat(64 * 1024 + 1);
const json = { "content-type": "application/json" };

async function documented(env: Record<string, string> = {}) {
  const service = await testService({ DATA_DIR: tmpdir(), ...env });
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
  const routes = app.routes.filter(isDocumented).map(({ method, path }) => `${method} ${documentPath(path)}`);
  expect(endpoints.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(routes.sort());
  const kept = app.routes.filter((route) => !isDocumented(route)).map(({ path }) => path.split("/")[1]);
  expect(["assets", "dashboard"]).toEqual(expect.arrayContaining([...new Set(kept)]));
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
    expect([path, operation.security]).toEqual([path, path.startsWith("/api/v1/") ? [{ apiKey: [] }] : []]);
});

/** One request that is to be answered with this status. */
type Probe = { to: string; status: number; at?: string; init?: RequestInit; peer?: string };

const post = (body: unknown, headers: Record<string, string> = {}) => ({
  method: "POST",
  body: typeof body === "string" ? body : JSON.stringify(body),
  headers: { ...json, ...headers },
});

test("every documented status is answered, and as documented", async () => {
  const service = await documented();
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

  const broken = await documented({ METRICS_TOKEN: "a-token-of-sixteen-characters" });
  const failing = await failures(broken);
  broken.db.sqlite.close();
  for (const each of failing) await probe(each, broken.send);

  expect(problems).toEqual([]);
  const promised = endpoints.flatMap(({ method, path, operation }) =>
    Object.keys(operation.responses).map((status) => `${method} ${path} ${status}`),
  );
  expect(promised.filter((each) => !seen.has(each) && !unreachable.has(each))).toEqual([]);
  expect(config.BASE_URL).toBe(document.servers[0]?.url ?? "");
});

const watched = /Readyz/;

/** Documented because nobody can promise the opposite; no test can make them happen. */
const unreachable = new Set(["GET /healthz 500", "GET /readyz 500", "GET /openapi.json 500", "GET /docs 500"]);

async function probes({ config }: Awaited<ReturnType<typeof documented>>): Promise<Probe[]> {
  return [...newsletter(config), ...contactProbes(), ...operations()];
}

function newsletter(config: Parameters<typeof unsubscribeLink>[0]): Probe[] {
  const ada = { email: "ada@example.com" };
  const link = unsubscribeLink(config, ada.email);
  const peer = nextPeer();
  const subscribe = "POST /api/newsletter/subscribe";
  const [leave, back] = ["/api/newsletter/unsubscribe", "/api/newsletter/subscribe-again"];
  const again = link.replace("unsubscribe?", "subscribe-again?");
  return [
    { to: subscribe, status: 201, init: post(ada), peer },
    { to: subscribe, status: 200, init: post(ada), peer },
    { to: subscribe, status: 400, init: post("{"), peer },
    { to: subscribe, status: 400, init: post({}), peer },
    { to: subscribe, status: 400, init: post({ email: "x" }, { "content-type": "text/plain" }), peer },
    { to: subscribe, status: 429, init: post(ada), peer },
    { to: `GET ${leave}`, status: 200, at: link },
    { to: `GET ${leave}`, status: 400 },
    { to: `POST ${leave}`, status: 200, at: link },
    { to: `POST ${leave}`, status: 400 },
    { to: `GET ${back}`, status: 200, at: again },
    { to: `GET ${back}`, status: 400 },
    { to: `POST ${back}`, status: 303, at: again },
    { to: `POST ${back}`, status: 400 },
  ];
}

function contactProbes(): Probe[] {
  const to = "POST /api/contact";
  const message = { name: "Ada", email: "ada@example.com", message: "Hello, good morning." };
  const key = { "idempotency-key": "one" };
  const peer = nextPeer();
  return [
    { to, status: 201, init: post(message, key), peer },
    { to, status: 409, init: post({ ...message, message: "Quite another text." }, key), peer },
    { to, status: 400, init: post({}), peer },
    { to, status: 400, init: post(message, { "idempotency-key": "a b" }), peer },
    { to, status: 400, init: post("["), peer },
    { to, status: 429, init: post(message), peer },
  ];
}

const operations = (): Probe[] => [
  { to: "GET /healthz", status: 200 },
  { to: "GET /readyz", status: 200 },
  { to: "GET /metrics", status: 200, peer: "127.0.0.1" },
  { to: "GET /metrics", status: 404 },
  { to: "GET /openapi.json", status: 200 },
  { to: "GET /docs", status: 200 },
];

/** What is still answered, and how, when the database is gone. */
async function failures({ config }: Awaited<ReturnType<typeof documented>>): Promise<Probe[]> {
  const link = unsubscribeLink(config, "ada@example.com");
  const again = link.replace("unsubscribe?", "subscribe-again?");
  return [
    { to: "POST /api/newsletter/subscribe", status: 500, init: post({ email: "ada@example.com" }) },
    { to: "GET /api/newsletter/unsubscribe", status: 500, at: link },
    { to: "POST /api/newsletter/unsubscribe", status: 500, at: link },
    { to: "GET /api/newsletter/subscribe-again", status: 500, at: again },
    { to: "POST /api/newsletter/subscribe-again", status: 500, at: again },
    {
      to: "POST /api/contact",
      status: 500,
      init: post({ name: "Ada", email: "ada@example.com", message: "Hello, good morning." }),
    },
    { to: "GET /readyz", status: 503 },
    { to: "GET /metrics", status: 500, peer: "127.0.0.1" },
    { to: "GET /metrics", status: 401 },
  ];
}
