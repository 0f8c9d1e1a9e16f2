import { storedVariables } from "../../db/variables";
import type { Db } from "../../db/engine/open";
import { current } from "../../db/engine/versions";
import { isMarked } from "../../db/ops/demo";
import { applyVariables, type Config, type Settable, simulateEmails } from "../platform/config";
import { decryptIfOurs, encrypt } from "./secrets";

/* Variables that owners have set in the dashboard: the environment wins, then they do, then the defaults. */

const purpose = "variable";

export const sealVariable = ({ APP_SECRET }: Config, value: string): string => encrypt(APP_SECRET, purpose, value);

/**
 * Reads them into the configuration. One that was encrypted with an unknown APP_SECRET counts as absent. Nobody in sample
 * content is ever emailed, so a database that has it leaves no provider.
 */
export async function useVariables({ config, db }: { config: Config; db: Db }): Promise<void> {
  const values: Partial<Record<Settable, string>> = {};
  for (const [name, stored] of Object.entries(await storedVariables(db)))
    for (const secret of [config.APP_SECRET, ...config.APP_SECRET_PREVIOUS]) {
      const value = stored && decryptIfOurs(secret, purpose, stored.sealed);
      if (value !== undefined) Object.assign(values, { [name]: value });
    }
  applyVariables(config, values);
  if (await isMarked(db)) simulateEmails(config);
}

/** Returns a function that reads them again if another process may have changed them. */
export function variableWatch(deps: { config: Config; db: Db }): () => Promise<void> {
  const versionNow = () => current(deps.db, "settings").version;
  let seen = versionNow();
  return async () => {
    const version = versionNow();
    if (version === seen) return;
    await useVariables(deps);
    seen = version;
  };
}
