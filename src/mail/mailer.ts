import type { Resend } from "resend";
import type { Config } from "../config";
import type { Letter } from "./compose";
import { isOneAddress } from "./headers";

/** What became of an attempt. */
export type Delivery =
  | { outcome: "accepted"; providerId?: string | undefined }
  | { outcome: "failed"; error: string; isPermanent: boolean; retryAfterSeconds?: number | undefined };

/**
 * The mail provider, or undefined without MAILER_API_KEY: then mails are simulated (spec part 6). `send` never throws.
 * The same letter under the same key is delivered once, however often it is sent within 24 hours.
 */
export function createMailer(config: Config) {
  const { MAILER_API_KEY, MAIL_FROM, RESEND_BASE_URL } = config;
  if (!MAILER_API_KEY) return undefined;
  let client: Promise<Resend> | undefined;
  const open = async () => {
    const { Resend } = await import("resend"); // at the first mail: a start need not wait for it
    return new Resend(MAILER_API_KEY, RESEND_BASE_URL ? { baseUrl: RESEND_BASE_URL.replace(/\/$/, "") } : {});
  };
  const hideSecrets = (text: string) =>
    text
      .replaceAll(MAILER_API_KEY, "…")
      .replace(/token=[\w-]+/gi, "token=…")
      .replace(/\p{Cc}+/gu, " ");

  return {
    /** @param key the row's id; the provider's Idempotency-Key */
    async send({ to, replyTo, ...letter }: Letter, key: string, signal: AbortSignal): Promise<Delivery> {
      if (!isOneAddress(to)) return { outcome: "failed", error: "The recipient is not one address", isPermanent: true };
      const request = { idempotencyKey: key, signal };
      const mail = { ...letter, from: MAIL_FROM, to: [to], ...(replyTo && { replyTo }) };
      const resend = await (client ??= open());
      const { data, error, headers } = await resend.emails.send(mail, request);
      if (data?.id) return { outcome: "accepted", providerId: data.id };
      if (wasAcceptedBefore(error)) return { outcome: "accepted" };
      const status = error?.statusCode ?? undefined;
      return {
        outcome: "failed",
        error: hideSecrets(`${status ?? "No answer"}: ${error?.message ?? "not what was expected"}`).slice(0, 300),
        isPermanent: isPermanent(status),
        retryAfterSeconds: secondsOf(headers?.["retry-after"]),
      };
    },
  };
}

/** An earlier attempt got through, though its answer did not; the letter has changed a little since. */
const wasAcceptedBefore = (error: { name?: string } | null) => error?.name === "invalid_idempotent_request";

/** What is wrong with the letter stays wrong. What is wrong with the key (401, 403) is put right by the operator. */
const isPermanent = (status: number | undefined) =>
  status !== undefined && status >= 400 && status < 500 && ![401, 403, 408, 409, 425, 429].includes(status);

const secondsOf = (retryAfter: string | undefined) =>
  retryAfter && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) : undefined;
