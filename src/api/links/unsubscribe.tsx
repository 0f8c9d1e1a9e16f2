import { html } from "@elysiajs/html";
import { Elysia } from "elysia";
import { leaveTopic, returnWith, topicsToReturnTo } from "../../../db/newsletter/preferences";
import * as subscribers from "../../../db/newsletter/subscribers";
import { allTopics } from "../../../db/newsletter/topics";
import { UnsubscribePage, type UnsubscribeView } from "../../../views/newsletter/unsubscribe";
import type { Deps } from "../deps";
import { contextOf } from "../../platform/request-context";
import { invalidLinkPage, linkIn, linkPage, secondsToWait } from "../../http/email-link";
import { formOf, formType } from "../../http/request-body";
import { logFailure } from "../../http/response";
import { knownTranslator, translatorFor } from "../../http/site-language";
import { traces } from "../../security/secrets";
import { isUnsubscribeToken } from "../../security/links";
import { bodyExample, parameter, redirect } from "../../openapi/responses";
import { linkPages, linkParameters } from "./docs";

/**
 * The unsubscribe link in emails, and what its page offers. The response is always a page, because people come here
 * from an email app (D14). There is no session and no form token: the link's own token is the authority.
 */
export const unsubscribe = (deps: Deps) =>
  new Elysia({ prefix: "/api/newsletter" })
    .use(html({ autoDetect: false }))
    .onError(({ error, code, request }) => (code === "NOT_FOUND" ? undefined : failed(deps, request, error)))
    .get("/unsubscribe", ({ request }) => followLink(deps, request), { detail: docs.link })
    .post("/unsubscribe", ({ request }) => leave(deps, request, "one-click"), { parse: "none", detail: docs.oneClick })
    .get("/leave", ({ request }) => followEmailLink(deps, request), { detail: docs.emailLink })
    .post("/leave", ({ request }) => leave(deps, request, "page"), { parse: "none", detail: docs.emailButton })
    .get("/subscribe-again", ({ request }) => showSubscription(deps, request), { detail: docs.subscription })
    .post("/subscribe-again", ({ request }) => subscribeAgain(deps, request), { parse: "none", detail: docs.again });

type Person = subscribers.Subscriber | undefined;

/** Responds in the language of the person. */
async function show({ config, db }: Deps, view: UnsubscribeView, person?: Person, status = 200) {
  const t = await translatorFor(db, person);
  return linkPage(<UnsubscribePage view={view} t={t} home={config.BASE_URL} />, status);
}

const invalidPage = invalidLinkPage((t, home) => <UnsubscribePage view={{ outcome: "invalid" }} t={t} home={home} />);

function failed(deps: Deps, request: Request, error: unknown) {
  const view: UnsubscribeView = { outcome: "failed", ...logFailure(deps, request, error) };
  return linkPage(<UnsubscribePage view={view} t={knownTranslator(deps.db)} home={deps.config.BASE_URL} />, 500);
}

/** Acts immediately, unless a browser is only prefetching. */
function followLink(deps: Deps, request: Request) {
  if (!contextOf(request).isPassive) return leave(deps, request, "link");
  const link = linkOf(deps, request);
  return link ? askFirst(deps, link) : invalidPage(deps, request);
}

async function askFirst({ db, ...deps }: Deps, link: Link) {
  const topic = (await db.read(allTopics)).find(({ slug }) => slug === link.topic)?.name;
  return show({ db, ...deps }, { ...link, outcome: "ask", topic }, await subscribers.byEmail(db, link.email));
}

/** Mail scanners follow links while an email is being delivered, so for this long the page asks first. */
const scanMs = 30 * 60_000;

/**
 * The link in the text of a broadcast: like the other one, but someone who has just got the email must press a button.
 */
async function followEmailLink(deps: Deps, request: Request) {
  const link = linkOf(deps, request);
  if (!link?.recipient || contextOf(request).isPassive) return followLink(deps, request);
  const since = new Date(deps.now().getTime() - scanMs);
  const isFresh = await subscribers.hasJustReceived(deps.db, link.email, link.recipient, since);
  return isFresh ? askFirst(deps, link) : leave(deps, request, "link");
}

async function leave(deps: Deps, request: Request, via: "link" | "one-click" | "page") {
  const link = linkOf(deps, request);
  if (!link) return invalidPage(deps, request);
  const { email, recipient, topic } = link;
  const by = { email, origin: origin(deps, request, via), now: deps.now() };
  const left = await (topic
    ? leaveTopic(deps.db, by, { slug: topic, recipient })
    : subscribers.unsubscribe(deps.db, email, by.origin, by.now, recipient));
  if (left.outcome === "unknown") return show(deps, { outcome: "unknown" });
  const { outcome, subscriber } = left;
  if (outcome === "topic") return show(deps, { ...link, outcome, topic: left.topic.name }, subscriber);
  // Whatever fails after it: they have left, and the page says so
  const topics = await topicsToReturnTo(deps.db, subscriber).catch(() => []);
  return show(deps, { ...link, outcome, since: subscriber.unsubscribedAt, topics }, subscriber);
}

/** @param isNoneTicked whether someone asked for fewer topics, and named none */
async function showSubscription(deps: Deps, request: Request, isNoneTicked = false) {
  const link = linkOf(deps, request);
  if (!link) return invalidPage(deps, request);
  const subscriber = await subscribers.byEmail(deps.db, link.email);
  if (!subscriber) return show(deps, { outcome: "unknown" });
  const { state, suppressedAt } = subscriber;
  if (state === "active") return show(deps, { ...link, outcome: suppressedAt ? "stopped" : "back" }, subscriber);
  const topics = await topicsToReturnTo(deps.db, subscriber);
  return show(deps, { ...link, outcome: "offer", topics, isNoneTicked }, subscriber, isNoneTicked ? 422 : 200);
}

async function subscribeAgain(deps: Deps, request: Request) {
  const seconds = await secondsToWait(deps, request);
  if (seconds !== undefined) return show(deps, { outcome: "limited", seconds }, undefined, 429);
  const link = linkOf(deps, request);
  if (!link) return invalidPage(deps, request);
  const form = await formOf(request, maxFormCharacters);
  const by = { email: link.email, origin: origin(deps, request, "page"), now: deps.now() };
  if (form?.get("do") !== "fewer") await subscribers.subscribeAgain(deps.db, by.email, by.origin, by.now);
  else if (!(await returnWith(deps.db, by, form.getAll("topics")))) return showSubscription(deps, request, true);
  const location = `/api/newsletter/subscribe-again${link.search}`;
  return new Response(null, { status: 303, headers: { location } });
}

const maxFormCharacters = 8_192;

type Link = NonNullable<ReturnType<typeof linkOf>>;

/**
 * Returns what the link names; undefined if the token, from `src/security/links.ts`, does not belong to the address.
 */
function linkOf({ config }: Deps, request: Request) {
  const link = linkIn(request);
  if (!link || !isUnsubscribeToken(config, link.email, link.token)) return;
  const { email, search, query } = link;
  const row = query.get("b") ?? "";
  return {
    email,
    search,
    path: contextOf(request).pathname,
    recipient: /^[1-9]\d{0,15}$/.test(row) ? Number(row) : undefined,
    topic: query.get("topic")?.slice(0, 200),
  };
}

const origin = ({ config }: Deps, request: Request, via: "link" | "one-click" | "page") => ({
  via,
  ...traces(contextOf(request), config.APP_SECRET),
});

const pageDescriptions = {
  200: "Confirmation page.",
  400: "The address or token is missing or does not match. Returns the same page in every case.",
  422: "No topic is ticked. Nothing has been changed.",
  429: "The client’s limit, shared with subscribing, is exceeded.",
  500: "The page offers to try again.",
};
const pageDetail = (operationId: string, summary: string, description: string) => ({
  operationId,
  summary,
  description,
  parameters: linkParameters("The token from the link (HMAC-SHA256). Does not expire.", "^[A-Za-z0-9_-]{43}$"),
  responses: linkPages(pageDescriptions, [200, 400, 500]),
});

const emailLinkDetail = (operationId: string, summary: string, description: string) => {
  const detail = pageDetail(operationId, summary, description);
  const b = parameter("query", "b", "The email that contains the link. Ignored if this person did not receive it.");
  const topic = parameter("query", "topic", "The topic to leave alone. Leaving one’s only topic leaves everything.");
  return { ...detail, parameters: [...detail.parameters, b, topic] };
};

const docs = {
  link: emailLinkDetail(
    "unsubscribePage",
    "Unsubscribe via the link in an email",
    "Takes effect immediately. Prefetch requests change nothing.",
  ),
  oneClick: emailLinkDetail(
    "unsubscribe",
    "Unsubscribe with one click",
    "One-click unsubscribe for email clients (RFC 8058). The request body is ignored.",
  ),
  emailLink: emailLinkDetail(
    "leavePage",
    "Unsubscribe via the link in the text of a broadcast",
    "Takes effect immediately, except within 30 minutes of that email and for prefetch requests. Then the page asks first, because mail scanners follow links on delivery.",
  ),
  emailButton: emailLinkDetail("leave", "Unsubscribe via the button on that page", "Takes effect immediately."),
  subscription: pageDetail("subscribeAgainPage", "Show subscription status", "Changes nothing."),
  again: {
    ...pageDetail(
      "subscribeAgain",
      "Subscribe again",
      "The buttons on the unsubscribe page. With `do=fewer` only the ticked topics remain; if none is, nothing changes.",
    ),
    requestBody: bodyExample({ do: "fewer", topics: "recipes" }, formType),
    responses: {
      ...linkPages(pageDescriptions, [400, 422, 429, 500]),
      303: redirect("Redirects to the confirmation page."),
    },
  },
};
