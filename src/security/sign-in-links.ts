import { createHmac } from "node:crypto";
import * as managers from "../../db/access/managers";
import * as signInLinks from "../../db/access/sign-in-links";
import type { Db } from "../../db/engine/open";
import { dayMs } from "../../db/lib/time";
import { deriveKey, randomToken, sha256 } from "./secrets";

type Site = { db: Db; config: { BASE_URL: string } };

const minuteMs = 60_000;

/** A link that signs someone in once. It is shown to one person and stored nowhere; the database has its hash. */
export type SignInLink = { url: string; expiresAt: Date };

function newLink({ config }: Site, path: "setup" | "reset", now: Date, lifetimeMs: number, token = randomToken()) {
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  return { link: { url: linkTo(config, path, token), expiresAt }, token: { hash: sha256(token), expiresAt } };
}

const linkTo = ({ BASE_URL }: Site["config"], path: "setup" | "reset", token: string) =>
  `${BASE_URL}/dashboard/${path}?${new URLSearchParams({ token })}`;

/**
 * For the start-up banner: creates the link for the first owner, valid for 60 minutes. Undefined if there already is a
 * manager (D36).
 */
export async function createSetupLink(site: Site, now: Date): Promise<SignInLink | undefined> {
  const { link, token } = newLink(site, "setup", now, 60 * minuteMs);
  return (await signInLinks.createSetup(site.db, token, now)) && link;
}

/**
 * For `postroom manager reset`, the only way for a manager who has lost the password: creates a link to set a new one, valid
 * for 60 minutes. What it ends: `reset` in `db/access/sign-in-links.ts`. Undefined if no one has this address.
 */
export async function createResetLink(site: Site, email: string, now: Date): Promise<SignInLink | undefined> {
  const { link, token } = newLink(site, "reset", now, 60 * minuteMs);
  return (await signInLinks.createReset(site.db, { email, token }, { actor: "cli" }, now)) && link;
}

/**
 * Returns the token of an invitation sent by email. It is derived from a random seed in the email's row, so that every
 * attempt sends the same link, and the database alone does not reveal it.
 */
const invitationToken = ({ APP_SECRET }: { APP_SECRET: string }, seed: string): string =>
  createHmac("sha256", deriveKey(APP_SECRET, "invitation/v1")).update(seed).digest("base64url");

const invitationMs = 3 * dayMs;

/** Creates an invitation, valid for three days. Returns why if it cannot (see `signInLinks.invite`). */
export async function createInvitation(
  site: Site,
  invited: { email: string; role: managers.Role },
  by: signInLinks.Creator,
  now: Date,
): Promise<SignInLink | "taken" | "not-allowed"> {
  const { link, token } = newLink(site, "setup", now, invitationMs);
  const outcome = await signInLinks.invite(site.db, { invited, link: token }, by, now);
  return outcome === "made" ? link : outcome;
}

type Mailer = { db: Db; config: { BASE_URL: string; APP_SECRET: string } };

/** The same, but the link is sent to the invited address and shown to no one. */
export function mailInvitation(
  site: Mailer,
  invited: { email: string; role: managers.Role },
  by: signInLinks.Creator,
  now: Date,
) {
  const seed = randomToken();
  const { token } = newLink(site, "setup", now, invitationMs, invitationToken(site.config, seed));
  return signInLinks.invite(site.db, { invited, link: { ...token, seed } }, by, now);
}

/** Returns the link of an invitation email; undefined if the email was queued with a different APP_SECRET. */
export function mailedLink(config: Mailer["config"], { seed, hash }: { seed: string; hash: string }) {
  const token = invitationToken(config, seed);
  return sha256(token) === hash ? linkTo(config, "setup", token) : undefined;
}

/** For `postroom manager create`: invites an owner if there is no manager yet. */
export async function createManagerLink(
  site: Site,
  email: string,
  now: Date,
  wanted: managers.Role = "manager",
): Promise<SignInLink | undefined> {
  const role = (await managers.hasAny(site.db)) ? wanted : "owner";
  const link = await createInvitation(site, { email, role }, { actor: "cli" }, now);
  return typeof link === "string" ? undefined : link;
}
