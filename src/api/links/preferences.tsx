import { knownZone } from "../../../db/lib/time";
import { html } from "@elysiajs/html";
import { Elysia } from "elysia";
import * as preferences from "../../../db/newsletter/preferences";
import * as subscribers from "../../../db/newsletter/subscribers";
import { tracesOf } from "../../../db/people/traces";
import { languages } from "../../../db/settings/rules";
import { readLanguage } from "../../../db/settings/settings";
import {
  NoPreferencesPage,
  type Notice,
  noticeNames,
  OldRecordPage,
  PreferencesPage,
} from "../../../views/newsletter/preferences";
import { UnsubscribePage } from "../../../views/newsletter/unsubscribe";
import type { Deps } from "../deps";
import { maxName, SubscriberFields } from "../../fields/subscriber";
import { invalidLinkPage, linkIn, linkPage } from "../../http/email-link";
import { formOf, formType } from "../../http/request-body";
import { logFailure } from "../../http/response";
import { knownTranslator, translatorFor } from "../../http/site-language";
import { content, bodyExample, parameter, redirect } from "../../openapi/responses";
import { personJson } from "../../people/person-json";
import { contextOf } from "../../platform/request-context";
import { limits as limitOf, policyOf } from "../../security/limits/limits";
import { isUnsubscribeToken, readRecordToken } from "../../security/links";
import { traces } from "../../security/secrets";
import { linkPages, linkParameters } from "./docs";

/**
 * The page of one's own behind the links in emails: topics, language, time zone, name, a break, leaving, and what is stored.
 * Opening it changes nothing, so scanners do no harm. There is no session and no form token: the link's own token is
 * the authority. Emails get forwarded, so the page shows the address masked and the name not at all.
 */
export const ownPage = (deps: Deps) =>
  new Elysia({ prefix: "/newsletter" })
    .use(html({ autoDetect: false }))
    .onError(({ error, code, request }) => (code === "NOT_FOUND" ? undefined : failed(deps, request, error)))
    .get("/preferences", ({ request }) => showPreferences(deps, request), { detail: docs.page })
    .post("/preferences", ({ request }) => press(deps, request), { parse: "none", detail: docs.form })
    .get("/record", ({ request }) => downloadRecord(deps, request), { detail: docs.record });

type Link = { email: string; search: string; query: URLSearchParams };

/** Returns the address in the link; undefined if the token does not belong to it. */
function linkOf({ config }: Deps, request: Request): Link | undefined {
  const link = linkIn(request);
  return link && isUnsubscribeToken(config, link.email, link.token) ? link : undefined;
}

const invalidPage = invalidLinkPage((t, home) => <UnsubscribePage view={{ outcome: "invalid" }} t={t} home={home} />);

function failed(deps: Deps, request: Request, error: unknown) {
  const { pathname: path, search } = new URL(request.url);
  const view = { outcome: "failed" as const, ...logFailure(deps, request, error), path, search };
  return linkPage(<UnsubscribePage view={view} t={knownTranslator(deps.db)} home={deps.config.BASE_URL} />, 500);
}

async function showPreferences(deps: Deps, request: Request) {
  const link = linkOf(deps, request);
  return link ? pageFor(deps, link) : invalidPage(deps, request);
}

/** The parameters of the link itself, without what an earlier press of a button added. */
function ownSearch({ query }: Link): string {
  const own = new URLSearchParams(query);
  for (const name of ["done", "topic"]) own.delete(name);
  return `?${own}`;
}

async function pageFor({ config, db }: Deps, link: Link) {
  const { email, query } = link;
  const person = await subscribers.byEmail(db, email);
  const t = await translatorFor(db, person);
  const [home, search] = [config.BASE_URL, ownSearch(link)];
  if (!person) return linkPage(<UnsubscribePage view={{ outcome: "unknown" }} t={t} home={home} />);
  if (!preferences.hasPreferences(person))
    return linkPage(<NoPreferencesPage t={t} home={home} email={email} search={search} />);
  const wanted = query.get("topic");
  const offered = await preferences.offeredTopics(db, person);
  const view = {
    t,
    home,
    email,
    search,
    maxName,
    action: `/newsletter/preferences${search}`,
    since: person.createdAt,
    topics: offered.map(({ topic, chosen }) => ({ ...topic, isTicked: chosen || topic.slug === wanted })),
    language: languages.find((one) => one === t.root.lang.slice(0, 2)) ?? "en",
    timeZone: (await preferences.hasTimedEmails(db)) ? (person.timeZone ?? "") : undefined,
    pausedUntil: person.pausedUntil,
    isStopped: person.suppressedAt !== null,
    notice: noticeNames.find((name) => name === query.get("done")),
  };
  return linkPage(<PreferencesPage {...view} />);
}

/** Does what a button says, and leads back to the page. */
async function press(deps: Deps, request: Request) {
  const form = await formOf(request, maxFormCharacters);
  const does = form?.get("do");
  const seconds = does === "leave" ? undefined : await secondsToWait(deps, request); // leaving is never refused
  const link = linkOf(deps, request);
  if (seconds !== undefined) return limited(deps, link, seconds);
  if (!link) return invalidPage(deps, request);
  const notice = form && does ? await act(deps, request, link, form) : undefined;
  const done = notice ? `&done=${notice}` : "";
  return new Response(null, { status: 303, headers: { location: `/newsletter/preferences${ownSearch(link)}${done}` } });
}

/** In the language of the person, if the link is valid. */
async function limited({ config, db }: Deps, link: { email: string } | undefined, seconds: number) {
  const t = await translatorFor(db, link && (await subscribers.byEmail(db, link.email)));
  return linkPage(<UnsubscribePage view={{ outcome: "limited", seconds }} t={t} home={config.BASE_URL} />, 429);
}

async function secondsToWait({ limits }: Deps, request: Request): Promise<number | undefined> {
  const context = contextOf(request);
  const refusal = await limits.admit(limitOf.preferences, context);
  await Promise.all(context.pending.splice(0)); // awaited here, so that a failure is shown on a page
  return refusal && Number(context.headers["retry-after"]);
}

async function act(deps: Deps, request: Request, { email }: Link, form: URLSearchParams): Promise<Notice | undefined> {
  const { config, db } = deps;
  const origin = { via: "preferences" as const, ...traces(contextOf(request), config.APP_SECRET) };
  const by = { email, origin, now: deps.now() };
  switch (form.get("do")) {
    case "save": {
      const siteLanguage = await readLanguage(db);
      return (await preferences.savePreferences(db, by, { ...wishesIn(form), siteLanguage })) ? "saved" : undefined;
    }
    case "pause":
      await preferences.pauseFor(db, by, monthsFrom(by.now, form.get("months")));
      return "paused";
    case "resume":
      await preferences.pauseFor(db, by, undefined);
      return "resumed";
    case "leave":
      await subscribers.unsubscribe(db, email, origin, by.now);
      return;
    case "record":
      return preferences.emailRecord(db, email, by.now);
  }
}

const maxFormCharacters = 8_192;

/** What the form says. Whatever cannot be read stays as it is. */
function wishesIn(form: URLSearchParams): Omit<preferences.Preferences, "siteLanguage"> {
  const name = SubscriberFields.shape.name.safeParse(form.get("name"));
  const language = languages.find((one) => one === form.get("language"));
  const zone = form.get("timeZone");
  return {
    offered: (form.get("offered") ?? "").split(","),
    chosen: form.getAll("topics"),
    language,
    timeZone: zone === "" ? null : knownZone(zone),
    name: name.data,
  };
}

/** The same day some months later, or the last day of that month; in three months if the number is not valid. */
function monthsFrom(now: Date, months: string | null): Date {
  const count = ["1", "2"].includes(months ?? "") ? Number(months) : 3;
  const until = new Date(now);
  until.setUTCMonth(until.getUTCMonth() + count);
  if (until.getUTCDate() !== now.getUTCDate()) until.setUTCDate(0);
  return until;
}

/** Everything that is stored under an address, as a file. */
async function downloadRecord(deps: Deps, request: Request) {
  const { config, db } = deps;
  const { isPassive, headers } = contextOf(request);
  if (isPassive) headers["ratelimit-policy"] = policyOf(limitOf.preferences); // as it will be, but counted by no one
  const seconds = isPassive ? undefined : await secondsToWait(deps, request);
  const link = linkIn(request);
  const askedAt = link && readRecordToken(config, link.email, link.token);
  if (seconds !== undefined) return limited(deps, askedAt && link, seconds);
  if (!link || !askedAt) return invalidPage(deps, request);
  const person = await subscribers.byEmail(db, link.email);
  const age = deps.now().getTime() - askedAt.getTime();
  if (age > preferences.recordLinkMs) {
    const t = await translatorFor(db, person);
    return linkPage(<OldRecordPage t={t} home={config.BASE_URL} />, 410);
  }
  const file = personJson(db, await tracesOf(db, link.email), deps.now());
  return new Response(file, {
    headers: {
      "content-type": "application/json; charset=utf-8",
      "content-disposition": 'attachment; filename="record.json"',
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex",
    },
  });
}

const pageDescriptions = {
  200: "The page, with what is set now.",
  400: "The address or token is missing or does not match. Returns the same page in every case.",
  410: "The link has expired.",
  429: "More than 20 changes in ten minutes. Leaving is never refused.",
  500: "The page offers to try again.",
};
const parameters = linkParameters("The token of the unsubscribe link. Does not expire.", "^[A-Za-z0-9_-]{43}$");

const docs = {
  page: {
    operationId: "preferencesPage",
    tags: ["Newsletter"],
    summary: "Show a subscriber’s own page",
    description:
      "The page behind “Preferences” in emails: topics, language, time zone, name, a break, leaving, and what is stored. Changes nothing.",
    parameters: [
      ...parameters,
      parameter("query", "topic", "The slug of a topic that is shown as ticked; nothing is saved."),
      parameter("query", "done", "What the last press of a button did, for the page to say so."),
    ],
    responses: linkPages(pageDescriptions, [200, 400, 500]),
  },
  form: {
    operationId: "savePreferences",
    tags: ["Newsletter"],
    summary: "Save what a subscriber sets",
    description:
      "The forms of that page. `do` is `save`, `pause`, `resume`, `leave` or `record`. What cannot be read changes nothing.",
    parameters,
    requestBody: bodyExample(
      { do: "save", offered: "recipes,news", topics: "recipes", language: "es", timeZone: "Europe/Madrid" },
      formType,
    ),
    responses: {
      ...linkPages(pageDescriptions, [400, 429, 500]),
      303: redirect("Redirects to the page."),
    },
  },
  record: {
    operationId: "downloadRecord",
    tags: ["Newsletter"],
    summary: "Download everything that is stored about a subscriber",
    description: "The link that the page emails to the address on request. Works for one hour.",
    parameters: linkParameters("The token of that link.", "^[A-Za-z0-9_-]{51}$"),
    responses: {
      200: content("The file: an object of everything that is stored.", "application/json", {}),
      ...linkPages(pageDescriptions, [400, 410, 429, 500]),
    },
  },
};
