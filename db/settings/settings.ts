import { asc, eq, inArray, or } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { settings } from "../schema/settings";
import { isHourlyLimit } from "../hourly-limits";
import { type Language, languageOf } from "./languages";
import { looksSecret } from "./secret-names";
import { welcomeKeys, type WelcomeWords, welcomeWordsOf } from "./welcome";
import { isInternal, languageKey, postalAddressKey, siteKeys } from "./key-rules";
import { isValidValue, type Refusal, refusalOf } from "./value-rules";

export type Setting = typeof settings.$inferSelect;

/**
 * Returns what the API shows: settings marked as public, but never one that looks like a secret, however it got there
 * (D27).
 */
export const readPublic = (db: Db): Promise<Record<string, string>> => valuesOf(db, [...siteKeys]);

/**
 * Returns what emails to subscribers may contain: the public settings, and the postal address even if it is not public
 * (P251).
 */
export const readForEmails = (db: Db): Promise<Record<string, string>> => valuesOf(db, [...siteKeys, postalAddressKey]);

/** Returns the public settings, and those with these keys. */
const valuesOf = (db: Db, keys: string[]): Promise<Record<string, string>> =>
  db.read(async (orm) => {
    const rows = await orm
      .select({ key: settings.key, value: settings.value })
      .from(settings)
      .where(or(eq(settings.isPublic, true), inArray(settings.key, keys)))
      .orderBy(asc(settings.key))
      .all();
    return Object.fromEntries(rows.filter(({ key }) => !looksSecret(key)).map(({ key, value }) => [key, value]));
  });

/** Returns the language that visitors and subscribers read. */
export const readLanguage = (db: Db): Promise<Language> =>
  db.read(async (orm) => languageOf((await find(orm, languageKey))?.value));

/** Returns the texts of the welcome email. */
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
