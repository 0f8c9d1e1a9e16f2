import { isOneAddress } from "./headers";
import type { Pace } from "./pace";
import type { Email, MailProvider, Outcome, Unsuppressed } from "./provider";
import { redactor } from "./redact";
import { type Answer, meaningOf } from "./resend-answers";
import { batchJson, emailJson } from "./resend-json";

type Needs = { apiKey: string; baseUrl?: string | undefined; now: () => Date; pace: Pace };

const maxBatch = 100;
const maxRequestBytes = 4 * 2 ** 20;
const maxAnswerBytes = 2 ** 20;
const timeoutMs = 30_000;

/** Resend over HTTP. The bytes are our own, so that a retry repeats them exactly (P120). */
export function openResend({ apiKey, baseUrl = "https://api.resend.com", now, pace }: Needs): MailProvider {
  const redact = redactor(apiKey);
  const origin = baseUrl.replace(/\/+$/, "");

  async function post(
    path: string,
    emails: Email[],
    body: Buffer,
    key: string,
    signal?: AbortSignal,
  ): Promise<Outcome> {
    if (!emails.every(({ to }) => isOneAddress(to)))
      return { kind: "refused", reason: "invalid", message: "The recipient is not a single email address" };
    if (emails.length > maxBatch || body.length > maxRequestBytes)
      return { kind: "refused", reason: "too-large", message: "Larger than the provider accepts in one request" };
    try {
      const answer = await ask(`${origin}${path}`, { apiKey, key, body, signal });
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
    send: (email, key, signal) => post("/emails", [email], emailJson(email), key, signal),
    sendBatch: (emails, key, signal) => post("/emails/batch", emails, batchJson(emails), key, signal),
    unsuppress: (addresses) => unsuppress(`${origin}/suppressions/batch/remove`, apiKey, addresses),
    close: () => Promise.resolve(),
  };
}

type Request = { apiKey: string; key: string; body: Buffer; signal?: AbortSignal | undefined };

/** https://resend.com/docs/api-reference/suppressions/remove-batch-suppressions */
async function unsuppress(url: string, apiKey: string, addresses: string[]): Promise<Unsuppressed> {
  try {
    const body = Buffer.from(JSON.stringify({ emails: addresses }));
    const { status } = await ask(url, { apiKey, key: crypto.randomUUID(), body });
    if (status === 401 || status === 403) return "not-allowed";
    return (status >= 200 && status < 300) || status === 404 ? "removed" : "failed";
  } catch {
    return "failed";
  }
}

async function ask(url: string, { apiKey, key, body, signal }: Request): Promise<Answer> {
  const limit = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, {
    method: "POST",
    redirect: "manual", // the key must not be sent to anyone else
    body,
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": key,
      "user-agent": "postroom",
      "x-batch-validation": "strict", // all or none
    },
    signal: signal ? AbortSignal.any([limit, signal]) : limit,
  });
  return { status: response.status, headers: response.headers, body: await bodyOf(response) };
}

/** Returns undefined if the body is not JSON, or too long. */
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

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
