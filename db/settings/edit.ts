import { eq, inArray } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import * as outbox from "../mail/outbox";
import { settings } from "../schema/settings";
import { isReadable, type Problem, problemOf } from "./rules";
import type { Setting } from "./settings";

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
