import { keptPages } from "./prepared";
import { page } from "./response";

/* Links in emails: people come here from an email app, and always get a page (D14). */

const headers = {
  "referrer-policy": "no-referrer", // the token is in the URL
  "x-robots-tag": "noindex",
};

/** Responds with the page of such a link. */
export const linkPage = (view: Parameters<typeof page>[0], status = 200) => page(view, status, headers);

/** The same for a page that is equal for everyone, made once under this name. */
export const keptLinkPages = () => keptPages(headers);

/** The longest parameters that are read; valid ones are shorter. */
const maxLength = { email: 400, token: 100 };

/** Returns the parameters of a link; undefined if it cannot be one of ours. The token is not checked yet. */
export function linkIn(request: Request) {
  const { searchParams: query, search } = new URL(request.url);
  const [given, token, ...more] = [...query.getAll("email"), ...query.getAll("token")];
  const email = given?.replaceAll(" ", "+"); // some email apps decode %2B to a plus, which then means a space
  if (!email || !token || more.length || email.length > maxLength.email || token.length > maxLength.token) return;
  return { email, token, search, query };
}
