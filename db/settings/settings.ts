import { asc, eq, inArray, or } from "drizzle-orm";
import * as audit from "../audit";
import type { Db, Orm } from "../engine/open";
import * as outbox from "../mail/outbox";
import { settings, timeZoneKey } from "../schema/settings";
import {
  brandKeys,
  isReadable,
  type Language,
  languageKey,
  languageOf,
  looksSecret,
  postalAddressKey,
  type Problem,
  problemOf,
  siteKeys,
  welcomeKeys,
  type WelcomeWords,
  welcomeWordsOf,
} from "./rules";

export type Setting = typeof settings.$inferSelect;

/* Nothing of them is kept in memory here; what is made of them and kept ends with the topic (db/engine/versions.ts). */

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

/** A new value for a setting. An empty value removes it. */
export type SettingChange = {
  key: string;
  value: string;
  /** The state the manager was looking at. If absent, the setting is overwritten whatever it is. */
  stamp?: string;
  /** Whether API keys can read a custom key. If absent, it stays as it is; a new one is not public (D27). */
  isPublic?: boolean;
};
/** Someone else saved first. `theirs` is undefined if they removed it. */
export type Conflict = { key: string; mine: string; theirs: Setting | undefined };
type Outcome = { changed: string[]; conflicts?: undefined } | { conflicts: Conflict[]; changed?: undefined };
type Change = SettingChange & { before: Setting | undefined };

/**
 * Identifies a state of a setting. One that was removed and added again has a new stamp, even though its version is 1
 * again.
 */
export const stampOf = (setting: Pick<Setting, "version" | "updatedAt"> | undefined): string =>
  setting ? `${setting.version}-${setting.updatedAt.getTime()}` : "none";

/**
 * Saves all changes, or none if one of them conflicts with what someone else saved in the meantime. What is already
 * stored is no change, whoever wrote it. This is the only writer of settings: each change is in the audit log.
 *
 * @throws for an invalid key or value: call `problemOf` first
 */
export const save = (db: Db, wanted: SettingChange[], by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<Outcome> => {
    for (const { key, value } of wanted) refuse(problemOf(key, value));
    const keys = wanted.map(({ key }) => key);
    const rows = await orm.select().from(settings).where(inArray(settings.key, keys)).all();
    const current = new Map(rows.map((row) => [row.key, row]));

    const changes = wanted.map((change) => ({ ...change, before: current.get(change.key) })).filter(isChange);
    const stale = changes.filter(({ stamp, before }) => stamp !== undefined && stampOf(before) !== stamp);
    if (stale.length)
      return { conflicts: stale.map(({ key, value, before }) => ({ key, mine: value, theirs: before })) };

    for (const change of changes) await write(orm, change, by, now);
    return { changed: changes.map(({ key }) => key) };
  });

function refuse(problem: Problem | undefined): void {
  if (problem) throw new Error(`No setting may have this key or value: ${problem}`);
}

const isPublicAfter = ({ key, isPublic, before }: Change) => isReadable(key, isPublic ?? before?.isPublic ?? false);

function isChange(change: Change): boolean {
  const { value, isPublic, before } = change;
  if (value !== (before?.value ?? "")) return true;
  return isPublic !== undefined && before !== undefined && before.isPublic !== isPublicAfter(change);
}

async function write(orm: Orm, change: Change, by: audit.Actor, now: Date): Promise<void> {
  const { key, value, before } = change;
  const isPublic = isPublicAfter(change);
  const row = { value, isPublic, version: (before?.version ?? 0) + 1, updatedBy: by.actor, updatedAt: now };
  if (!value) await orm.delete(settings).where(eq(settings.key, key)).run();
  else
    await orm
      .insert(settings)
      .values({ key, ...row })
      .onConflictDoUpdate({ target: settings.key, set: row })
      .run();
  const details = {
    ...(before && { from: truncated(before.value) }),
    ...(value && { to: truncated(value) }),
    ...(before && value && before.isPublic !== isPublic && { public: isPublic ? "yes" : "no" }),
  };
  const action = value ? "setting.change" : "setting.remove";
  await audit.record(orm, { ...by, action, targetId: key, target: key, details }, now);
}

const truncated = (value: string) => (value.length > 200 ? `${value.slice(0, 200)}…` : value);

/** Queues a test email. */
export const requestTestMail = (db: Db, recipient: string, by: audit.Actor, now: Date) =>
  db.write(async (orm) => {
    await outbox.enqueue(orm, { kind: "test", recipient, payload: {} }, now);
    await audit.record(orm, { ...by, action: "mail.test", target: recipient }, now);
  });
