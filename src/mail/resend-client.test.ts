import { afterEach, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { within } from "../../test/support/within";
import { Pace } from "./pace";
import type { Email } from "./provider";
import { openResend } from "./resend";

/* What leaves this process, and what may come back: as seen by a server, not by the client. */

const afterwards: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of afterwards.splice(0).reverse()) await stop();
});

type Seen = { line: string; headers: IncomingMessage["headers"]; sha256: string };

async function wire(answer: (response: ServerResponse, request: IncomingMessage, n: number) => void) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const digest = createHash("sha256");
    for await (const chunk of request) digest.update(chunk);
    const line = `${request.method} ${request.url}`;
    seen.push({ line, headers: request.headers, sha256: digest.digest("hex") });
    answer(response, request, seen.length);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const stop = () => (server.closeAllConnections(), server.close());
  afterwards.push(stop);
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const now = () => new Date("2026-11-23T12:00:00Z");
  const provider = openResend({ apiKey: "re_secret_1", baseUrl, now, pace: new Pace(now, 2) });
  return { baseUrl, seen, provider, stop };
}

const json = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

const email = (to: string): Email => ({
  ...{ from: "Site <site@x.example>", to, subject: "Grüße 日本 👋", replyTo: "o@x.example" },
  ...{ html: ["<p>Hi ", "Ada", " \u2028</p>"], text: 'Hi "Ada"\n', headers: { "List-Id": "<n.x.example>" } },
  tags: { postroom_b: "b1" },
});

test("every repetition under a key has the same bytes, whatever happened to those before", async () => {
  const { seen, provider } = await wire((response, request, n) => {
    if (n === 1) request.socket.destroy();
    else if (n === 2) json(response, 500, {});
    else if (n === 3) json(response, 429, { name: "rate_limit_exceeded" }, { "retry-after": "28800" });
    else json(response, 200, { data: [{ id: "a" }, { id: "b" }] });
  });
  const emails = [email("a@example.com"), email("b@example.com")];
  const outcomes = [];
  for (let i = 0; i < 4; i++) outcomes.push(await provider.sendBatch(emails, "b/1/2/0"));
  expect(outcomes.map(({ kind }) => kind)).toEqual(["unknown", "unknown", "refused", "accepted"]);
  expect(outcomes[2]).toMatchObject({ reason: "rate", retryAfterMs: 28_800_000 });
  const bytes = JSON.stringify(
    emails.map(({ from, to, subject, replyTo, headers, html, text }) => ({
      ...{ from, to: [to], subject, reply_to: replyTo, headers, html: [...html].join(""), text },
      tags: [{ name: "postroom_b", value: "b1" }],
    })),
  );
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  expect(seen.map((one) => one.sha256)).toEqual(Array(4).fill(sha256));
  for (const { line, headers } of seen) {
    expect(line).toBe("POST /emails/batch");
    expect(headers).toMatchObject({
      authorization: "Bearer re_secret_1",
      "content-type": "application/json",
      "idempotency-key": "b/1/2/0",
      "user-agent": "postroom",
      "x-batch-validation": "strict",
      "content-length": String(Buffer.byteLength(bytes)),
    });
  }
});

test("a redirect is not followed, so that the key goes nowhere else", async () => {
  const elsewhere = await wire((response) => json(response, 200, { id: "stolen" }));
  const { seen, provider } = await wire((response) => response.writeHead(307, { location: elsewhere.baseUrl }).end());
  expect(await provider.send(email("a@example.com"), "key-1")).toMatchObject({ kind: "unknown" });
  expect(seen.map(({ line }) => line)).toEqual(["POST /emails"]);
  expect(elsewhere.seen).toEqual([]);
});

test("an endless answer is cut, and its connection closed", async () => {
  const closed = Promise.withResolvers<void>();
  const { provider } = await wire((response) => {
    response.on("close", closed.resolve).writeHead(200, { "content-type": "application/json" });
    const more = () =>
      void (
        response.destroyed || (response.write("x".repeat(65_536)) ? setImmediate(more) : response.once("drain", more))
      );
    more();
  });
  const message = "200: Unexpected response from the provider"; // and not that the time was over
  expect(await provider.send(email("a@example.com"), "key-1")).toEqual({ kind: "unknown", message });
  await within(closed.promise, "the end of the connection");
});

test("a refused connection, a lost one and an abort are told apart", async () => {
  const stopping = new AbortController();
  const { provider, stop } = await wire((_, request, n) => {
    if (n === 1) request.socket.destroy();
    else stopping.abort(new Error("The server is stopping"));
  });
  const send = (signal?: AbortSignal) => provider.send(email("a@example.com"), "key-1", signal);
  const [lost, aborted] = [await send(), await send(stopping.signal)];
  await stop();
  const messages = [lost, aborted, await send()].map((outcome) => "message" in outcome && outcome.message);
  expect(messages).toEqual([
    expect.stringMatching(/^No response from the provider: .*closed/),
    "No response from the provider: The server is stopping",
    "No response from the provider: it refused the connection",
  ]);
});

test("an address that the provider does not know counts as removed, and nothing else does that it did not remove", async () => {
  const statuses = [404, 299, 300, 302, 400, 401, 429, 500, 503];
  const { provider } = await wire((response, _, n) => json(response, statuses[n - 1] ?? 200, {}));
  const outcomes: unknown[] = [];
  for (const status of statuses) outcomes.push([status, await provider.unsuppress?.(["a@example.com"])]);
  expect(outcomes).toEqual([
    [404, "removed"],
    [299, "removed"],
    [300, "failed"],
    [302, "failed"],
    [400, "failed"],
    [401, "not-allowed"],
    [429, "failed"],
    [500, "failed"],
    [503, "failed"],
  ]);
});

test("an address is removed from the provider's suppressions, or the key may not", async () => {
  const { seen, provider } = await wire((response, _, n) => json(response, n === 1 ? 200 : 403, {}));
  const remove = () => provider.unsuppress?.(["a@example.com"]);
  expect([await remove(), await remove()]).toEqual(["removed", "not-allowed"]);
  expect(seen.map(({ line }) => line)).toEqual(Array(2).fill("POST /suppressions/batch/remove"));
  expect(seen[0]?.sha256).toBe(createHash("sha256").update('{"emails":["a@example.com"]}').digest("hex"));
});
