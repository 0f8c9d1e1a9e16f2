import { installationValue, secretFingerprint, setInstallationValue, valueOf } from "../../db/installation";
import type { Deps } from "./deps";
import { keyedHash } from "../security/secrets";

type Needs = Pick<Deps, "config" | "db">;

/**
 * Makes sure that all processes on a shared database have the same APP_SECRET, because each must accept the links that
 * another one signed, and decrypt what it encrypted. A new secret may list the one it replaces in APP_SECRET_PREVIOUS.
 * Commands only compare: the secret of the database is that of the processes that serve.
 *
 * @throws a message for the operator if the database is used with a different secret
 */
export async function checkSharedSecret({ config, db }: Needs): Promise<void> {
  if (db.isShared) compare(config, await db.read(secretFingerprint));
}

/** The same for a process that serves: from then on, its secret is that of the database. */
export async function useSharedSecret({ config, db }: Needs): Promise<void> {
  if (!db.isShared) return rememberSecret({ config, db });
  const own = fingerprintOf(config.APP_SECRET);
  compare(config, await db.write((orm) => installationValue(orm, "secretFingerprint", own)));
  await db.write((orm) => setInstallationValue(orm, "secretFingerprint", own));
}

/** The only process may have any secret, because the old one may be lost; the doctor tells that links have ended. */
async function rememberSecret({ config, db }: Needs): Promise<void> {
  const own = fingerprintOf(config.APP_SECRET);
  const before = await db.read((orm) => valueOf(orm, "servedWith"));
  if (before === own) return;
  await db.write(async (orm) => {
    await setInstallationValue(orm, "servedWith", own);
    if (!isSecretOf(config, before)) await setInstallationValue(orm, "servedBefore", before ?? "");
  });
}

/** Whether a database with this fingerprint may be used with our secret; one without may. */
export const isSecretOf = ({ APP_SECRET, APP_SECRET_PREVIOUS }: Deps["config"], fingerprint: string | undefined) =>
  fingerprint === undefined || [APP_SECRET, ...APP_SECRET_PREVIOUS].map(fingerprintOf).includes(fingerprint);

function compare(config: Deps["config"], fingerprint: string | undefined) {
  if (isSecretOf(config, fingerprint)) return;
  throw new Error(
    "This database is used with another APP_SECRET. Set the same one for every process; to change it, list the old one in APP_SECRET_PREVIOUS.",
  );
}

/** Reveals whether two secrets are equal, and nothing else about them. */
const fingerprintOf = (secret: string) => keyedHash(secret, "fingerprint", "APP_SECRET").slice(0, 16);
