import * as sessionNotices from "../../db/access/sessions/notices";
import type { Notice } from "../../views/components/frame";
import type { Deps } from "../boot/deps";
import { contextOf } from "../http/request-context";
import { managerFor } from "../security/session/session";

const left = new WeakMap<Request, Notice>();

/** Leaves a notice for the page that this session opens next, after the redirect that answers the request. */
export const leaveNotice = (request: Request, notice: Notice): void => void left.set(request, notice);

/** Has the notice left while the request was handled in the database before its response leaves. */
export function storeNotice({ db }: Pick<Deps, "db">, request: Request): void {
  const notice = left.get(request);
  if (notice)
    contextOf(request).awaitBeforeResponse(sessionNotices.leaveNotice(db, managerFor(request).session, notice));
}

/** Returns what was left for this session, once. */
export function takeNotices({ db }: Pick<Deps, "db">, request: Request): Notice[] {
  const { session } = managerFor(request);
  if (!session.notices) return [];
  contextOf(request).awaitBeforeResponse(sessionNotices.clearNotices(db, session));
  return session.notices as Notice[];
}
