import type { Db } from "../../db/engine/open";
import { ErrorPage } from "../../views/error";
import { described, type Log } from "../platform/log";
import { loggedPath } from "./access-log";
import { contextOf } from "../platform/request-context";
import { page } from "./response";
import { knownTranslator } from "./site-language";

/** Logs the failure. Returns what a page may say about it. */
export function noteFailure({ log }: { log: Log }, request: Request, error: unknown) {
  const { id, pathname } = contextOf(request);
  log.error("failed", { id, method: request.method, path: loggedPath(pathname), ...described(error) });
  return { requestId: id, path: pathname, search: new URL(request.url).search };
}

/** The page of a public route that failed. It does not query the database, which may be what failed. */
export function failurePage(deps: { db: Db; log: Log }, request: Request, error: unknown) {
  noteFailure(deps, request, error);
  return page(<ErrorPage t={knownTranslator(deps.db)} status={500} />, 500);
}
