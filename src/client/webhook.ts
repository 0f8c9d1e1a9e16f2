import { textOf } from "./request";
import type { components } from "./schema";

type Bodies = components["requestBodies"];
/** What a call of a webhook says, told apart by `type`. */
export type WebhookEvent = Bodies[keyof Bodies]["content"]["application/json"];

/** Why a call was not accepted: a header is missing, it is too old, no secret signed it, or its body is no event. */
export class WebhookError extends Error {
  constructor(readonly reason: "missing" | "old" | "signature" | "body") {
    super(`The webhook’s call was not accepted (${reason}).`);
    this.name = "WebhookError";
  }
}

const maxSignatures = 10; // a rotation needs two
const maxBodyBytes = 2 ** 20; // the service sends a few thousand

/**
 * Resolves with the event and the ID of its delivery, which is the same when it is repeated. Needs only Web Crypto.
 *
 * @param request the request, or its headers and its body as the bytes came
 * @param secret one, or both during a rotation
 * @throws WebhookError if the call is not from this service; TypeError if a secret is none
 */
export async function verifyWebhook(
  request: Request | { headers: Headers | Record<string, string | string[] | undefined>; body: string | Uint8Array },
  secret: string | string[],
  { toleranceSeconds = 300, now = new Date() }: { toleranceSeconds?: number; now?: Date } = {},
): Promise<WebhookEvent & { id: string }> {
  const headers = request.headers instanceof Headers ? [...request.headers] : Object.entries(request.headers);
  const header = (name: string) => String(headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? "");
  const [id, timestamp, signature] = [header("webhook-id"), header("webhook-timestamp"), header("webhook-signature")];
  if (!id || !/^\d{1,12}$/.test(timestamp) || !signature) throw new WebhookError("missing");
  if (Math.abs(now.getTime() / 1_000 - Number(timestamp)) > toleranceSeconds) throw new WebhookError("old");

  const text = await bodyOf(request);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const signatures = signature.split(" ", maxSignatures).flatMap((each) => fromBase64(each.replace(/^v1,/, "")) ?? []);
  if (!(await isSigned([secret].flat(), signatures, signed))) throw new WebhookError("signature");
  try {
    const event: WebhookEvent = JSON.parse(text);
    if (typeof event.type === "string") return { ...event, id };
  } catch {}
  throw new WebhookError("body");
}

async function bodyOf(request: Request | { body: string | Uint8Array }): Promise<string> {
  if (request instanceof Request) return textOf(request.body, maxBodyBytes);
  return typeof request.body === "string" ? request.body : new TextDecoder().decode(request.body);
}

/** Whether one of the secrets made one of the signatures. Compares in constant time. */
async function isSigned(
  secrets: string[],
  signatures: Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const secret of secrets) {
    const raw = secret.startsWith("whsec_") && fromBase64(secret.slice(6));
    if (!raw) throw new TypeError("The secret must begin with whsec_.");
    const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const signature of signatures) if (await crypto.subtle.verify("HMAC", key, signature, signed)) return true;
  }
  return false;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}
