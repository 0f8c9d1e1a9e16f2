import { z } from "zod";
import { emailKey } from "../../db/lib/email-key";
import { spamReasons } from "../../db/contact/messages";
import * as submissions from "../../db/contact/submissions";
import type { Deps } from "./deps";
import type { Config } from "../platform/config";
import type { Log } from "../platform/log";
import { limits as limitOf, rateLimit } from "../security/limits/limits";
import { clientNetwork } from "../platform/client-address";
import { keyedHash } from "../security/secrets";
import { onBehalfOfVisitors } from "../security/visitors";
import { contextOf } from "../platform/request-context";
import { line, lines } from "../platform/text/schemas";
import { optional } from "../http/request-schemas";
import { emailAddress } from "../platform/text/email-address";
import { api, fail, idempotencyKeyOf, idempotencyKeyParameter, ok, tryLater } from "./envelope";
import { bodyExample, failure, limited, success, visitorParameters } from "../openapi/responses";

export const Contact = z
  .object({
    name: line({ min: 2, max: 100 }),
    email: emailAddress,
    message: lines({ min: 10, max: 2000 }),
    source: optional(line({ max: 100 })).default("landing"),
    website: z
      .unknown()
      .optional()
      .meta({ description: "Honeypot: hidden from people. A submission that fills it in is treated as spam." }),
  })
  .meta({ id: "ContactInput" });

const received = "Thank you. Your message has been received.";

/**
 * The contact form of sites. What a message may be stands above. A client may send five in ten minutes (`limitOf.contact`),
 * then gets 429; identical ones within ten minutes are one (`db/contact/submissions.ts`). Of all clients together, those
 * above an hourly limit, 600 by default, are quarantined (`db/limits/hourly-limits.ts`).
 */
export const contact = (deps: Deps) =>
  api("/api", deps.log, onBehalfOfVisitors(deps, "form", rateLimit(deps.limits, limitOf.contact))).post(
    "/contact",
    ({ body, request }) => submit(deps, request, body),
    { parse: "json", body: Contact, detail: docs },
  );

async function submit(deps: Deps, request: Request, body: z.infer<typeof Contact>) {
  const key = idempotencyKeyOf(request);
  const at = deps.now();
  const submitted = await submitMessage(deps, body, at, {
    idempotencyKey: key && storedKey(deps.config, request, body.email, key),
    apiKeyId: contextOf(request).visitor?.apiKeyId,
  });
  if (submitted.outcome === "refused") return tryLater(request, submitted.opensAt, at);
  if (submitted.outcome === "conflict")
    return fail(409, "CONFLICT", "This Idempotency-Key has already been used for a different message.");
  return ok({ id: submitted.id, message: received }, 201);
}

/** Stores a visitor's message, as spam if the hidden field was filled in. @param from see `storedKey`, and the site’s key */
export async function submitMessage(
  deps: Pick<Deps, "config" | "db" | "log">,
  { website, ...submission }: z.infer<typeof Contact>,
  at: Date,
  from: { idempotencyKey?: string | undefined; apiKeyId?: string | undefined } = {},
) {
  const details = {
    ...from,
    spamReason: isFilled(website) ? spamReasons.hiddenField : undefined,
    recipient: deps.config.OWNER_EMAIL,
  };
  const submitted = await submissions.submit(deps.db, submission, details, at);
  if (submitted.outcome === "stored" && submitted.hasNoRecipient) warnOnce(deps.log);
  return submitted;
}

const warned = new WeakSet<Log>();

function warnOnce(log: Log) {
  if (warned.has(log)) return;
  warned.add(log);
  log.warn("no recipient for contact notifications", { remedy: 'set OWNER_EMAIL or the setting "email"' });
}

/** Keys belong to the sender: forms of many sites count from one, and no message may be lost for that. */
const storedKey = (config: Config, request: Request, email: string, key: string) =>
  keyedHash(
    config.APP_SECRET,
    "idempotency/v1",
    JSON.stringify(["contact", emailKey(email), clientNetwork(contextOf(request).visitorAddress), key]),
  );

const isFilled = (field: unknown) => (typeof field === "string" ? field.trim() !== "" : Boolean(field));

const docs = {
  operationId: "sendContactMessage",
  summary: "Send a contact message",
  description:
    "An identical message from the same address within 10 minutes, or with the same Idempotency-Key (1 to 255 visible ASCII characters) from the same address and network within 24 hours, is stored once and returns the first ID. The notification email is sent in the background and does not affect the response. Owners can cap how many messages the site stores per hour.",
  parameters: [
    idempotencyKeyParameter("Valid for 24 hours, for the same email address and network"),
    ...visitorParameters,
  ],
  requestBody: bodyExample({
    name: "Ada Ferris",
    email: "ada@example.com",
    message: "Hello, I liked the essay.",
  }),
  responses: {
    201: success("Receipt", "The message is stored."),
    409: failure("This Idempotency-Key has already been used for a different message."),
    ...limited,
  },
};
