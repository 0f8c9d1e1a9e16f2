import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Trouble } from "./providers/mishaps";
import { type Arrival, FakeResend, type Rules, type Submission, submissionOf } from "./providers/resend";

export { refusal } from "./providers/resend";

type Behaviour = (first: Arrival, emails: Arrival[]) => Trouble | Promise<Trouble>;
type Options = Partial<Rules> & { now?: () => Date; port?: number; hangMs?: number };

/**
 * An email provider on a port of its own, to be set as RESEND_BASE_URL. It delivers each Idempotency-Key once in 24
 * hours, unless `behave` responds instead.
 */
export async function fakeProvider({ now = () => new Date(), port = 0, hangMs, ...rules }: Options = {}) {
  const attempts: Arrival[] = [];
  const delivered: Arrival[] = [];
  const submissions = new WeakMap<Arrival, Submission>();
  const resend = new FakeResend(
    () => now().getTime(),
    rules,
    (emails) => delivered.push(...emails),
  );
  const provider = { behave: (() => undefined) as Behaviour };

  const stop = await serveResend(resend, port, hangMs, (submission) => {
    for (const email of submission.emails) submissions.set(email, submission);
    attempts.push(...submission.emails);
    const [first] = submission.emails;
    return first && provider.behave(first, submission.emails);
  });

  return Object.assign(provider, {
    attempts,
    resend,
    delivered: () => [...delivered],
    /** Takes the request of this email, whatever becomes of the answer. */
    deliver(email: Arrival) {
      const submission = submissions.get(email);
      if (submission) resend.process(submission);
    },
    env: envOf(stop.port),
    stop: stop.stop,
  });
}

/** What a service needs to send through it. */
export const envOf = (port: number) => ({
  MAILER_API_KEY: "re_test_key_0123456789",
  RESEND_BASE_URL: `http://127.0.0.1:${port}`,
  MAIL_FROM: "Site <site@x.example>",
});

type Meanwhile = (submission: Submission) => Trouble | Promise<Trouble>;
/** Responds to requests that are not emails; undefined for emails. Controls a provider in another process. */
type Aside = (path: string, body: string) => Response | undefined;

/** Serves a provider over HTTP. A hanging request ends after `hangMs`, or never. */
export async function serveResend(
  resend: FakeResend,
  port: number,
  hangMs: number | undefined,
  meanwhile: Meanwhile,
  aside: Aside = () => undefined,
) {
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    const path = request.url ?? "";
    const other = aside(path, body);
    if (other) return answer(response, other);
    const submission = submissionOf(path, request.headers as Record<string, string | undefined>, body);
    const outcome = await resend.submit(submission, () => meanwhile(submission));
    if (outcome instanceof Response) {
      for (const [name, value] of Object.entries(resend.rateHeaders())) response.setHeader(name, value);
      return answer(response, outcome);
    }
    resend.count(outcome);
    if (outcome === "reset") return request.socket.resetAndDestroy();
    if (hangMs !== undefined) setTimeout(() => request.socket.destroy(), hangMs);
  });
  await new Promise<void>((listening) => server.listen(port, "127.0.0.1", listening));
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  return body;
}

async function answer(to: ServerResponse, response: Response) {
  to.writeHead(response.status, Object.fromEntries(response.headers));
  to.end(await response.text());
}
