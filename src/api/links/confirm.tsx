import { postUrlOf } from "../../../db/posts/rules";
import { readPostUrl } from "../../content/post-url";
import { html } from "@elysiajs/html";
import { Elysia } from "elysia";
import { confirm, sendNewLink } from "../../../db/newsletter/confirm";
import { type Standing, standingOf } from "../../../db/newsletter/pending";
import * as subscribers from "../../../db/newsletter/subscribers";
import * as posts from "../../../db/posts/posts";
import { readPublic } from "../../../db/settings/settings";
import { ConfirmPage, type ConfirmView } from "../../../views/newsletter/confirm";
import type { Deps } from "../deps";
import { invalidLinkPage, linkIn, linkPage, secondsToWait } from "../../http/email-link";
import { logFailure } from "../../http/response";
import { contextOf } from "../../platform/request-context";
import { knownTranslator, translatorFor } from "../../http/site-language";
import { readConfirmToken, unsubscribeLink } from "../../security/links";
import { traces } from "../../security/secrets";
import { redirect, type Responses } from "../../openapi/responses";
import { linkPages, linkParameters } from "./docs";

/**
 * The link in a confirmation email. Following it changes nothing, because mail scanners must not consent for people.
 * The link's token is the authority; the buttons share the limit on subscribing.
 */
export const confirmSubscription = (deps: Deps) =>
  new Elysia({ prefix: "/api/newsletter" })
    .use(html({ autoDetect: false }))
    .onError(({ error, code, request }) => (code === "NOT_FOUND" ? undefined : failed(deps, request, error)))
    .get("/confirm", ({ request }) => showLink(deps, request), { detail: docs.link })
    .post("/confirm", ({ request }) => pressed(deps, request), { parse: "none", detail: docs.button })
    .post("/confirm-again", ({ request }) => askForLink(deps, request), { parse: "none", detail: docs.again });

type Person = subscribers.Subscriber | undefined;

/** Responds in the language of the person. */
async function show({ config, db }: Deps, view: ConfirmView, person?: Person, status = 200) {
  const t = await translatorFor(db, person);
  return linkPage(<ConfirmPage view={view} t={t} home={config.BASE_URL} />, status);
}

const invalid = invalidLinkPage((t, home) => <ConfirmPage view={{ outcome: "invalid" }} t={t} home={home} />);

function failed(deps: Deps, request: Request, error: unknown) {
  logFailure(deps, request, error);
  const t = knownTranslator(deps.db);
  return linkPage(<ConfirmPage view={{ outcome: "failed" }} t={t} home={deps.config.BASE_URL} />, 500);
}

type Link = { email: string; askedAt: Date; search: string };

/** Returns the address in the link and when it became pending; undefined if the token does not belong to it. */
function linkOf({ config }: Deps, request: Request): Link | undefined {
  const link = linkIn(request);
  const askedAt = link && readConfirmToken(config, link.email, link.token);
  return askedAt && { email: link.email, askedAt, search: link.search };
}

async function showLink(deps: Deps, request: Request) {
  const link = linkOf(deps, request);
  if (!link) return invalid(deps, request);
  const person = await subscribers.byEmail(deps.db, link.email);
  return showStanding(deps, request, { ...link, person }, standingOf(person, link, deps.now()));
}

async function showStanding(deps: Deps, request: Request, link: Link & { person: Person }, standing: Standing) {
  const { config, db } = deps;
  const { email, search, person } = link;
  if (standing === "unknown") return invalid(deps, request);
  if (standing === "expired") return show(deps, { outcome: "expired", email, search }, person, 410);
  if (standing === "confirmed") {
    const { posts: latest } = await posts.listPublished(db, { limit: 3 }, deps.now());
    const { postUrl } = await readPostUrl(deps);
    const read = latest.map(({ slug, title }) => ({
      title,
      url: postUrlOf(postUrl, slug),
    }));
    const { pathname, search: leave } = new URL(unsubscribeLink(config, email));
    const view = { outcome: "done", email, search, posts: read, unsubscribeUrl: `${pathname}${leave}` } as const;
    return show(deps, view, person);
  }
  const { siteTitle } = await readPublic(db);
  return show(deps, { outcome: "ask", email, search, siteTitle: siteTitle || new URL(config.BASE_URL).host }, person);
}

/** Why a button must not act: the limit is reached, or the link is invalid. */
async function refused(deps: Deps, request: Request): Promise<Response | Link> {
  const seconds = await secondsToWait(deps, request);
  if (seconds !== undefined) return show(deps, { outcome: "limited", seconds }, undefined, 429);
  return linkOf(deps, request) ?? invalid(deps, request);
}

const origin = ({ config }: Deps, request: Request) => ({
  via: "confirm" as const,
  ...traces(contextOf(request), config.APP_SECRET),
});

async function pressed(deps: Deps, request: Request) {
  const link = await refused(deps, request);
  if (link instanceof Response) return link;
  const standing = await confirm(deps.db, link, origin(deps, request), deps.now());
  if (standing !== "confirmed") {
    const person = await subscribers.byEmail(deps.db, link.email);
    return showStanding(deps, request, { ...link, person }, standing);
  }
  return new Response(null, { status: 303, headers: { location: `/api/newsletter/confirm${link.search}` } });
}

async function askForLink(deps: Deps, request: Request) {
  const link = await refused(deps, request);
  if (link instanceof Response) return link;
  await sendNewLink(deps.db, link.email, origin(deps, request), deps.now());
  const person = await subscribers.byEmail(deps.db, link.email);
  return show(deps, { outcome: "sent", email: link.email, search: link.search }, person);
}

const descriptions = {
  200: "The page, with the current state of the subscription.",
  400: "The address or token is missing or does not match. Returns the same page in every case.",
  410: "The link has expired. The page offers a new one.",
  429: "The client’s limit, shared with subscribing, is exceeded.",
  500: "Nothing was changed.",
};
const pages = (...statuses: (keyof typeof descriptions)[]) => linkPages(descriptions, statuses);

const detail = (operationId: string, summary: string, description: string, responses: Responses) => ({
  operationId,
  tags: ["Newsletter"],
  summary,
  description,
  parameters: linkParameters("The token from the link. Works for seven days.", "^[A-Za-z0-9_-]{51}$"),
  responses,
});

const docs = {
  link: detail(
    "confirmSubscriptionPage",
    "Show a confirmation link",
    "Changes nothing. The page has one button.",
    pages(200, 400, 410, 500),
  ),
  button: detail("confirmSubscription", "Confirm a subscription", "The button on that page (double opt-in).", {
    ...pages(400, 410, 429, 500),
    303: redirect("Redirects to the confirmation page."),
  }),
  again: detail(
    "resendConfirmation",
    "Send a new confirmation link",
    "At most one in ten minutes, three in 24 hours and five in 30 days per address; further ones are not sent, but the page is the same.",
    pages(200, 400, 429, 500),
  ),
};
