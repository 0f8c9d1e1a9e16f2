import { afterEach, describe, expect, spyOn, test } from "bun:test";
import { nextPeer, testService } from "../../support/service";
import { startService, temporaryFolder } from "../../support/processes";

const half = 32_700;
const deepest = "[".repeat(half) + "]".repeat(half);
/** As deep as is read, and as long: indented, it is twenty times as long. */
const widest = "[".repeat(31) + "1,".repeat(32_000) + "1" + "]".repeat(31);
const json = { "content-type": "application/json" };

const stringify = spyOn(JSON, "stringify");
afterEach(() => void stringify.mockClear());

describe.each([
  ["", {}],
  ["with NODE_ENV=production", { NODE_ENV: "production" }],
])("a service %s", (_, env) => {
  test("answers a body of 32,700 brackets with 400, whatever its route and whoever sent it", async () => {
    using folder = temporaryFolder();
    const service = await startService(folder.path, { LOG_LEVEL: "debug", ...env });
    const send = async (path: string, body: string) => {
      const answer = await fetch(service.url + path, { method: "POST", body, headers: json });
      return [answer.status, await answer.json()];
    };
    const told = {
      success: false,
      data: null,
      error: { code: "INVALID_JSON", message: "The body is nested more than 32 levels deep." },
    };
    for (const path of ["/api/contact", "/api/newsletter/subscribe"]) {
      expect(await send(path, deepest)).toEqual([400, told]);
      expect(await send(path, `{"website":${"[".repeat(32)}${"]".repeat(32)}}`)).toEqual([400, told]);
      expect(await send(path, widest)).toMatchObject([400, { error: { code: "VALIDATION_ERROR" } }]);
    }
    const refused = await send("/api/v1/storage/upload", deepest);
    expect(refused).toMatchObject([401, { error: { code: "UNAUTHORIZED" } }]); // who may come in is asked first (D7)
    expect((await service.end()).code).toBe(0);
  });
});

test("31 levels of lists in an object are read, and brackets in text are no levels", async () => {
  const { post } = await testService();
  const message = { name: "Ada", email: "ada@example.com", message: `"${"[".repeat(100)}\\" good morning` };
  const website = JSON.parse("[".repeat(31) + "]".repeat(31));
  expect((await post("/api/contact", { ...message, website })).status).toBe(201);
});

test("no route writes down what it was sent and refuses: neither the answer nor an error holds it", async () => {
  const { app, key, send, signIn } = await testService();
  const { headers } = await signIn();
  const everybody = { ...json, ...headers, ...(await key()) };
  const routes = (await app.routes()).filter(({ method }) => method !== "GET");
  expect(routes.length).toBeGreaterThan(50);
  for (const { method, path } of routes)
    for (const body of [deepest, widest, `{"_token":${widest},"ids":${widest}}`, `{"numbers":${widest}}`]) {
      stringify.mockClear();
      const answer = await send(path.replace(/:\w+/g, "x"), { method, body, headers: everybody }, nextPeer());
      const written = stringify.mock.results.map(({ value }) => String(value).length);
      expect([method, path, answer.status, Math.max(0, ...written) < 8_000]).toEqual([
        method,
        path,
        answer.status,
        true,
      ]);
      expect([path, (await answer.arrayBuffer()).byteLength < 40_000]).toEqual([path, true]);
    }
});
