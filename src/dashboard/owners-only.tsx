import { ErrorSheet } from "../../views/dashboard/error";
import { page } from "../http/response";
import { managerFor } from "../security/session/session";

const isOwner = (request: Request): boolean => managerFor(request).manager.role === "owner";

/** Admits owners. Tells everyone else why not: `what` completes "Only owners can …". */
export const ownersOnly = (request: Request, what: string): Response | undefined =>
  isOwner(request) ? undefined : forOwners(what);

export const forOwners = (what: string) =>
  page(<ErrorSheet title="Owners only" message={`Only owners can ${what}. Ask an owner.`} />, 403);
