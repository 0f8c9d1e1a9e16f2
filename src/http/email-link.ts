import type { Translator } from "../../views/languages/translator";
import type { Db } from "../../db/engine/open";
import { contextOf } from "../platform/request-context";
import { type Limits, limits as limitOf } from "../security/limits/limits";
import { keptPages } from "./prepared";
import { page } from "./response";
import { siteTranslator } from "./site-language";

/**
 * Counts a press of a button that puts someone on the list. The page's link authorises it, but each press is stored, so
 * it shares the limit of subscribing. Returns how many seconds to wait; undefined if it may be pressed now.
 */
export async function secondsToWait({ limits }: { limits: Limits }, request: Request): Promise<number | undefined> {
  const context = contextOf(request);
  const refusal = await limits.admit(limitOf.subscribe, context);
  await Promise.all(context.pending.splice(0)); // awaited here, so that a failure is shown on a page
  return refusal && Number(context.headers["retry-after"]);
}

/* Links in emails: people come here from an email app, and always get a page (D14). */

const headers = {
  "referrer-policy": "no-referrer", // the token is in the URL
  "x-robots-tag": "noindex",
};

type View = Parameters<typeof page>[0];

/** Responds with the page of such a link. */
export const linkPage = (view: View, status = 200) => page(view, status, headers);

/** Responds to every link of a kind that is not valid with the same bytes (D14), made once for each language. */
export function invalidLinkPage(view: (t: Translator, home: string) => View) {
  const pages = keptPages(headers);
  return async ({ config, db }: { config: { BASE_URL: string }; db: Db }, request: Request): Promise<Response> => {
    const [t, home] = [await siteTranslator(db), config.BASE_URL];
    return pages(request, `${t.root.lang} ${home}`, 400, () => view(t, home));
  };
}

/** The longest parameters that are read; valid ones are shorter. */
const maxLength = { email: 400, token: 100 };

/** Returns the parameters of a link; undefined if it cannot be one of ours. The token is not checked yet. */
export function linkIn(request: Request) {
  const { searchParams: query, search } = new URL(request.url);
  const [address, token, ...more] = [...query.getAll("email"), ...query.getAll("token")];
  const email = address?.replaceAll(" ", "+"); // some email apps decode %2B to a plus, which then means a space
  if (!email || !token || more.length || email.length > maxLength.email || token.length > maxLength.token) return;
  return { email, token, search, query };
}
