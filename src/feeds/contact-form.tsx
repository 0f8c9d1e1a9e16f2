import { Elysia } from "elysia";
import { z } from "zod";
import { type ContactErrors, ContactPage, type ContactState } from "../../views/contact";
import type { Translator } from "../../views/languages/translator";
import { Contact, submitMessage } from "../api/contact";
import { logFailure, page } from "../http/response";
import { knownTranslator, siteTranslator } from "../http/site-language";
import { bodyExample, htmlPage, redirect } from "../openapi/responses";
import { contextOf } from "../platform/request-context";
import { policyWithFormTarget } from "../security/headers";
import { limits as limitOf } from "../security/limits/limits";
import type { Deps } from "./deps";
import { formOf, formType } from "../http/request-body";
import {
  allowedOrigins,
  allowedUrl,
  fieldsIn,
  isFromAllowedOrigin,
  nextField,
  refusalText,
  seeOther,
  siteOf,
} from "./public-form";

/** The fields of the API, and where the visitor goes afterwards. */
const ContactForm = Contact.extend({
  website: z.string().optional().meta({ description: "Honeypot, as in the API." }),
  next: nextField,
}).meta({ id: "ContactFormInput" });
type Fields = Partial<Record<keyof typeof ContactForm.shape, string>>;

/**
 * Contact forms of our sites: the same rules and limit as the API, with pages in the site's language as responses, so
 * that they work without a script.
 */
export const contactForm = (deps: Deps) =>
  new Elysia()
    // Where reloading after a response leads
    .get("/contact", () => seeOther(deps.config.BLOG_URL), {
      detail: {
        tags: ["Contact"],
        operationId: "getContactPage",
        summary: "Redirect a reloaded contact page",
        responses: { 303: redirect("Redirects to the site.") },
      },
    })
    .post("/contact", ({ request }) => respond(deps, request), { parse: "none", detail: docs });

/** 2,000 characters of four encoded bytes each, and the other fields. */
const maxFormCharacters = 40_000;

async function respond(deps: Deps, request: Request): Promise<Response> {
  const fields = await allowedFields(deps, request);
  try {
    return await submit(deps, request, fields);
  } catch (error) {
    logFailure(deps, request, error);
    const t = knownTranslator(deps.db);
    const state = { title: t("contact.failed"), text: t("form.failed.text"), values: fields };
    return show(deps, request, t, state, 500);
  }
}

async function allowedFields({ config }: Deps, request: Request): Promise<Fields | undefined> {
  const isAllowed = isFromAllowedOrigin(config, request) || isFromUnnamedOrigin(request);
  const form = isAllowed ? await formOf(request, maxFormCharacters) : undefined;
  return form && fieldsIn(form, Object.keys(ContactForm.shape));
}

/** Browsers send this from sites with the referrer policy `no-referrer`, and from sandboxed frames. */
const isFromUnnamedOrigin = ({ headers }: Request) =>
  headers.get("origin") === "null" && headers.get("sec-fetch-site") !== "same-origin";

async function submit(deps: Deps, request: Request, values: Fields | undefined): Promise<Response> {
  const t = await siteTranslator(deps.db);
  const answer = (state: ContactState, status: number) => show(deps, request, t, state, status);
  const context = contextOf(request);
  const refusal = await deps.limits.admit(limitOf.contact, context);
  if (refusal) {
    const text = t("limit.text", { count: Number(context.headers["retry-after"]) });
    return answer({ title: t("limit.title"), text, values }, refusal.status);
  }
  const refused = { title: t("form.refused.title"), text: refusalText(t, deps.config, request, t("contact.refused")) };
  if (!values) return answer(refused, 400);
  if (isFromUnnamedOrigin(request))
    return answer({ title: t("contact.check"), text: t("contact.review"), values }, 400);
  const read = Contact.safeParse(values);
  if (!read.success) {
    const errors = errorsOf(t, read.error);
    return answer(errors ? { title: t("contact.check"), values, errors } : refused, 400);
  }
  const at = deps.now();
  const submitted = await submitMessage(deps, read.data, at);
  if (submitted.outcome === "refused") {
    const count = Math.max(1, Math.ceil((submitted.opensAt.getTime() - at.getTime()) / 1_000));
    context.headers["retry-after"] = String(count);
    return answer({ title: t("limit.title"), text: t("limit.site", { count }), values }, 429);
  }
  const next = allowedUrl(deps.config, values.next);
  return next ? seeOther(next.href) : answer({ title: t("contact.done.title"), text: t("contact.done.text") }, 200);
}

/** Returns undefined if what is wrong is not the visitor's to correct. */
function errorsOf(t: Translator, { issues }: z.ZodError): ContactErrors | undefined {
  const errors: ContactErrors = {};
  for (const { path, message } of issues) {
    if (path[0] === "name") errors.name = t("contact.badName");
    else if (path[0] === "message") errors.message = t("contact.badMessage");
    else if (path[0] === "email") errors.email = t(message.includes("200") ? "form.long" : "form.invalid");
    else return undefined;
  }
  return errors;
}

function show(deps: Deps, request: Request, t: Translator, state: ContactState, status: number): Response {
  const next = allowedUrl(deps.config, state.values?.next);
  const home = siteOf(deps.config, request, next);
  const headers = { ...(next && { "content-security-policy": policyWithFormTarget(next.origin) }) };
  return page(<ContactPage t={t} home={home?.origin ?? deps.config.BLOG_URL} {...state} />, status, headers);
}

const docs = {
  tags: ["Contact"],
  operationId: "submitContactForm",
  summary: "Send a contact message with an HTML form",
  description: `The same as \`POST /api/contact\` for HTML forms: accepts \`application/x-www-form-urlencoded\` and responds with a page in the site's language, or redirects to \`next\`. Forms of other sites are accepted from the ${allowedOrigins}. From a page that hides its origin (\`Origin: null\`), the visitor has to send the message once more from the page returned. Shares the rate limit.`,
  form: ContactForm,
  requestBody: bodyExample(
    {
      name: "Ada Ferris",
      email: "ada@example.com",
      message: "Hello, I liked the essay.",
    },
    formType,
  ),
  responses: {
    200: htmlPage("The message is stored."),
    303: redirect("The message is stored. Redirects to `next`."),
    400: htmlPage("The form again, with what is wrong."),
    429: htmlPage("More requests than the limit of one client, or more than the site takes in an hour."),
    500: htmlPage("Nothing was saved."),
  },
};
