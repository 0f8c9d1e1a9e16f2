import { z } from "zod";
import type { Config } from "../platform/config";
import { refusedOrigin } from "../security/headers";
import type { Translator } from "../../views/languages/translator";

/** What the reference calls the sites whose forms are accepted. */
export const allowedOrigins =
  "allowed origins: those of BASE_URL, BLOG_URL and CORS_ORIGINS, which an owner can also set under Settings, Set up";

/** The field of a form that says where the visitor goes afterwards. */
export const nextField = z
  .string()
  .optional()
  .meta({
    description: `URL to return to, at one of the ${allowedOrigins}. Any other is ignored, and a page says thank you.`,
  });

/** Returns the URL if it is at one of our origins. */
export function allowedUrl({ CORS_ORIGINS }: Config, text: string | null | undefined): URL | undefined {
  const url = text ? URL.parse(text) : null;
  const isWeb = url && /^https?:$/.test(url.protocol); // blob: has the origin of the page that made it
  return isWeb && CORS_ORIGINS.has(url.origin) ? url : undefined;
}

/**
 * Other sites must not send forms on a visitor's behalf. Browsers that do not send these headers are accepted.
 */
export function isFromAllowedOrigin({ CORS_ORIGINS }: Config, { headers }: Request): boolean {
  if (headers.get("sec-fetch-site") === "same-origin") return true;
  const origin = headers.get("origin");
  return origin === null || CORS_ORIGINS.has(origin);
}

/** The site that the form was sent from, or else leads to, if it is not this service: there the visitor goes back. */
export function siteOf(config: Config, { headers }: Request, next: URL | undefined): URL | undefined {
  const own = new URL(config.BASE_URL).origin;
  return [allowedUrl(config, headers.get("origin")), next].find((url) => url && url.origin !== own);
}

/** Returns the fields of the form with these names; undefined if it repeats one of them. */
export function fieldsIn(form: URLSearchParams, names: string[]): Record<string, string> | undefined {
  const entries = [...form].filter(([name]) => names.includes(name));
  const fields = Object.fromEntries(entries);
  return Object.keys(fields).length === entries.length ? fields : undefined;
}

/** What the page says of a form that is not accepted: to whoever builds the site, which origin is not allowed yet. */
export function refusalText(t: Translator, config: Config, request: Request, text: string): string {
  const isAllowed = isFromAllowedOrigin(config, request);
  const origin = isAllowed ? undefined : refusedOrigin(request.headers.get("origin"), config.CORS_ORIGINS);
  return origin ? t("form.refused.origin", { origin }) : text;
}

/** Redirects a form that was sent, or reloaded. */
export const seeOther = (location: string) => new Response(null, { status: 303, headers: { location } });
