import type { JSX } from "../../views/jsx/jsx-runtime";
import type { Db } from "../../db/engine/open";
import { ErrorPage } from "../../views/error";
import { described, type Log } from "../platform/log";
import { loggedPath } from "./access-log";
import { contextOf } from "../platform/request-context";
import { knownTranslator } from "./site-language";

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

/** Responds with a whole page. JSX becomes bytes only in this file. */
export const page = (view: JSX.Element, status = 200, headers: Record<string, string> = {}) =>
  html(documentOf(view), status, headers);

/** Responds with a part of a page, for htmx. */
export const fragment = (view: JSX.Element, status = 200, headers: Record<string, string> = {}) =>
  html(String(view), status, headers);

/** Logs the failure. Returns what a page may say about it. */
export function logFailure({ log }: { log: Log }, request: Request, error: unknown) {
  const { id, pathname } = contextOf(request);
  log.error("failed", { id, method: request.method, path: loggedPath(pathname), ...described(error) });
  return { requestId: id, path: pathname, search: new URL(request.url).search };
}

/** The page of a public route that failed. It does not query the database, which may be what failed. */
export function failurePage(deps: { db: Db; log: Log }, request: Request, error: unknown) {
  logFailure(deps, request, error);
  return page(<ErrorPage t={knownTranslator(deps.db)} status={500} />, 500);
}
