import { retryAfterMs } from "../platform/retry-after";
import { asciiMailbox, isOneAddress } from "./headers";
import {
  type Email,
  type MailProvider,
  type Outcome,
  pieceEncoder,
  type Reason,
  redactor,
  type Text,
  type Unsuppressed,
} from "./provider";
import type { Resend, Response as Reply } from "resend";
import type { Pace } from "./pace";

/** Formats emails for Resend: JSON, an array for a batch. The same emails give the same bytes. */
export const batchJson = (emails: Email[]): Buffer => {
  const parts = emails.flatMap((email, i) => [...(i ? [comma] : []), ...partsOf(email)]);
  return Buffer.concat([Buffer.from("["), ...parts, Buffer.from("]")]);
};
export const emailJson = (email: Email): Buffer => Buffer.concat(partsOf(email));

const comma = Buffer.from(",");

/** Always in this order, whatever the order in the email. */
function partsOf({ from, to, replyTo, subject, headers, html, text, tags }: Email): Buffer[] {
  const mailboxes = { from: asciiMailbox(from), to: [asciiMailbox(to)] };
  const replies = replyTo && { reply_to: asciiMailbox(replyTo) };
  const first = JSON.stringify({ ...mailboxes, subject, ...replies, headers });
  const named = tags && Object.entries(tags).map(([name, value]) => ({ name, value }));
  return [
    Buffer.from(`${first.slice(0, -1)},"html":"`),
    ...inString(html),
    Buffer.from(`","text":"`),
    ...inString(text),
    Buffer.from(named ? `","tags":${JSON.stringify(named)}}` : `"}`),
  ];
}

const escaped = (piece: string) => Buffer.from(JSON.stringify(piece).slice(1, -1));
const remembered = pieceEncoder(escaped);
const inString = (text: Text) => (typeof text === "string" ? [escaped(text)] : text.map(remembered));

/**
 * Interprets a response from Resend. Its message is not redacted yet.
 *
 * @param count emails in the request
 */
export function meaningOf({ status, headers, body }: Answer, count: number, now: Date): Outcome {
  const { name, message } = errorIn(body);
  const said = `${status}: ${message ?? "Unexpected response from the provider"}`;
  if (status >= 200 && status < 300) {
    const ids = idsIn(body);
    return ids.length === count ? { kind: "accepted", ids } : { kind: "unknown", message: said };
  }
  if (name === "invalid_idempotent_request") return { kind: "conflict", message: said };
  if (isUnknown(status, name)) return { kind: "unknown", message: said };
  const reason = reasonOf(status, name, message);
  const waitMs = reason === "daily-quota" ? untilQuotaReturns(now) : retryAfterMs(headers.get("retry-after"), now);
  return { kind: "refused", reason, message: said, retryAfterMs: waitMs };
}

/** Whether the request may have been, or may still be, processed. Redirects are not followed. */
const isUnknown = (status: number, name = "") =>
  status < 400 || status >= 500 || status === 408 || status === 425 || name === "concurrent_idempotent_requests";

function reasonOf(status: number, name = "", message = ""): Reason {
  if (name === "daily_quota_exceeded") return "daily-quota";
  if (name === "monthly_quota_exceeded") return "monthly-quota";
  if (status === 429) return "rate";
  if (status === 401 || status === 403 || name === "invalid_from_address" || /domain is not verified/i.test(message))
    return "credentials";
  return status === 413 ? "too-large" : "invalid";
}

/** Returns the IDs of an accepted email or batch. Empty unless all of them are strings. */
function idsIn(body: unknown): string[] {
  const { id, data } = record(body);
  const rows = Array.isArray(data) ? data.map((row) => record(row).id) : [id];
  return rows.every((each) => typeof each === "string") ? rows : [];
}

function errorIn(body: unknown): { name?: string; message?: string } {
  const { name, message } = record(body);
  return { ...(typeof name === "string" && { name }), ...(typeof message === "string" && { message }) };
}

const record = (value: unknown): Record<string, unknown> => (typeof value === "object" && value ? { ...value } : {});

/** Quotas are counted by UTC day; five minutes are added for clocks that differ. */
const untilQuotaReturns = (now: Date) =>
  Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1, 0, 5) - now.getTime();

/** An HTTP response with its body parsed as JSON; `body` is undefined if it was not JSON, or too long. */
type Answer = { status: number; headers: Headers; body: unknown };

const maxAnswerBytes = 2 ** 20;
const timeoutMs = 30_000;

/**
 * Resend's own client with a transport of ours (docs/decisions/emails.md): its `data` is always the whole `Answer`,
 * whatever the status, and a request without one throws. Loaded with the first email.
 */
async function openClient(apiKey: string, baseUrl: string): Promise<Resend> {
  const { Resend } = await import("resend");
  class Client extends Resend {
    /** @throws the reason of an abort, or an error with the code of the failed connection */
    override async fetchRequest<T>(path: string, options: RequestInit = {}): Promise<Reply<T>> {
      const limit = AbortSignal.timeout(timeoutMs);
      const response = await fetch(`${this.baseUrl}${path}`, {
        ...options,
        redirect: "manual", // the key must not be sent to anyone else
        signal: options.signal ? AbortSignal.any([limit, options.signal]) : limit,
      });
      const { status, headers } = response;
      const answer: Answer = { status, headers, body: await bodyOf(response) };
      return { data: answer as T, error: null, headers: Object.fromEntries(headers) };
    }
  }
  return new Client(apiKey, { baseUrl, userAgent: "postroom" });
}

async function bodyOf(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswerBytes) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    return undefined;
  }
}

type Needs = { apiKey: string; baseUrl?: string | undefined; now: () => Date; pace: Pace };

const maxBatch = 100;
const maxRequestBytes = 4 * 2 ** 20;

/** Resend through its own client. The bytes are ours, so that a retry repeats them exactly. */
export function openResend({ apiKey, baseUrl = "https://api.resend.com", now, pace }: Needs): MailProvider {
  const redact = redactor(apiKey);
  let opening: Promise<Resend> | undefined;
  const client = () => (opening ??= openClient(apiKey, baseUrl.replace(/\/+$/, "")));

  async function post(
    path: string,
    { emails, body, key }: { emails: Email[]; body: Buffer; key: string },
    signal?: AbortSignal,
  ): Promise<Outcome> {
    if (!emails.every(({ to }) => isOneAddress(to)))
      return { kind: "refused", reason: "invalid", message: "The recipient is not a single email address" };
    if (emails.length > maxBatch || body.length > maxRequestBytes)
      return { kind: "refused", reason: "too-large", message: "Larger than the provider accepts in one request" };
    try {
      const headers = { "x-batch-validation": "strict" }; // all or none
      const options = { body, idempotencyKey: key, headers, ...(signal && { signal }) }; // this body wins over the client's
      const { data: answer } = await (await client()).post<Answer>(path, undefined, options);
      if (!answer) throw new Error("No answer");
      pace.learn(answer.headers);
      const outcome = meaningOf(answer, emails.length, now());
      if (outcome.kind === "refused" && outcome.reason === "rate") pace.throttled(outcome.retryAfterMs);
      return outcome.kind === "accepted" ? outcome : { ...outcome, message: redact(outcome.message) };
    } catch (error) {
      return { kind: "unknown", message: redact(`No response from the provider: ${wordsOf(error)}`) };
    }
  }

  return {
    name: "resend",
    maxBatch,
    maxConcurrent: 10,
    isIdempotent: true,
    send: (email, key, signal) => post("/emails", { emails: [email], body: emailJson(email), key }, signal),
    sendBatch: (emails, key, signal) => post("/emails/batch", { emails, body: batchJson(emails), key }, signal),
    unsuppress: (addresses) =>
      client()
        .then((opened) => unsuppress(opened, addresses.map(asciiMailbox)))
        .catch(() => "failed" as const),
    close: () => Promise.resolve(),
  };
}

/** https://resend.com/docs/api-reference/suppressions/remove-batch-suppressions */
async function unsuppress(client: Resend, addresses: string[]): Promise<Unsuppressed> {
  const { data } = await client.post<Answer>("/suppressions/batch/remove", { emails: addresses });
  const status = data?.status ?? 0;
  if (status === 401 || status === 403) return "not-allowed";
  return (status >= 200 && status < 300) || status === 404 ? "removed" : "failed";
}

/** A refused connection is as unknown as a lost one, because `fetch` may have tried another before. */
const wordsOf = (error: unknown) =>
  codeOf(error) === "ECONNREFUSED"
    ? "it refused the connection"
    : error instanceof Error
      ? error.message
      : String(error);
const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined);
