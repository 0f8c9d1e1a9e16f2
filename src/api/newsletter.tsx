import { html } from "@elysiajs/html";
import { Elysia } from "elysia";
import { z } from "zod";
import * as subscribers from "../../db/newsletter/subscribers";
import { UnsubscribePage, type UnsubscribeView } from "../../views/unsubscribe";
import type { Deps } from "../boot/deps";
import { described } from "../telemetry/log";
import { bodyExample, htmlPage, limited, parameter, redirect, success } from "../openapi/responses";
import { page } from "../http/response";
import { wideNetwork } from "../security/client";
import { limits as limitOf, rateLimit } from "../security/rate-limit";
import { keyedHash } from "../security/secrets";
import { isUnsubscribeToken } from "../security/unsubscribe-link";
import { type RequestContext, contextOf } from "../http/request-context";
import { api, ok, tryLater } from "./envelope";
import { line, optional } from "../http/request-schemas";
import { emailAddress, emailPattern } from "../http/email-address";

const Subscribe = z.object({
  email: emailAddress,
  name: optional(line({ max: 100 })),
  source: optional(line({ max: 100 })),
});

export const subscribe = (deps: Deps) =>
  api("/api/newsletter", deps.log, rateLimit(deps.limits, limitOf.subscribe)).post(
    "/subscribe",
    ({ body, request }) => addSubscriber(deps, request, body),
    {
      parse: "json",
      body: Subscribe,
      detail: {
        summary: "Subscribe to the newsletter",
        description:
          "Idempotent. 201: new or re-activated. 200: the address was active already. The welcome mail is sent by a worker and never changes this answer. Owners can cap how many new subscribers the site takes in an hour; known addresses are answered all the same.",
        requestBody: bodyExample({ email: "ada@example.com", name: "Ada Ferris", source: "blog" }),
        responses: {
          201: success("Subscription", "New, or active again."),
          200: success("Subscription", "The address was active already.", {
            alreadySubscribed: true,
            message: "You are already subscribed.",
          }),
          ...limited,
        },
      },
    },
  );

async function addSubscriber({ config, db, now }: Deps, request: Request, body: z.infer<typeof Subscribe>) {
  const origin = { via: "form" as const, ...traces(contextOf(request), config.APP_SECRET) };
  const at = now();
  const { changed, opensAt } = await subscribers.subscribe(db, body, origin, at);
  if (opensAt) return tryLater(request, opensAt, at);
  return changed
    ? ok({ alreadySubscribed: false, message: "Thank you for subscribing." }, 201)
    : ok({ alreadySubscribed: true, message: "You are already subscribed." });
}

/**
 * The link in the mails, and what its page offers. Always a page, whatever happens: people come here from a mail
 * program (D14). Without a session or a form token, because the link's own token is the authority.
 */
export const unsubscribe = (deps: Deps) =>
  new Elysia({ prefix: "/api/newsletter" })
    .use(html({ autoDetect: false }))
    .onError(({ error, code, request }) => (code === "NOT_FOUND" ? undefined : failed(deps, request, error)))
    .get("/unsubscribe", ({ request }) => followLink(deps, request), { detail: docs.link })
    .post("/unsubscribe", ({ request }) => leave(deps, request, "one-click"), { parse: "none", detail: docs.oneClick })
    .get("/subscribe-again", ({ request }) => showSubscription(deps, request), { detail: docs.subscription })
    .post("/subscribe-again", ({ request }) => subscribeAgain(deps, request), { parse: "none", detail: docs.again });

const unsubscribePage = ({ config }: Deps, view: UnsubscribeView, status = 200) =>
  page(<UnsubscribePage view={view} home={config.BASE_URL} />, status, {
    "referrer-policy": "no-referrer", // the token is in the URL
    "x-robots-tag": "noindex",
  });

const invalidPage = (deps: Deps) => unsubscribePage(deps, { outcome: "invalid" }, 400);

function failed(deps: Deps, request: Request, error: unknown) {
  const { id, pathname } = contextOf(request);
  deps.log.error("failed", { id, method: request.method, path: pathname, ...described(error) });
  return unsubscribePage(deps, { outcome: "failed", search: new URL(request.url).search, requestId: id }, 500);
}

/** Acts at once, unless a browser is only fetching ahead. */
function followLink(deps: Deps, request: Request) {
  if (!contextOf(request).isPassive) return leave(deps, request, "link");
  const link = linkOf(deps, request);
  return link ? unsubscribePage(deps, { ...link, outcome: "ask" }) : invalidPage(deps);
}

async function leave(deps: Deps, request: Request, via: "link" | "one-click") {
  const link = linkOf(deps, request);
  if (!link) return invalidPage(deps);
  const left = await subscribers.unsubscribe(deps.db, link.email, origin(deps, request, via), deps.now());
  if (left.outcome === "unknown") return unsubscribePage(deps, { outcome: "unknown" });
  return unsubscribePage(deps, { ...link, outcome: left.outcome, since: left.subscriber.unsubscribedAt });
}

async function showSubscription(deps: Deps, request: Request) {
  const link = linkOf(deps, request);
  if (!link) return invalidPage(deps);
  const subscriber = await subscribers.byEmail(deps.db, link.email);
  if (!subscriber) return unsubscribePage(deps, { outcome: "unknown" });
  return unsubscribePage(deps, { ...link, outcome: subscriber.state === "active" ? "back" : "offer" });
}

async function subscribeAgain(deps: Deps, request: Request) {
  const link = linkOf(deps, request);
  if (!link) return invalidPage(deps);
  await subscribers.subscribeAgain(deps.db, link.email, origin(deps, request, "page"), deps.now());
  const location = `/api/newsletter/subscribe-again${link.search}`;
  return new Response(null, { status: 303, headers: { location } });
}

/** The address in the link, or undefined when the token does not belong to it. */
function linkOf({ config }: Deps, request: Request) {
  const { searchParams: query, search } = new URL(request.url);
  const [given, token, ...more] = [...query.getAll("email"), ...query.getAll("token")];
  const email = given?.replaceAll(" ", "+"); // some mail programs write %2B as a plus, which means a blank
  if (!email || !token || more.length || !isUnsubscribeToken(config, email, token)) return;
  return { email, search };
}

const origin = ({ config }: Deps, request: Request, via: "link" | "one-click" | "page") => ({
  via,
  ...traces(contextOf(request), config.APP_SECRET),
});

const pageDescriptions: Record<number, string> = {
  200: "The page says what has happened.",
  400: "The address or the token is missing, or they do not belong together: the same page for everybody.",
  500: "The page offers to try again.",
};
const pages = (...statuses: number[]) =>
  Object.fromEntries(statuses.map((status) => [status, htmlPage(pageDescriptions[status] ?? "")]));

const inLink = { pattern: emailPattern, examples: ["ada@example.com"] };

const pageDetail = (summary: string, description: string) => ({
  summary,
  description,
  parameters: [
    parameter("query", "email", "The address that got the mail.", { required: true, ...inLink }),
    parameter("query", "token", "The token of the link (HMAC-SHA256). Never expires.", {
      required: true,
      pattern: "^[A-Za-z0-9_-]{43}$",
    }),
  ],
  responses: pages(200, 400, 500),
});

const docs = {
  link: pageDetail("Unsubscribe by the link in a mail", "Acts at once; a browser fetching ahead does not."),
  oneClick: pageDetail("Unsubscribe with one click", "RFC 8058: for mail programs. The body does not matter."),
  subscription: pageDetail("How a subscription stands", "Changes nothing."),
  again: {
    ...pageDetail("Subscribe again", "The button of the unsubscribe page."),
    responses: { ...pages(400, 500), 303: redirect("To the page that says so.") },
  },
};

/** Where a request came from, as far as it is kept: a keyed hash of the network, and the program's name. */
const traces = (context: RequestContext, secret: string) => ({
  network: keyedHash(secret, "network", wideNetwork(context.address)),
  userAgent: context.request.headers.get("user-agent")?.slice(0, 200) ?? null,
});
