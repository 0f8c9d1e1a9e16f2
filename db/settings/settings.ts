import { asc, eq, inArray, or } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { settings } from "../schema/settings";
import { isHourlyLimit, parseHourlyLimit } from "../hourly-limits";
import { type Language, languageOf, languages } from "./languages";
import { looksSecret } from "./secret-names";
import { isWelcomeKey, maxWelcome, welcomeKeys, welcomeLinks, type WelcomeWords, welcomeWordsOf } from "./welcome";

export type Setting = typeof settings.$inferSelect;

/** The keys of the contract (spec part 2), which are always public. */
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

/** What the site is read in: of visitors, subscribers and feeds. Public too, because sites may follow it. */
export const languageKey = "language";

/** Keys with a field of their own that the API always shows. */
const siteKeys: ReadonlySet<string> = new Set([...contractKeys, languageKey]);

const forOwners: ReadonlySet<string> = new Set(["name", "email", "postalAddress", "doubleOptIn"]);

/** Settings that control the service itself: no API key can read them, even if they are marked public. */
export const isInternal = (key: string) => isHourlyLimit(key) || isWelcomeKey(key);

/**
 * Whether the setting decides where email goes, who is named as the sender, or what is held back; only owners may
 * change it (P75).
 */
export const isForOwners = (key: string) => forOwners.has(key) || isHourlyLimit(key);

/** A setting that managers added, without a field on the settings page. */
export const isCustom = (key: string) => !siteKeys.has(key) && !isInternal(key);

/**
 * Returns what the API shows: settings marked public, but never one that looks like a secret, however it got there
 * (D27).
 */
export const readPublic = (db: Db): Promise<Record<string, string>> =>
  db.read(async (orm) => {
    const rows = await orm
      .select({ key: settings.key, value: settings.value })
      .from(settings)
      .where(or(eq(settings.isPublic, true), inArray(settings.key, [...siteKeys])))
      .orderBy(asc(settings.key))
      .all();
    return Object.fromEntries(rows.filter(({ key }) => !looksSecret(key)).map(({ key, value }) => [key, value]));
  });

/** Returns the language of everything that visitors and subscribers read. */
export const readLanguage = (db: Db): Promise<Language> =>
  db.read(async (orm) => languageOf((await find(orm, languageKey))?.value));

/** Returns the words of the welcome email. */
export const readWelcome = (db: Db): Promise<WelcomeWords> =>
  db.read(async (orm) =>
    welcomeWordsOf(
      await orm
        .select()
        .from(settings)
        .where(inArray(settings.key, Object.values(welcomeKeys)))
        .all(),
    ),
  );

/** Returns every setting, for managers. */
export const all = (db: Db) => db.read((orm) => orm.select().from(settings).orderBy(asc(settings.key)).all());

export type Change = {
  /** Ignored for the keys of the contract. If absent, the setting stays as it is. */
  isPublic?: boolean | undefined;
  /** Who makes the change: a manager's address, or "cli". */
  by: string;
  /** The version that was shown; 0 for none. If absent, the setting is overwritten unconditionally. */
  expectedVersion?: number | undefined;
};

type Saved =
  | { outcome: "saved"; setting: Setting }
  /** Someone else saved first; nothing was changed. `theirs` is undefined if they removed it. */
  | { outcome: "conflict"; mine: string; theirs: Setting | undefined }
  | { outcome: "refused"; reason: Refusal | "limit" | "choice" };
type Refusal = "secret" | "malformed";

/** Whether the value is valid for this setting. An empty one means the default. */
export function isValidValue(key: string, value: string): boolean {
  if (!value) return true;
  if (isHourlyLimit(key)) return parseHourlyLimit(value) !== undefined;
  return value.length <= maxLengthOf(key) && (choices[key]?.includes(value) ?? true);
}

/** The values of settings that have only so many. */
export const choices: Record<string, readonly string[]> = {
  doubleOptIn: ["true", "false"],
  [languageKey]: languages,
  [welcomeKeys.links]: welcomeLinks,
};

/** Characters that a value may have. */
export function maxLengthOf(key: string): number {
  if (key === welcomeKeys.subject) return maxWelcome.subject;
  return key === welcomeKeys.text ? maxWelcome.text : 2_000;
}

/** Returns why no setting may have this key; undefined if it is allowed. */
export function refusalOf(key: string): Refusal | undefined {
  if (looksSecret(key)) return "secret";
  return /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(key) ? undefined : "malformed";
}

/** Saves a setting. A name that looks like a secret is rejected: secrets belong in the environment (D27). */
export const set = (db: Db, key: string, value: string, change: Change, now: Date) =>
  db.write(async (orm): Promise<Saved> => {
    const reason = refusalOf(key) ?? (isValidValue(key, value) ? undefined : isHourlyLimit(key) ? "limit" : "choice");
    if (reason) return { outcome: "refused", reason };

    const { by, expectedVersion } = change;
    const current = await find(orm, key);
    if (expectedVersion !== undefined && expectedVersion !== (current?.version ?? 0) && current?.value !== value)
      return { outcome: "conflict", mine: value, theirs: current };

    const isPublic = !isInternal(key) && (siteKeys.has(key) || (change.isPublic ?? current?.isPublic ?? false));
    const version = (current?.version ?? 0) + 1;
    const row = { value, isPublic, version, updatedBy: by, updatedAt: now };
    const setting = await orm
      .insert(settings)
      .values({ key, ...row })
      .onConflictDoUpdate({ target: settings.key, set: row })
      .returning()
      .get();
    return { outcome: "saved", setting };
  });

/** Returns the removed setting; undefined if there was none. */
export const remove = (db: Db, key: string) =>
  db.write((orm): Promise<Setting | undefined> => orm.delete(settings).where(eq(settings.key, key)).returning().get());

const find = (orm: Orm, key: string) => orm.select().from(settings).where(eq(settings.key, key)).get();
