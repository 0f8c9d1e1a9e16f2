import type { Db } from "../../db/engine/open";
import * as entryLinks from "../../db/access/sign-in-links";
import { randomToken, sha256 } from "./secrets";

export type Site = { db: Db; config: { BASE_URL: string } };

const minuteMs = 60_000;

/** A link that signs someone in once. It is shown to one person and stored nowhere; the database has its hash. */
export type SignInLink = { url: string; expiresAt: Date };

export function newLink(
  { config }: Site,
  path: "setup" | "reset",
  now: Date,
  lifetimeMs: number,
  token = randomToken(),
) {
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  return { link: { url: linkTo(config, path, token), expiresAt }, token: { hash: sha256(token), expiresAt } };
}

export const linkTo = ({ BASE_URL }: Site["config"], path: "setup" | "reset", token: string) =>
  `${BASE_URL}/dashboard/${path}?${new URLSearchParams({ token })}`;

/**
 * For the start-up banner: creates the link for the first owner, valid for 60 minutes. Undefined if there already is a
 * manager (D36).
 */
export async function createSetupLink(site: Site, now: Date): Promise<SignInLink | undefined> {
  const { link, token } = newLink(site, "setup", now, 60 * minuteMs);
  return (await entryLinks.createSetup(site.db, token, now)) && link;
}

/**
 * For `postroom manager reset`: creates a link to set a new password, valid for 60 minutes. Undefined if no one has
 * this address.
 */
export async function createResetLink(site: Site, email: string, now: Date): Promise<SignInLink | undefined> {
  const { link, token } = newLink(site, "reset", now, 60 * minuteMs);
  return (await entryLinks.createReset(site.db, { email, token }, { actor: "cli" }, now)) && link;
}
