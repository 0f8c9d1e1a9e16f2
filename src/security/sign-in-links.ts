import type { Db } from "../../db/engine/open";
import * as entryLinks from "../../db/access/sign-in-links";
import * as managers from "../../db/access/managers";
import { invitationToken } from "./links/invitation";
import { randomToken, sha256 } from "./secrets";

type Site = { db: Db; config: { BASE_URL: string } };

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const invitationMs = 3 * dayMs;

/** A link that lets somebody in once. It is shown to one person and stored nowhere; the database has its hash. */
export type SignInLink = { url: string; expiresAt: Date };

function newLink({ config }: Site, path: "setup" | "reset", now: Date, lifetimeMs: number, token = randomToken()) {
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  return { link: { url: linkTo(config, path, token), expiresAt }, token: { hash: sha256(token), expiresAt } };
}

const linkTo = ({ BASE_URL }: Site["config"], path: "setup" | "reset", token: string) =>
  `${BASE_URL}/dashboard/${path}?${new URLSearchParams({ token })}`;

/** For the start banner: the link for the first owner, valid for 60 minutes. Undefined when there is a manager (D36). */
export async function createSetupLink(site: Site, now: Date): Promise<SignInLink | undefined> {
  const { link, token } = newLink(site, "setup", now, 60 * minuteMs);
  return (await entryLinks.createSetup(site.db, token, now)) && link;
}

/** An invitation, valid for three days; or why there is none (see `entryLinks.invite`). */
export async function createInvitation(
  site: Site,
  invited: { email: string; role: managers.Role },
  by: entryLinks.Creator,
  now: Date,
): Promise<SignInLink | "taken" | "not-allowed"> {
  const { link, token } = newLink(site, "setup", now, invitationMs);
  const outcome = await entryLinks.invite(site.db, invited, token, by, now);
  return outcome === "made" ? link : outcome;
}

type Mailer = { db: Db; config: { BASE_URL: string; APP_SECRET: string } };

/** The same, but the link is sent to the invited address and shown to no one. */
export function mailInvitation(
  site: Mailer,
  invited: { email: string; role: managers.Role },
  by: entryLinks.Creator,
  now: Date,
) {
  const seed = randomToken();
  const { token } = newLink(site, "setup", now, invitationMs, invitationToken(site.config, seed));
  return entryLinks.invite(site.db, invited, { ...token, seed }, by, now);
}

/** The link of an invitation email; undefined if it was queued with another APP_SECRET. */
export function mailedLink(config: Mailer["config"], { seed, hash }: { seed: string; hash: string }) {
  const token = invitationToken(config, seed);
  return sha256(token) === hash ? linkTo(config, "setup", token) : undefined;
}

/** For `postroom manager create`: an owner when there is nobody yet, a manager otherwise. */
export async function createManagerLink(site: Site, email: string, now: Date): Promise<SignInLink | undefined> {
  const role = (await managers.hasAny(site.db)) ? "manager" : "owner";
  const link = await createInvitation(site, { email, role }, { actor: "cli" }, now);
  return typeof link === "string" ? undefined : link;
}

/** For `postroom manager reset`: sets a new password, valid for 60 minutes. Undefined when nobody has this address. */
export async function createResetLink(site: Site, email: string, now: Date): Promise<SignInLink | undefined> {
  const { link, token } = newLink(site, "reset", now, 60 * minuteMs);
  return (await entryLinks.createReset(site.db, email, token, { actor: "cli" }, now)) && link;
}
