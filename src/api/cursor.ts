import { z } from "zod";

/** Encodes where a list continues, so that clients do not depend on its contents (D23). */
export const cursorAfter = (position: (string | number)[]): string =>
  Buffer.from(JSON.stringify(position)).toString("base64url");

const notOurs = "must be a cursor from this list’s Link header";

/** A cursor in a query string. One that this list did not issue is a 400. */
export const cursor = <T extends z.ZodType>(position: T, maxLength: number) =>
  z
    .string()
    .regex(new RegExp(`^[A-Za-z0-9_-]{1,${maxLength}}$`), { error: notOurs, abort: true })
    .transform((text, context): z.output<T> => {
      const parsed = position.safeParse(unwrapped(text));
      if (parsed.success) return parsed.data;
      context.addIssue({ code: "custom", message: notOurs });
      return z.NEVER;
    })
    .optional()
    .meta({ description: 'Cursor of the next page, from the `Link` header with `rel="next"`.' });

function unwrapped(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    return undefined;
  }
}

/**
 * Returns the headers `Link` and `X-Total-Count` of a page (D23), and the cursor alone for clients that would have to
 * parse the link. @param total undefined if it was not asked for. @param next the query of the next page; undefined on
 * the last one
 */
export function pageHeaders(
  url: string,
  total: number | undefined,
  next?: { cursor: string } & Record<string, unknown>,
) {
  const headers: Record<string, string> = total === undefined ? {} : { "x-total-count": String(total) };
  if (!next) return headers;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(next)) if (value !== undefined) query.set(name, String(value));
  return { ...headers, link: `<${url}?${query}>; rel="next"`, "postroom-next-cursor": next.cursor };
}

const maxNameLength = 20;

/** What other services call what is a cursor here. */
const otherwiseCalled: Record<string, string> = {
  page: "cursor",
  offset: "cursor",
  after: "cursor",
  per_page: "limit",
};

/**
 * Returns the header `Postroom-Hint` if the query has a name that is not read, but resembles one that is: such a request
 * is answered, as unknown names always were, but probably not as its author meant.
 *
 * @param shape what the list reads
 */
export function hintFor({ url }: Pick<Request, "url">, shape: object): Record<string, string> {
  const names = Object.keys(shape);
  for (const name of new URL(url).searchParams.keys()) {
    if (name in shape || name.length > maxNameLength || !/^\w+$/.test(name)) continue;
    const meant = otherwiseCalled[name] ?? names.find((one) => isNear(name.toLowerCase(), one.toLowerCase()));
    if (meant && meant in shape) return { "postroom-hint": `"${name}" is not read; use "${meant}"` };
  }
  return {};
}

/** Two letters differ, or fewer if the name is short: "q" resembles every letter. */
const isNear = (name: string, other: string) => distance(name, other) <= Math.min(2, Math.floor(other.length / 3));

/** The least number of letters to add, remove or replace (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries())
      next.push(Math.min((row[j] ?? 0) + Number(letter !== other), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    row = next;
  }
  return row[b.length] ?? 0;
}
