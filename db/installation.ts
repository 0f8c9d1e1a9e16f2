import { eq, sql } from "drizzle-orm";
import { randomBytes } from "node:crypto";
import { type Db, type Orm, prepared } from "./engine/open";
import { installation } from "./schema/shared";

/**
 * `secretFingerprint`: reveals whether all processes have the same APP_SECRET, and nothing else about it. `servedWith`:
 * the same of the only process on SQLite, `servedBefore` of the secret that it replaced unannounced. `addressKey`:
 * hashes the addresses of people who must not be emailed. `backupId`, `backupRecipient` and `backups` are those of
 * db/ops/backup-state.ts, `migrationFailure` that of db/ops/migration-failure.ts, `variables` those of db/variables.ts. db/ops/scrub.ts has another, `rewrittenAt`: since then, the file has contained no remnants of
 * deleted rows.
 */
type Name =
  | "secretFingerprint"
  | "servedWith"
  | "servedBefore"
  | "addressKey"
  | "backupId"
  | "backupRecipient"
  | "backups"
  | "migrationFailure"
  | "variables"
  | "sampleContent";

/** Returns the installation's value of this name, initialised to `initial`. */
export async function installationValue(orm: Orm, name: Name, initial: string): Promise<string> {
  await orm.insert(installation).values({ name, value: initial }).onConflictDoNothing().run();
  return (await valueOf(orm, name)) ?? initial;
}

const row = prepared((orm) =>
  orm
    .select()
    .from(installation)
    .where(eq(installation.name, sql.placeholder("name")))
    .prepare(),
);
export const valueOf = async (orm: Orm, name: Name) => (await row(orm).get({ name }))?.value;

/**
 * Returns the key for hashing addresses; undefined if none was ever needed. It is not APP_SECRET, because replacing
 * that must not lose track of who complained.
 */
export const addressKey = (orm: Orm) => valueOf(orm, "addressKey");

/** The same for a write, which creates the key if necessary. */
export const ensureAddressKey = async (orm: Orm): Promise<string> =>
  (await addressKey(orm)) ?? installationValue(orm, "addressKey", randomBytes(32).toString("base64url"));

/** Replaces the key, before any address was hashed with another one. */
export const setAddressKey = (db: Db, key: string): Promise<void> =>
  db.write((orm) => setInstallationValue(orm, "addressKey", key));

export const setInstallationValue = async (orm: Orm, name: Name, value: string): Promise<void> =>
  void (await orm
    .insert(installation)
    .values({ name, value })
    .onConflictDoUpdate({ target: installation.name, set: { value } })
    .run());

/** Returns the fingerprint of the processes' APP_SECRET; undefined until one of them has served. */
export const secretFingerprint = (orm: Orm) => valueOf(orm, "secretFingerprint");
