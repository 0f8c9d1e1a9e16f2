import { Elysia } from "elysia";
import { fieldSentence } from "../../views/components/forms/field-sentence";
import { SubscribePage } from "../../views/newsletter/archive";
import type { SubscribeState } from "../../views/newsletter/subscribe";
import { Subscribe, subscribeVisitor } from "../api/newsletter";
import type { Deps } from "../boot/deps";
import { archiveUrl } from "../broadcasts/letter/archived";
import { contextOf } from "../http/request-context";
import { page } from "../http/response";
import { htmlPage, redirect } from "../openapi/responses";
import { limits as limitOf } from "../security/limits/rate-limit";
import { described } from "../telemetry/log";

/**
 * The form of the archive: the contract's verb, limit and statuses, answered in HTML, so that it works without a script.
 * Sites of CORS_ORIGINS may have such a form too.
 */
export const subscribeForm = (deps: Deps) =>
  new Elysia()
    .onError(({ code, error, request }) => (code === "NOT_FOUND" ? undefined : failed(deps, request, error)))
    // Where a reload after an answer leads: without it, the path would be the address of a broadcast
    .get("/newsletter/subscribe", () => new Response(null, { status: 303, headers: { location: "/newsletter" } }), {
      detail: {
        tags: ["Newsletter"],
        summary: "Where a reload leads",
        responses: { 303: redirect("To the archive.") },
      },
    })
    .post("/newsletter/subscribe", ({ request }) => subscribe(deps, request), { parse: "none", detail: docs });

const show = ({ config }: Deps, state: SubscribeState, status: number) =>
  page(<SubscribePage site={{ archiveUrl: archiveUrl(config.BASE_URL) }} {...state} />, status);

async function subscribe(deps: Deps, request: Request) {
  const context = contextOf(request);
  const refusal = await deps.limits.admit(limitOf.subscribe, context);
  if (refusal) return show(deps, { title: "Too many requests", message: refusal.message }, refusal.status);
  const fields = isOurs(deps, request) ? await fieldsOf(request) : undefined;
  if (!fields)
    return show(deps, { title: "The form was not accepted", message: "Use the form on the newsletter’s page." }, 400);
  const read = Subscribe.safeParse(fields);
  if (!read.success) return show(deps, askAgain(fields.email ?? "", read.error.issues[0]?.message ?? ""), 400);
  const result = await subscribeVisitor(deps, request, read.data);
  if (!("opensAt" in result))
    return show(
      deps,
      { title: result.isPending ? "Check your inbox" : titles[result.status], message: result.message },
      result.status,
    );
  const seconds = Math.max(1, Math.ceil((result.opensAt.getTime() - result.at.getTime()) / 1_000));
  context.headers["retry-after"] = String(seconds);
  const message = `Too many visitors at the moment. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`;
  return show(deps, { title: "Too many requests", message }, 429);
}

const titles = { 200: "You’re already subscribed", 201: "Thank you" };

const askAgain = (email: string, problem: string): SubscribeState => ({
  title: "Check your email address",
  form: { email: email.slice(0, 200), error: fieldSentence("Email address", problem) },
});

/** Other sites may not subscribe people in a visitor's name. Browsers without these headers are let in. */
function isOurs({ config }: Deps, { headers }: Request): boolean {
  if (headers.get("sec-fetch-site") === "same-origin") return true;
  const origin = headers.get("origin");
  return origin === null || config.CORS_ORIGINS.has(origin);
}

const maxFormCharacters = 4_096;

/** The fields of the form, or undefined when it is none of ours. */
async function fieldsOf(request: Request): Promise<Record<string, string> | undefined> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const text = type === "application/x-www-form-urlencoded" ? await request.text() : undefined;
  if (text === undefined || text.length > maxFormCharacters) return;
  const form = new URLSearchParams(text);
  const isRepeated = [...form.keys()].length !== new Set(form.keys()).size;
  return isRepeated ? undefined : { source: "newsletter", ...Object.fromEntries(form) };
}

function failed(deps: Deps, request: Request, error: unknown) {
  const { id, pathname } = contextOf(request);
  deps.log.error("failed", { id, method: request.method, path: pathname, ...described(error) });
  const message = "The problem is on our side. Try again in a moment.";
  return show(deps, { title: "Your subscription was not saved", message }, 500);
}

const docs = {
  tags: ["Newsletter"],
  summary: "Subscribe by a form",
  description:
    "The same as `POST /api/newsletter/subscribe`, for HTML forms: takes `email`, `name` and `source` as `application/x-www-form-urlencoded` and responds with a page. Forms of other sites are accepted from the origins in CORS_ORIGINS. Shares the rate limit.",
  responses: {
    201: htmlPage("New, or active again."),
    200: htmlPage("The address was active already."),
    400: htmlPage("The form again, with what is wrong."),
    429: htmlPage("More requests than the limit of one client, or more than the site takes in an hour."),
    500: htmlPage("Nothing was saved."),
  },
};
