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
 * Returns the headers `Link` and `X-Total-Count` of a page (D23). @param next the query of the next page; undefined on
 * the last one
 */
export function pageHeaders(url: string, total: number, next?: Record<string, unknown>): Record<string, string> {
  const headers = { "x-total-count": String(total) };
  if (!next) return headers;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(next)) if (value !== undefined) query.set(name, String(value));
  return { ...headers, link: `<${url}?${query}>; rel="next"` };
}
