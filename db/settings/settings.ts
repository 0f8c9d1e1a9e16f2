import { asc, eq, inArray, or } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { settings } from "../schema/settings";
import { isHourlyLimit, parseHourlyLimit } from "../hourly-limits";
import { looksSecret } from "./secret-names";

export type Setting = typeof settings.$inferSelect;

/** The keys of the contract (spec part 2). They are public by nature. */
export const contractKeys = [
  "name",
  "jobTitle",
  "email",
  "github",
  "linkedin",
  "siteTitle",
  "siteDescription",
  "siteKeywords",
  "googleAnalyticsId",
] as const;

const isContractKey = (key: string) => (contractKeys as readonly string[]).includes(key);

const forOwners: ReadonlySet<string> = new Set(["name", "email", "postalAddress"]);

/** How the service itself behaves: no key can read it, whoever says so. */
export const isInternal = (key: string) => isHourlyLimit(key);

/** Whether the setting decides where mail goes, who stands in it as the sender, or what is held back: for owners (P75). */
export const isForOwners = (key: string) => forOwners.has(key) || isInternal(key);

/** A setting of the managers' own, without a field on the settings page. */
export const isCustom = (key: string) => !isContractKey(key) && !isInternal(key);

/** What leaves through the API: what is marked public, and never what looks like a secret, however it got there (D27). */
export const readPublic = (db: Db): Promise<Record<string, string>> =>
  db.read((orm) => {
    const rows = orm
      .select({ key: settings.key, value: settings.value })
      .from(settings)
      .where(or(eq(settings.isPublic, true), inArray(settings.key, [...contractKeys])))
      .orderBy(asc(settings.key))
      .all();
    return Object.fromEntries(rows.filter(({ key }) => !looksSecret(key)).map(({ key, value }) => [key, value]));
  });

/** Every setting, for managers. */
export const all = (db: Db) => db.read((orm) => orm.select().from(settings).orderBy(asc(settings.key)).all());

export type Change = {
  /** Ignored for the nine named keys. A setting keeps what it was when this is not given. */
  isPublic?: boolean | undefined;
  /** Who does it: a manager's address, or "cli". */
  by: string;
  /** The version that was on the screen; 0 for none. Not given: whatever is there is replaced. */
  expectedVersion?: number | undefined;
};

type Saved =
  | { outcome: "saved"; setting: Setting }
  /** Somebody else was quicker: nothing was changed. `theirs` is undefined when they removed it. */
  | { outcome: "conflict"; mine: string; theirs: Setting | undefined }
  | { outcome: "refused"; reason: Refusal | "limit" };
type Refusal = "secret" | "malformed";

/** Whether the setting may have this value. An empty one stands for the default. */
export const isValidValue = (key: string, value: string) =>
  !value || !isHourlyLimit(key) || parseHourlyLimit(value) !== undefined;

/** Why no setting may have this key; undefined when it may. */
export function refusalOf(key: string): Refusal | undefined {
  if (looksSecret(key)) return "secret";
  return /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(key) ? undefined : "malformed";
}

/** Writes a setting. A name that looks like a secret is refused: secrets belong into the environment (D27). */
export const set = (db: Db, key: string, value: string, change: Change, now: Date) =>
  db.write((orm): Saved => {
    const reason = refusalOf(key) ?? (isValidValue(key, value) ? undefined : "limit");
    if (reason) return { outcome: "refused", reason };

    const { by, expectedVersion } = change;
    const current = find(orm, key);
    if (expectedVersion !== undefined && expectedVersion !== (current?.version ?? 0) && current?.value !== value)
      return { outcome: "conflict", mine: value, theirs: current };

    const isPublic = !isInternal(key) && (isContractKey(key) || (change.isPublic ?? current?.isPublic ?? false));
    const version = (current?.version ?? 0) + 1;
    const row = { value, isPublic, version, updatedBy: by, updatedAt: now };
    const setting = orm
      .insert(settings)
      .values({ key, ...row })
      .onConflictDoUpdate({ target: settings.key, set: row })
      .returning()
      .get();
    return { outcome: "saved", setting };
  });

/** Returns what was removed; undefined when there was nothing. */
export const remove = (db: Db, key: string) =>
  db.write((orm): Setting | undefined => orm.delete(settings).where(eq(settings.key, key)).returning().get());

const find = (orm: Orm, key: string) => orm.select().from(settings).where(eq(settings.key, key)).get();
