import type { JSX } from "../../views/jsx/jsx-runtime";

const html = (body: string, status: number, headers: Record<string, string>) =>
  new Response(body, {
    status,
    headers: { "content-type": "text/html; charset=utf-8", "cache-control": "no-store", ...headers },
  });

/** Turns JSX into bytes, here and nowhere else: a whole document… */
export const page = (view: JSX.Element, status = 200, headers: Record<string, string> = {}) =>
  html(`<!doctype html>${view}`, status, headers);

/** …or a fragment, for htmx. */
export const fragment = (view: JSX.Element, status = 200, headers: Record<string, string> = {}) =>
  html(String(view), status, headers);
