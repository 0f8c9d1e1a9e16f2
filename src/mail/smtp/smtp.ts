import { Readable } from "node:stream";
import type MimeNode from "nodemailer/lib/mime-node";
import { hourMs } from "../../../db/lib/time";
import type { SmtpServer } from "../../platform/mail-urls";
import { addressOf, asciiMailbox, domainOf, isOneAddress } from "../headers";
import type { Pace } from "../pace";
import { type Email, type MailProvider, type Outcome, pieceEncoder, redactor, type Text } from "../provider";
import { isCrowded, meaningOf, type SmtpError } from "./answers";
import { openSession, type Session } from "./session";

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

const [firstGrowthMs, maxGrowthMs] = [60_000, hourMs];

/**
 * How many connections may be open. A server that rejects one of several may allow fewer than `max`: then the pool is
 * one smaller than what was tried, and grows again by one after a minute, later each time it was too much.
 */
export class Pool {
  private readonly waiting: (() => void)[] = [];
  private size: number;
  private used = 0;
  private changedAt = 0;
  private hasGrown = false;
  private growthMs = firstGrowthMs;

  constructor(
    private readonly max: number,
    private readonly now: () => Date,
  ) {
    this.size = max;
  }

  /** Waits for a place. */
  async enter(): Promise<void> {
    this.grow();
    if (this.used < this.size) this.used++;
    else await new Promise<void>((turn) => this.waiting.push(turn));
  }

  leave(): void {
    this.used--;
    this.grow();
    for (; this.waiting.length && this.used < this.size; this.used++) this.waiting.shift()?.();
  }

  /**
   * One of those that have entered was rejected. Returns whether it may have been one too many: then it should leave
   * and enter again. Alone it was not, and neither was any before it.
   */
  crowded(): boolean {
    const isAlone = this.used <= 1;
    if (isAlone || this.hasGrown) this.growthMs = isAlone ? firstGrowthMs : Math.min(this.growthMs * 2, maxGrowthMs);
    this.resize(isAlone ? this.max : Math.min(this.size, this.used - 1), false);
    return !isAlone;
  }

  private grow(): void {
    const waitedMs = Math.abs(this.now().getTime() - this.changedAt);
    if (this.size < this.max && waitedMs >= this.growthMs) this.resize(this.size + 1, true);
  }

  private resize(size: number, hasGrown: boolean): void {
    [this.size, this.hasGrown, this.changedAt] = [size, hasGrown, this.now().getTime()];
  }
}

type Server = {
  server: SmtpServer;
  /** Our name in EHLO. Without it, nodemailer chooses one. */
  name?: string | undefined;
  /** Where reports go, if not to the sender. */
  bounceAddress?: string | undefined;
  /** A certificate authority to trust besides the usual ones. For tests. */
  ca?: string;
};

/** The outcome of an attempt, and whether the server may have rejected it because of our other connections. */
type Attempt = { outcome: Outcome; isCrowded: boolean };

/** Connections to a server, each kept for the next email for as long as the server allows. */
class Connections {
  private readonly idle: Session[] = [];
  private readonly pool: Pool;

  constructor(
    private readonly needs: Server,
    now: () => Date,
  ) {
    this.pool = new Pool(needs.server.pool, now);
  }

  /** Sends an email, on fewer connections if the server rejects this one: then it certainly did not take it. */
  async send(email: Email, signal: AbortSignal): Promise<Outcome> {
    for (;;) {
      await this.pool.enter();
      try {
        const { outcome, isCrowded } = await this.attempt(email, await mimeOf(email), signal);
        if (!isCrowded || !this.pool.crowded() || signal.aborted) return outcome;
      } finally {
        this.pool.leave();
      }
    }
  }

  private async attempt(email: Email, message: Buffer, signal: AbortSignal): Promise<Attempt> {
    const kept = this.takeIdle();
    const first = kept && (await this.handOver(kept, email, message, signal));
    const wasClosedMeanwhile =
      kept?.isOver() && first?.outcome.kind === "refused" && first.outcome.reason === "unavailable";
    if (first && (!wasClosedMeanwhile || signal.aborted)) return first;
    const { server, name, ca } = this.needs;
    try {
      return await this.handOver(await openSession(server, { name, ca, signal }), email, message, signal);
    } catch (error) {
      return failed(error as SmtpError, false);
    }
  }

  private takeIdle(): Session | undefined {
    for (let session = this.idle.pop(); session; session = this.idle.pop()) if (!session.isOver()) return session;
    return undefined;
  }

  private async handOver(session: Session, email: Email, message: Buffer, signal: AbortSignal): Promise<Attempt> {
    let wasRead = false;
    const stream = Readable.from(
      (function* () {
        wasRead = true; // nodemailer reads the message once the server has asked for it
        yield message;
      })(),
    );
    const { bounceAddress } = this.needs;
    const from = (bounceAddress && returnPath(bounceAddress, email)) || asciiMailbox(addressOf(email.from));
    const to = asciiMailbox(email.to);
    try {
      const reply = await session.send({ from, to, size: message.length }, stream, signal);
      this.idle.push(session);
      return { outcome: { kind: "accepted", ids: [queueIdIn(reply)] }, isCrowded: false };
    } catch (error) {
      const attempt = failed(error as SmtpError, wasRead);
      if (!attempt.isCrowded && !session.isOver() && (await session.reset())) this.idle.push(session);
      else session.close();
      return attempt;
    }
  }

  close(): Promise<void> {
    for (const session of this.idle.splice(0)) session.quit();
    return Promise.resolve();
  }
}

const failed = (error: SmtpError, wasRead: boolean): Attempt => ({
  outcome: meaningOf(error, wasRead),
  isCrowded: isCrowded(error),
});

/** Returns the server's name for the email in its log: "4F2A1" in "250 2.0.0 Ok: queued as 4F2A1". */
const queueIdIn = (reply: string) => /queued as ([\w.-]{1,100})/i.exec(reply)?.[1] ?? null;

/**
 * The address that a server sends its report on this email to: BOUNCE_ADDRESS with what proves whose email it was
 * (src/mailbox/receive.ts). Undefined for an email that nothing tells apart.
 */
function returnPath(bounceAddress: string, { messageId = "", tags = {} }: Pick<Email, "messageId" | "tags">) {
  const [, row, mac] = /^b\.(\d+)\.[\da-f-]+\.([\da-f]{20})@/.exec(messageId) ?? [];
  const token = row && mac ? `b${row}-${mac}` : tags.postroom_m && `m${tags.postroom_m.replaceAll("-", "")}`;
  return token ? bounceAddress.replace("{}", token) : undefined;
}

/**
 * Writes an email for SMTP. nodemailer writes the headers; the two texts are assembled here, because its streams take
 * as long as everything else about an email.
 */
export async function mimeOf(email: Email): Promise<Buffer> {
  const [{ default: Node }, { encode, wrap }] = await Promise.all([
    import("nodemailer/lib/mime-node"), // loaded with the first email
    import("nodemailer/lib/qp"),
  ]);
  const root = new Node("multipart/alternative");
  const head = headOf(root, email);
  const quoted = (quotedPiece ??= pieceEncoder((piece) => {
    const lines = wrap(encode(piece.replace(/\r\n?|\n/g, "\r\n")), maxLine);
    return Buffer.from(!lines || lines.endsWith("\r\n") ? lines : `${lines}${softBreak}`);
  }));
  const part = (type: string, text: Text) => [
    Buffer.from(`--${root.boundary}\r\nContent-Type: ${type}; charset=utf-8\r\n${transferEncoding}\r\n\r\n`),
    ...(typeof text === "string" ? [text] : text).map(quoted),
    newLine,
  ];
  const parts = [...part("text/plain", email.text), ...part("text/html", email.html)];
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), ...parts, Buffer.from(`--${root.boundary}--\r\n`)]);
}

const softBreak = "=\r\n"; // ends a line that continues on the next one
const newLine = Buffer.from("\r\n");
const maxLine = 75; // 76 with the soft break
const transferEncoding = "Content-Transfer-Encoding: quoted-printable";
let quotedPiece: ((piece: string) => Buffer) | undefined;

function headOf(root: MimeNode, { replyTo, messageId, from, to, subject, headers }: Email): string {
  root.addHeader(asWritten(headers));
  root.setHeader({
    from: asciiMailbox(from),
    to: asciiMailbox(to),
    ...(replyTo && { "reply-to": asciiMailbox(replyTo) }),
    subject,
    "message-id": `<${messageId ?? `${crypto.randomUUID()}@${domainOf(from)}`}>`,
  });
  return root.buildHeaders();
}

/**
 * ASCII values are not encoded: nodemailer would encode any value with a quotation mark, and no one could find a list
 * by such a List-Id.
 */
const asWritten = (headers: Email["headers"] = {}) =>
  Object.entries(headers).map(([key, value]) => ({
    key,
    value: /^[ -~]*$/.test(value) ? { prepared: true, foldLines: true, value } : value,
  }));
