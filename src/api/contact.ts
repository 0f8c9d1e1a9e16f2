import { z } from "zod";
import { emailKey } from "../../db/lib/email-key";
import * as submissions from "../../db/contact/submissions";
import type { Deps } from "./deps";
import type { Config } from "../platform/config";
import { limits as limitOf, rateLimit } from "../security/limits/limits";
import { clientNetwork } from "../platform/client-address";
import { keyedHash } from "../security/secrets";
import { contextOf } from "../platform/request-context";
import { line, lines } from "../platform/text/schemas";
import { optional } from "../http/request-schemas";
import { emailAddress } from "../platform/text/email-address";
import { api, fail, idempotencyKeyOf, idempotencyKeyParameter, ok, tryLater } from "./envelope";
import { bodyExample, failure, limited, success } from "../openapi/responses";

const Contact = z
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

export const contact = (deps: Deps) => {
  const warn = () =>
    deps.log.warn("no recipient for contact notifications", { remedy: 'set OWNER_EMAIL or the setting "email"' });
  const warnOnce = once(warn);
  return api("/api", deps.log, rateLimit(deps.limits, limitOf.contact)).post(
    "/contact",
    ({ body, request }) => submit(deps, request, body, warnOnce),
    { parse: "json", body: Contact, detail: docs },
  );
};

async function submit(
  { config, db, now }: Deps,
  request: Request,
  { website, ...submission }: z.infer<typeof Contact>,
  warnThatNobodyIsTold: () => void,
) {
  const key = idempotencyKeyOf(request);
  const at = now();
  const details = {
    idempotencyKey: key && storedKey(config, request, submission.email, key),
    spamReason: isFilled(website) ? "The hidden field was filled in" : undefined,
    recipient: config.OWNER_EMAIL,
  };
  const submitted = await submissions.submit(db, submission, details, at);
  if (submitted.outcome === "refused") return tryLater(request, submitted.opensAt, at);
  if (submitted.outcome === "conflict")
    return fail(409, "CONFLICT", "This Idempotency-Key has already been used for a different message.");
  if (submitted.outcome === "stored" && submitted.hasNoRecipient) warnThatNobodyIsTold();
  return ok({ id: submitted.id, message: received }, 201);
}

/** Keys belong to the sender: forms of many sites count from one, and no message may be lost for that. */
const storedKey = (config: Config, request: Request, email: string, key: string) =>
  keyedHash(
    config.APP_SECRET,
    "idempotency/v1",
    JSON.stringify(["contact", emailKey(email), clientNetwork(contextOf(request).address), key]),
  );

/** Runs `action` the first time only. */
function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) action();
    isDone = true;
  };
}

const isFilled = (field: unknown) => (typeof field === "string" ? field.trim() !== "" : Boolean(field));

const docs = {
  operationId: "sendContactMessage",
  summary: "Send a contact message",
  description:
    "An identical message from the same address within 10 minutes, or with the same Idempotency-Key (1 to 255 visible ASCII characters) from the same address and network within 24 hours, is stored once and returns the first ID. The notification email is sent in the background and does not affect the response. Owners can cap how many messages the site stores per hour.",
  parameters: [idempotencyKeyParameter("Valid for 24 hours, for the same email address and network")],
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
