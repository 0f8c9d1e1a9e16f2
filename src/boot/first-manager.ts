import * as managers from "../../db/access/managers";
import type { Deps } from "./deps";

/**
 * Creates the first manager from MANAGER_EMAIL and MANAGER_PASSWORD, which are ignored once there is a manager (D3).
 *
 * @throws if the password is too weak
 */
export async function enrolFirstManager({ config, db, log, now }: Pick<Deps, "config" | "db" | "log" | "now">) {
  const { MANAGER_EMAIL: email, MANAGER_PASSWORD: password } = config;
  if (!email || !password || (await managers.hasAny(db))) return;
  const { weakness } = await import("../security/password/strength");
  const problem = weakness(password, [email]);
  if (problem) throw new Error(`MANAGER_PASSWORD: ${problem}`);
  const { hashPassword } = await import("../security/password/password");
  const passwordHash = await hashPassword(password);
  if (!passwordHash) return;
  await managers.createFirst(db, { email, name: "", passwordHash }, now());
  log.info("first manager created", { email });
}
