import type { Actor } from "../../../db/audit";
import * as sessions from "../../../db/access/sessions";
import type { Db } from "../../../db/engine/open";
import { contextOf } from "../../platform/request-context";
import { sha256 } from "../secrets";
import { sessionToken } from "../cookies";

export type { SignedIn } from "../../../db/access/sessions";
type Needs = { db: Db; now: () => Date };
const touchIntervalMs = 5 * 60_000;

async function presenceOf({ db, now }: Needs, request: Request) {
  const token = sessionToken(request);
  return token === undefined ? undefined : sessions.find(db, sha256(token), now());
}

/**
 * Whether someone sent the request who is signed in, may see more than the account page, and works with files, which
 * analysts do not. Records nothing.
 */
export async function worksWithFiles(deps: Needs, request: Request): Promise<boolean> {
  const presence = await presenceOf(deps, request);
  return presence !== undefined && !isOverdue(presence, deps.now()) && presence.manager.role !== "analyst";
}

/** Whether the manager had to set up two-step verification or a passkey, and did not do so in time. */
export const isOverdue = ({ twoFactorDueAt }: sessions.SignedIn, now: Date): boolean =>
  twoFactorDueAt !== undefined && twoFactorDueAt <= now;

const present = new WeakMap<Request, sessions.SignedIn>();

/**
 * Returns the manager who sent the request, if signed in and still allowed. Handlers get the result from `managerFor`.
 */
export async function managerOf({ db, now }: Needs, request: Request) {
  const cached = present.get(request);
  if (cached) return cached;
  const signedIn = await presenceOf({ db, now }, request);
  if (!signedIn) return;
  present.set(request, signedIn);
  const context = contextOf(request);
  // The page is shown even if this cannot be written
  if (!context.isPassive && Math.abs(now().getTime() - signedIn.session.seenAt.getTime()) >= touchIntervalMs)
    context.pending.push(sessions.touch(db, signedIn.session, now()).catch(() => undefined));
  return signedIn;
}

/** Returns the manager and session of a request that passed the dashboard's gate. */
export function managerFor(request: Request): sessions.SignedIn {
  const signedIn = present.get(request);
  if (!signedIn) throw new Error("The request bypassed dashboard authentication");
  return signedIn;
}

/** Returns the actor of a request for the audit log. */
export const actorOf = (request: Request): Actor => ({
  actor: managerFor(request).manager.email,
  address: contextOf(request).address,
});
