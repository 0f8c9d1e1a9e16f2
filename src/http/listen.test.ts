import { afterAll, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { within } from "../../test/support/within";
import { createLog } from "../platform/log";
import { listen } from "./listen";
import { hasBody, withWholeBody } from "./request-body";

const slow = Promise.withResolvers<void>();
const server = listen(
  { HOST: "127.0.0.1", PORT: 0 },
  createLog("silent"),
  async (request) => {
    const { pathname } = new URL(request.url);
    if (hasBody(request)) await withWholeBody(request, 1_000);
    if (pathname === "/slow") await slow.promise;
    return new Response("done");
  },
  1,
);
const sockets: Socket[] = [];
afterAll(() => sockets.forEach((socket) => socket.destroy()));

/** Sends a request, or part of one. Reports what comes back first, and when the connection is closed. */
function request(head: string, body = "") {
  const [received, closed] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()];
  const socket = connect(server.port ?? 0, "127.0.0.1", () => socket.write(`${head} HTTP/1.1\r\nHost: a\r\n${body}`));
  sockets.push(socket);
  socket.on("data", (chunk) => received.resolve(String(chunk)));
  socket.on("error", () => undefined);
  socket.on("close", () => (received.resolve("nothing"), closed.resolve()));
  return { received: received.promise, closed: closed.promise };
}

test("a request is not cut off while it is handled, a body that does not arrive is, and so are idle connections", async () => {
  const handled = [
    request("GET /slow", "\r\n"),
    request("POST /slow", "Content-Length: 0\r\n\r\n"),
    request("DELETE /slow", "\r\n"),
    request("POST /slow", "Content-Length: 4\r\n\r\nfull"),
  ];
  const others = [request("GET /quick", "\r\n"), request("POST /quick", "Content-Length: 9\r\n\r\nhalf")];
  const cut = Promise.all(others.map(({ closed }) => closed));
  await within(cut, "the end of idle connections"); // began later: the first would have been closed too
  slow.resolve();
  for (const { received, closed } of handled) {
    expect(await received).toEndWith("done");
    await within(closed, "the end of a connection that is idle now");
  }
});
