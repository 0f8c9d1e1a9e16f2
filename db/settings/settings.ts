import { asc, eq, inArray, or } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import { settings, timeZoneKey } from "../schema/settings";
import {
  brandKeys,
  type Language,
  languageKey,
  languageOf,
  looksSecret,
  postalAddressKey,
  siteKeys,
  welcomeKeys,
  type WelcomeWords,
  welcomeWordsOf,
} from "./rules";

export type Setting = typeof settings.$inferSelect;

/**
 * Returns what the API shows: settings marked as public, but never one that looks like a secret, however it got there
 * (D27).
 */
export const readPublic = (db: Db): Promise<Record<string, string>> => valuesOf(db, [...siteKeys]);

/**
 * Returns what emails to subscribers may contain: the public settings, and the postal address even if it is not public.
 */
export const readForEmails = (db: Db): Promise<Record<string, string>> => valuesOf(db, [...siteKeys, postalAddressKey]);

/** Returns the site's time zone; undefined if none is set. */
export const readTimeZone = async (db: Db): Promise<string | undefined> =>
  (await valuesOf(db, [timeZoneKey]))[timeZoneKey] || undefined;

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

/** Returns whether replies to broadcasts are read; they are unless managers say otherwise. */
export const readsReplies = (db: Db): Promise<boolean> =>
  db.read(async (orm) => (await find(orm, brandKeys.replies))?.value !== "false");

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

const find = (orm: Orm, key: string) => orm.select().from(settings).where(eq(settings.key, key)).get();
