import { page } from "./response";

/* Links in emails: people come here from a mail program, and always get a page, whatever happens (D14). */

const headers = {
  "referrer-policy": "no-referrer", // the token is in the URL
  "x-robots-tag": "noindex",
};

/** The page of such a link. */
export const linkPage = (view: Parameters<typeof page>[0], status = 200) => page(view, status, headers);

/** Bounds of what is read of a link; a valid one is shorter. */
const maxLength = { email: 400, token: 100 };

/** What a link says, once each; undefined when it cannot be one of ours. Its token is yet to be checked. */
export function linkIn(request: Request) {
  const { searchParams: query, search } = new URL(request.url);
  const [given, token, ...more] = [...query.getAll("email"), ...query.getAll("token")];
  const email = given?.replaceAll(" ", "+"); // some mail programs write %2B as a plus, which means a blank
  if (!email || !token || more.length || email.length > maxLength.email || token.length > maxLength.token) return;
  return { email, token, search, query };
}
