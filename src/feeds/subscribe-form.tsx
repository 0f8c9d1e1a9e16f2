import { Elysia } from "elysia";
import type { z } from "zod";
import { isDoubleOptIn } from "../../db/newsletter/pending";
import type { Translator } from "../../views/languages/translator";
import { SubscribePage, type SubscribeState } from "../../views/newsletter/archive";
import { Subscribe, SubscribeForm, subscribeVisitor } from "../api/newsletter";
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
import { archiveUrl } from "../broadcasts/letter/text";
import { emailInput, languageIn } from "../fields/subscriber";
import { contextOf } from "../platform/request-context";
import { logFailure, page } from "../http/response";
import { knownTranslator, siteTranslator, translatorFor } from "../http/site-language";
import { bodyExample, htmlPage, redirect } from "../openapi/responses";
import { policyWithFormTarget } from "../security/headers";
import { limits as limitOf } from "../security/limits/limits";

/** The fields of the API, and where the visitor goes afterwards. */
const Form = SubscribeForm.extend({ next: nextField }).meta({ id: "SubscribeFormInput" });

/**
 * The archive's subscribe form: the same rules and limit as the API, with HTML responses, so that it works without a
 * script. Unlike the API, it tells no one whether an address was subscribed. Sites in CORS_ORIGINS may have such a form
 * too.
 */
export const subscribeForm = (deps: Deps) =>
  new Elysia()
    .onError(({ code, error, request }) => (code === "NOT_FOUND" ? undefined : failed(deps, request, error)))
    // Where reloading after a response leads: without it, the path would be that of a broadcast
    .get("/newsletter/subscribe", () => seeOther("/newsletter"), {
      detail: {
        tags: ["Newsletter"],
        operationId: "getSubscribePage",
        summary: "Redirect a reloaded subscription page",
        responses: { 303: redirect("Redirects to the archive.") },
      },
    })
    .post("/newsletter/subscribe", ({ request }) => subscribe(deps, request), { parse: "none", detail: docs });

/** A page. @param site the visitor's own, if they did not come from the archive */
const view = ({ config }: Deps, t: Translator, state: SubscribeState, site?: URL) => (
  <SubscribePage
    t={t}
    emailInput={emailInput}
    archiveUrl={archiveUrl(config.BASE_URL)}
    home={site?.origin}
    {...state}
  />
);

async function subscribe(deps: Deps, request: Request) {
  const t = await siteTranslator(deps.db);
  const site = siteOf(deps.config, request, undefined);
  const show = (state: SubscribeState, status: number, its = t) => page(view(deps, its, state, site), status);
  const context = contextOf(request);
  const refusal = await deps.limits.admit(limitOf.subscribe, context);
  if (refusal) {
    const message = t("limit.text", { count: Number(context.headers["retry-after"]) });
    return show({ title: t("limit.title"), message }, refusal.status);
  }
  const form = isFromAllowedOrigin(deps.config, request) ? await formOf(request, maxFormCharacters) : undefined;
  const fields = form && fieldsIn(form, single);
  if (!fields) {
    const message = refusalText(t, deps.config, request, t("form.refused.text"));
    return show({ title: t("form.refused.title"), message }, 400);
  }
  const next = allowedUrl(deps.config, fields.next);
  const own = await translatorFor(deps.db, { language: languageIn(fields.language ?? "") ?? null }); // as sent: it tells nothing stored
  const read = Subscribe.safeParse({ source: "newsletter", ...fields, topics: topicsIn(form) });
  if (!read.success) {
    const headers = { ...(next && { "content-security-policy": policyWithFormTarget(next.origin) }) };
    return page(view(deps, own, askAgain(own, form, read.error), siteOf(deps.config, request, next)), 400, headers);
  }
  const subscribing = subscribeVisitor(deps, request, read.data, { capsKnown: true });
  const [result] = await Promise.all([subscribing, deps.sleep(answerAfterMs)]);
  if (!("opensAt" in result))
    return next ? seeOther(next.href) : page(view(deps, own, await answer(deps, own), site), 200);
  const count = Math.max(1, Math.ceil((result.opensAt.getTime() - result.at.getTime()) / 1_000));
  context.headers["retry-after"] = String(count);
  return show({ title: own("limit.title"), message: own("limit.site", { count }) }, 429, own);
}

const maxFormCharacters = 4_096;
/** The fields that may not be repeated. */
const single = Object.keys(Form.shape).filter((name) => name !== "topics");

/** Checkboxes of one name. An empty field of that name says that there are some, and none was ticked. */
const topicsIn = (form: URLSearchParams) => (form.has("topics") ? form.getAll("topics") : undefined);

/** Longer than subscribing takes: a new address causes more writes than one that is known. */
const answerAfterMs = 300;

async function answer({ db }: Deps, t: Translator): Promise<SubscribeState> {
  return (await db.read(isDoubleOptIn))
    ? { title: t("sent.title"), message: t("form.pending") }
    : { title: t("form.done.title"), message: t("form.done.text") };
}

/** Visitors can correct the address; the other fields are sent again as they are. */
function askAgain(t: Translator, form: URLSearchParams, { issues: [issue] }: z.core.$ZodError): SubscribeState {
  if (issue?.path[0] !== "email") return { title: t("form.refused.title"), message: t("form.refused.text") };
  const error = t(issue.message.includes("200") ? "form.long" : "form.invalid");
  const email = (form.get("email") ?? "").slice(0, 200);
  const hidden = [...form].filter(([name]) => name !== "email" && name in Form.shape);
  return { title: t("form.check"), form: { email, error, hidden } };
}

function failed(deps: Deps, request: Request, error: unknown) {
  logFailure(deps, request, error);
  const t = knownTranslator(deps.db);
  return page(view(deps, t, { title: t("form.failed.title"), message: t("form.failed.text") }), 500);
}

const docs = {
  tags: ["Newsletter"],
  operationId: "submitSubscribeForm",
  summary: "Subscribe with an HTML form",
  description: `The same as \`POST /api/newsletter/subscribe\` for HTML forms: accepts \`application/x-www-form-urlencoded\` and responds with a page in the site's language, or redirects to \`next\`; neither tells whether the address was subscribed. Forms of other sites are accepted from the ${allowedOrigins}. Shares the rate limit. The cap on new subscribers per hour refuses all addresses here, because it would otherwise tell which are known.`,
  form: Form,
  requestBody: bodyExample({ email: "ada@example.com" }, formType),
  responses: {
    200: htmlPage("The same page for every valid address."),
    303: redirect("Redirects to `next`, for every valid address."),
    400: htmlPage("The form again, with what is wrong."),
    429: htmlPage("More requests than the limit of one client, or more than the site takes in an hour."),
    500: htmlPage("Nothing was saved."),
  },
};
