import { eq, inArray } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import * as outbox from "../mail/outbox";
import { settings } from "../schema/settings";
import { isInternal } from "./key-rules";
import { isValidValue, refusalOf } from "./value-rules";
import type { Setting } from "./settings";

/** A new value for a setting, and the stamp of the state the manager was looking at. An empty value removes it. */
export type SettingChange = { key: string; value: string; stamp: string };
/** Someone else saved first. `theirs` is undefined if they removed it. */
export type Conflict = { key: string; mine: string; theirs: Setting | undefined };
type Outcome = { changed: string[]; conflicts?: undefined } | { conflicts: Conflict[]; changed?: undefined };

/**
 * Identifies a state of a setting. One that was removed and added again has a new stamp, even though its version is 1
 * again.
 */
export const stampOf = (setting: Pick<Setting, "version" | "updatedAt"> | undefined): string =>
  setting ? `${setting.version}-${setting.updatedAt.getTime()}` : "none";

/**
 * Saves all changes, or none if one of them conflicts with what someone else saved in the meantime. A value that is
 * already stored is no change, whoever wrote it.
 *
 * @throws for an invalid key or value: call `refusalOf` and `isValidValue` first
 */
export const save = (db: Db, wanted: SettingChange[], by: audit.Actor, now: Date) =>
  db.write(async (orm): Promise<Outcome> => {
    if (wanted.some(({ key, value }) => refusalOf(key) || !isValidValue(key, value)))
      throw new Error("No setting may have this key or value");
    const keys = wanted.map(({ key }) => key);
    const rows = await orm.select().from(settings).where(inArray(settings.key, keys)).all();
    const current = new Map(rows.map((row) => [row.key, row]));

    const changes = wanted.filter(({ key, value }) => (current.get(key)?.value ?? "") !== value);
    const stale = changes.filter(({ key, stamp }) => stampOf(current.get(key)) !== stamp);
    if (stale.length)
      return { conflicts: stale.map(({ key, value }) => ({ key, mine: value, theirs: current.get(key) })) };

    for (const change of changes) await write(orm, change, current.get(change.key), by, now);
    return { changed: changes.map(({ key }) => key) };
  });

async function write(
  orm: Orm,
  { key, value }: SettingChange,
  before: Setting | undefined,
  by: audit.Actor,
  now: Date,
): Promise<void> {
  const row = { value, version: (before?.version ?? 0) + 1, updatedBy: by.actor, updatedAt: now };
  if (!value) await orm.delete(settings).where(eq(settings.key, key)).run();
  else
    await orm
      .insert(settings)
      .values({ key, isPublic: !isInternal(key), ...row })
      .onConflictDoUpdate({ target: settings.key, set: row })
      .run();
  const details = { ...(before && { from: truncated(before.value) }), ...(value && { to: truncated(value) }) };
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
