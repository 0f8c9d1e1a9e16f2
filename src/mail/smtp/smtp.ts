import { isOneAddress } from "../headers";
import type { Pace } from "../pace";
import { type Email, type MailProvider, type Outcome, redactor } from "../provider";
import { Connections, type Server } from "./connections";

type Needs = Server & { pace: Pace };

const timeoutMs = 60_000; // for an attempt, including connecting and waiting for a connection

/**
 * SMTP (docs/decisions/emails.md). There is no Idempotency-Key: once the server has begun to read a message, an attempt
 * without a reply is unknown, and repeating it may send the email twice.
 */
export function openSmtp(needs: Needs): MailProvider {
  const { server, pace } = needs;
  const { user = "", password = "" } = server.login ?? {};
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const redact = redactor(password, base64(password), base64(`\0${user}\0${password}`));
  const connections = new Connections(needs, pace.now);

  async function send(email: Email, signal?: AbortSignal): Promise<Outcome> {
    if (!isOneAddress(email.to))
      return { kind: "refused", reason: "invalid", message: "The recipient is not a single email address" };
    const limit = AbortSignal.timeout(timeoutMs);
    const either = signal ? AbortSignal.any([signal, limit]) : limit;
    const outcome = await connections.send(email, either);
    if (outcome.kind === "refused" && outcome.reason === "rate") pace.throttled(outcome.retryAfterMs);
    const isUnavailable = outcome.kind === "refused" && outcome.reason === "unavailable";
    if (!isUnavailable) pace.available();
    else if (!either.aborted) pace.unavailable();
    return outcome.kind === "accepted" ? outcome : { ...outcome, message: redact(outcome.message) };
  }

  return {
    name: "smtp",
    maxBatch: 1,
    maxConcurrent: server.pool,
    isIdempotent: false,
    send: (email, _, signal) => send(email, signal),
    async sendBatch([email, ...more], _, signal) {
      if (email && !more.length) return send(email, signal);
      return { kind: "refused", reason: "too-large", message: "SMTP sends one email at a time" };
    },
    close: () => connections.close(),
  };
}
