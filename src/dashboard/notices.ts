import * as sessionNotices from "../../db/access/sessions";
import type { Notice } from "../../views/components/frame";
import type { Deps } from "./deps";
import { contextOf } from "../platform/request-context";
import { managerFor } from "../security/session/session";

const left = new WeakMap<Request, Notice>();

/** Leaves a notice for the next page of this session, after the redirect that this request gets. */
export const leaveNotice = (request: Request, notice: Notice): void => void left.set(request, notice);

/** Stores the notice left during this request before its response is sent. */
export function storeNotice({ db }: Pick<Deps, "db">, request: Request): void {
  const notice = left.get(request);
  if (notice)
    contextOf(request).awaitBeforeResponse(sessionNotices.leaveNotice(db, managerFor(request).session, notice));
}

/** Returns the notices left for this session, once. */
export function takeNotices({ db }: Pick<Deps, "db">, request: Request): Notice[] {
  const { session } = managerFor(request);
  if (!session.notices) return [];
  contextOf(request).awaitBeforeResponse(sessionNotices.clearNotices(db, session));
  return session.notices as Notice[];
}
