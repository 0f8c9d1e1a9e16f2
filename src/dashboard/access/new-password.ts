import type { Deps } from "../../boot/deps";
import { hashPassword } from "../../security/password/password";
import { weakness } from "../../security/password/strength";

type NewPassword = { hash: string } | { weak: string } | "busy";

/**
 * The hash of a password somebody chose, or why it cannot be one: too short, too common, too close to `known` or to
 * the name of the site; "busy" when too many wait to be hashed.
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
