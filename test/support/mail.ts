import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A mail as it arrived at the provider: the body of POST /emails, and its headers. */
export type Arrival = {
  key: string;
  authorization: string | undefined;
  from: string;
  to: string[];
  subject: string;
  reply_to?: string;
  headers: Record<string, string>;
  html: string;
  text: string;
};
type Trouble = Response | "hang" | "reset" | undefined;
type Behaviour = (arrival: Arrival) => Trouble | Promise<Trouble>;

/**
 * A mail provider on a port of its own, to be set as RESEND_BASE_URL. It delivers a mail once for each Idempotency-Key,
 * and does what `behave` says instead when that says anything.
 */
export async function fakeProvider() {
  const attempts: Arrival[] = [];
  const delivered = new Map<string, Arrival>();
  const provider = { behave: (() => undefined) as Behaviour };
  const deliver = (arrival: Arrival) => void delivered.set(arrival.key, delivered.get(arrival.key) ?? arrival);

  const server = createServer(async (request, response) => {
    const arrival = await read(request);
    attempts.push(arrival);
    const trouble = await provider.behave(arrival);
    if (trouble === "hang") return;
    if (trouble === "reset") return request.socket.resetAndDestroy();
    if (!trouble) deliver(arrival);
    await answer(response, trouble ?? Response.json({ id: `re_${arrival.key}` }));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;

  return Object.assign(provider, {
    attempts,
    delivered: () => [...delivered.values()],
    /** Takes the mail, whatever becomes of the answer. */
    deliver,
    env: {
      MAILER_API_KEY: "re_test_key_0123456789",
      RESEND_BASE_URL: `http://127.0.0.1:${port}`,
      MAIL_FROM: "Site <site@x.example>",
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  });
}

async function read(request: IncomingMessage): Promise<Arrival> {
  const { headers } = request;
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  return {
    ...(JSON.parse(body) as Omit<Arrival, "key" | "authorization">),
    key: String(headers["idempotency-key"] ?? crypto.randomUUID()),
    authorization: headers.authorization,
  };
}

async function answer(to: ServerResponse, response: Response) {
  to.writeHead(response.status, Object.fromEntries(response.headers));
  to.end(await response.text());
}

/** How the provider refuses, as Resend words it. */
export const refusal = (statusCode: number, name: string, headers: Record<string, string> = {}) =>
  Response.json({ statusCode, name, message: `Refused: ${name}` }, { status: statusCode, headers });
