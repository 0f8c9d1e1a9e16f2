import type { Resend } from "resend";
import { asciiMailbox, isOneAddress } from "./headers";
import type { Pace } from "./pace";
import type { Email, MailProvider, Outcome, Unsuppressed } from "./provider";
import { redactor } from "./redact";
import { meaningOf } from "./resend-answers";
import { type Answer, openClient } from "./resend-client";
import { batchJson, emailJson } from "./resend-json";

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
