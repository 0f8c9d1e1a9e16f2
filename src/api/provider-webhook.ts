import { isUtf8 } from "node:buffer";
import { recordReport } from "../../db/provider-reports";
import type { Deps } from "./deps";
import { isDeeperThan, maxDepth } from "../http/request-body";
import { contextOf, type RequestContext } from "../platform/request-context";
import { clientNetwork } from "../platform/client-address";
import { describe, limits, tooMany } from "../security/limits/limits";
import type { Refusal } from "../security/refusal";
import { addressIn, reportOf } from "../mail/resend-events";
import { isSignedBy } from "../platform/webhook-signature";
import { api, fail, ok } from "./envelope";
import { failure, limited, parameter, success } from "../openapi/responses";

/**
 * Reports from the email provider: deliveries, bounces, complaints (docs/decisions/suppressions.md). Their signature is
 * the authority. The body is read exactly as sent, and nothing of it is logged.
 */
export const providerWebhook = (deps: Deps) =>
  api("/api/webhooks", deps.log, () => (deps.config.MAILER_WEBHOOK_SECRET.length ? undefined : notSetUp)).post(
    "/resend",
    ({ request }) => receive(deps, request),
    { parse: "none", detail: docs },
  );

const notSetUp: Refusal = { status: 404, code: "NOT_FOUND", message: "MAILER_WEBHOOK_SECRET is not set." };

async function receive(deps: Deps, request: Request): Promise<Response> {
  const { config, db, now } = deps;
  const bytes = Buffer.from(await request.arrayBuffer());
  const signed = signatureOf(request.headers);
  if (!signed || !isSignedBy(config.MAILER_WEBHOOK_SECRET, signed, bytes, now()))
    return refuse(deps, contextOf(request));
  const report = reportOf(signed.id, parsed(bytes), addressIn(config.MAIL_FROM), now());
  if (report) await recordReport(db, report, now());
  return ok({ id: signed.id, message: "The report was received." });
}

const maxHeaderLength = 4_000;

/** The headers of Svix, or those of Standard Webhooks. */
function signatureOf(headers: Headers) {
  const named = (name: string) => headers.get(`svix-${name}`) ?? headers.get(`webhook-${name}`) ?? "";
  const [id, timestamp, signature] = [named("id"), named("timestamp"), named("signature")];
  if (!id || id.length > 200 || timestamp.length > 20 || signature.length > maxHeaderLength) return;
  return { id, timestamp, signature };
}

/** Only bad signatures count against the limit, so that sending them cannot keep the provider out. */
async function refuse({ limits: taken }: Deps, context: RequestContext): Promise<Response> {
  const client = clientNetwork(context.address);
  const verdict = await taken.take(limits.webhook, client);
  if (verdict.admitted) return fail(401, "UNAUTHORIZED", "The signature is not valid.");
  describe(limits.webhook, verdict, context);
  const { status, code, message } = tooMany(verdict);
  return fail(status, code, message);
}

/** Undefined for what is signed, but not JSON: nothing we know. */
function parsed(bytes: Buffer): unknown {
  if (!isUtf8(bytes) || isDeeperThan(maxDepth, bytes)) return undefined;
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

const header = (name: string, description: string) => parameter("header", name, description);

const docs = {
  operationId: "receiveProviderReport",
  summary: "Receive reports from the email provider",
  description:
    "For Resend’s webhooks, which are signed as in Standard Webhooks; the headers may also be named `webhook-…`. A repeated report changes nothing. Event types that are not used are accepted and ignored.",
  parameters: [
    header("svix-id", "The ID of the report, the same in every repetition."),
    header("svix-timestamp", "Seconds since 1970, within five minutes of now."),
    header("svix-signature", "One or more signatures (`v1,` and Base64), separated by spaces."),
  ],
  responses: {
    200: success("Receipt", "The report is stored now, or was stored before.", {
      id: "msg_2mXgN9rJwqP6kB0cTzVhY4sLdEf",
      message: "The report was received.",
    }),
    401: failure("The signature is missing, wrong, or too old."),
    404: failure("MAILER_WEBHOOK_SECRET is not set."),
    ...limited,
  },
};
