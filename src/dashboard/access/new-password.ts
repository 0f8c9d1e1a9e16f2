import type { Deps } from "../deps";
import { hashPassword } from "../../security/password/password";
import { weakness } from "../../security/password/strength";

type NewPassword = { hash: string } | { weak: string } | "busy";

/**
 * Hashes a chosen password. Returns why it is not acceptable (too short, too common, too similar to `known` or to the
 * site's name), or "busy" if too many are waiting to be hashed.
 */
export async function newPassword(
  { config }: Pick<Deps, "config">,
  password: string,
  known: string[],
): Promise<NewPassword> {
  const weak = weakness(password, [...known, "postroom", new URL(config.BASE_URL).hostname]);
  if (weak) return { weak };
  const hash = await hashPassword(password);
  return hash === undefined ? "busy" : { hash };
}

export const busyText = "The server is busy. Try again in a few seconds.";
