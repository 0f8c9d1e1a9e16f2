import type { JSX } from "../../views/jsx/jsx-runtime";

export const htmlType = "text/html; charset=utf-8";

/** A whole document. */
export const documentOf = (view: JSX.Element) => `<!doctype html>${view}`;

/** The headers of a page that may differ the next time. */
export const uncached = { "content-type": htmlType, "cache-control": "no-store" };

const html = (body: string, status: number, headers: Record<string, string>) =>
  new Response(body, {
    status,
    headers: { ...uncached, ...headers },
  });

/** Turns JSX into bytes, here and nowhere else: a whole document… */
export const page = (view: JSX.Element, status = 200, headers: Record<string, string> = {}) =>
  html(documentOf(view), status, headers);

/** …or a fragment, for htmx. */
export const fragment = (view: JSX.Element, status = 200, headers: Record<string, string> = {}) =>
  html(String(view), status, headers);
