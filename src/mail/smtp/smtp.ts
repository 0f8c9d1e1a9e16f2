import { Readable } from "node:stream";
import { isOneAddress } from "../headers";
import { mimeOf } from "./mime";
import type { Pace } from "../pace";
import type { Email, MailProvider, Outcome } from "../provider";
import { redactor } from "../redact";
import { meaningOf, type SmtpError } from "./answers";
import { openSession, type Session } from "./session";
import type { SmtpServer } from "./url";

type Needs = {
  server: SmtpServer;
  pace: Pace;
  /** Our name in EHLO. Without it, nodemailer chooses one. */
  name?: string | undefined;
  /** A certificate authority to trust besides the usual ones. For tests. */
  ca?: string;
};

const timeoutMs = 60_000; // for an attempt, including connecting and waiting for a connection

/**
 * SMTP (P122). There is no Idempotency-Key: once the server has begun to read a message, an attempt without a reply is
 * unknown, and repeating it may send the email twice.
 */
export function openSmtp(needs: Needs): MailProvider {
  const { server, pace } = needs;
  const { user = "", password = "" } = server.login ?? {};
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const redact = redactor(password, base64(password), base64(`\0${user}\0${password}`));
  const connections = new Connections(needs);

  async function send(email: Email, signal?: AbortSignal): Promise<Outcome> {
    if (!isOneAddress(email.to))
      return { kind: "refused", reason: "invalid", message: "The recipient is not a single email address" };
    const limit = AbortSignal.timeout(timeoutMs);
    const either = signal ? AbortSignal.any([signal, limit]) : limit;
    const outcome = await connections.send(email, either);
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

/** A pool of connections, each kept for the next email for as long as the server allows. */
class Connections {
  private readonly idle: Session[] = [];
  private readonly waiting: (() => void)[] = [];
  private free: number;

  constructor(private readonly needs: Needs) {
    this.free = needs.server.pool;
  }

  async send(email: Email, signal: AbortSignal): Promise<Outcome> {
    await this.enter();
    try {
      return await this.attempt(email, await mimeOf(email), signal);
    } catch (error) {
      return meaningOf(error as SmtpError, false);
    } finally {
      this.leave();
    }
  }

  /** @throws SmtpError if there is no connection */
  private async attempt(email: Email, message: Buffer, signal: AbortSignal): Promise<Outcome> {
    const kept = this.takeIdle();
    const first = kept && (await this.handOver(kept, email, message, signal));
    const wasClosedMeanwhile = kept?.isOver() && first?.kind === "refused" && first.reason === "unavailable";
    if (first && (!wasClosedMeanwhile || signal.aborted)) return first;
    const { server, name, ca } = this.needs;
    return this.handOver(await openSession(server, { name, ca, signal }), email, message, signal);
  }

  private takeIdle(): Session | undefined {
    for (let session = this.idle.pop(); session; session = this.idle.pop()) if (!session.isOver()) return session;
    return undefined;
  }

  private async handOver(session: Session, email: Email, message: Buffer, signal: AbortSignal): Promise<Outcome> {
    let wasRead = false;
    const stream = Readable.from(
      (function* () {
        wasRead = true; // nodemailer reads the message once the server has asked for it
        yield message;
      })(),
    );
    const envelope = { from: addressOf(email.from), to: email.to, size: message.length };
    try {
      const reply = await session.send(envelope, stream, signal);
      this.idle.push(session);
      return { kind: "accepted", ids: [queueIdIn(reply)] };
    } catch (error) {
      if (!session.isOver() && (await session.reset())) this.idle.push(session);
      else session.close();
      return meaningOf(error as SmtpError, wasRead);
    }
  }

  private async enter(): Promise<void> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((turn) => this.waiting.push(turn));
  }

  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free++;
  }

  close(): Promise<void> {
    for (const session of this.idle.splice(0)) session.quit();
    return Promise.resolve();
  }
}

const addressOf = (sender: string) => /<([^<>]+)>$/.exec(sender)?.[1] ?? sender;

/** Returns the server's name for the email in its log: "4F2A1" in "250 2.0.0 Ok: queued as 4F2A1". */
const queueIdIn = (reply: string) => /queued as ([\w.-]{1,100})/i.exec(reply)?.[1] ?? null;
