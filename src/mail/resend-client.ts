import type { Resend, Response as Reply } from "resend";

/** An HTTP response with its body parsed as JSON; `body` is undefined if it was not JSON, or too long. */
export type Answer = { status: number; headers: Headers; body: unknown };

const maxAnswerBytes = 2 ** 20;
const timeoutMs = 30_000;

/**
 * Resend's own client with a transport of ours (docs/decisions/emails.md): its `data` is always the whole `Answer`,
 * whatever the status, and a request without one throws. Loaded with the first email.
 */
export async function openClient(apiKey: string, baseUrl: string): Promise<Resend> {
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
