import { expect, test } from "bun:test";
import { type AddressInfo, createServer } from "node:net";
import { within } from "../../../test/support/within";
import { Pace } from "../pace";
import { openSmtp } from "./smtp";

/* A mail server that never comes to an end. */

const email = { from: "ada@x.example", to: "r@example.com", subject: "News", html: "News", text: "News", headers: {} };

/** A server that greets, offers a login, and answers it with `answer` for as long as it is asked or connected. */
async function endless(answer: string, isUnasked: boolean) {
  let asked = 0;
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    socket.on("error", () => {}).on("close", () => closed.resolve());
    socket.write("220 mail.example\r\n");
    socket.on("data", (data) => {
      if (/^EHLO/.test(data.toString())) return socket.write("250-mail.example\r\n250 AUTH PLAIN\r\n");
      asked++;
      const pour = () => {
        if (!socket.destroyed) socket.write(answer.repeat(1_000), () => setImmediate(pour));
      };
      if (isUnasked) pour();
      else socket.write(answer);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const pace = new Pace(() => new Date(), 1e9);
  const login = { user: "ada", password: "secret" };
  const { port } = server.address() as AddressInfo;
  const provider = openSmtp({ server: { host: "127.0.0.1", port, tls: "none", pool: 1, login }, pace });
  const outcome = await provider.send(email, "");
  await within(closed.promise, "the end of the connection");
  server.close();
  return { outcome, asked };
}

test.each([
  ["a wrong password", "535 5.7.8 No\r\n", false],
  ["334 to every answer", "334 Q29udGludWU=\r\n", false],
  ["334 unasked", "334 Q29udGludWU=\r\n", true],
  ["empty lines", "\r\n", true],
  ["a reply without end", "250-more\r\n", true],
  ["a line without end", "x", true],
])("%s: the connection is closed, and nothing was sent", async (_, answer, isUnasked) => {
  const { outcome } = await endless(answer, isUnasked);
  const ended = /^535|: The server does not stop replying$|: Server response exceeds maximum allowed size$/; // not by the time
  const message = expect.stringMatching(ended);
  expect(outcome).toMatchObject({ kind: "refused", reason: expect.stringMatching(/unavailable|credentials/), message });
});
