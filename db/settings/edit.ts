import { eq, inArray } from "drizzle-orm";
import type { Db, Orm } from "../engine/open";
import * as audit from "../audit";
import * as outbox from "../mail/outbox";
import { settings } from "../schema/settings";
import { isInternal, mayBe, refusalOf, type Setting } from "./settings";

/** What a manager wants a setting to be, and which state of it he was looking at. An empty value removes it. */
export type Wish = { key: string; value: string; stamp: string };
/** Somebody else was quicker. `theirs` is undefined when they removed it. */
export type Clash = { key: string; mine: string; theirs: Setting | undefined };
export type Outcome = { changed: string[]; clashes?: undefined } | { clashes: Clash[]; changed?: undefined };

/** Names a state of a setting. One that was removed and made anew has another stamp, though its version is 1 again. */
export const stampOf = (setting: Pick<Setting, "version" | "updatedAt"> | undefined): string =>
  setting ? `${setting.version}-${setting.updatedAt.getTime()}` : "none";

/**
 * Saves all the wishes, or none of them when one clashes with what somebody else saved meanwhile. A value that is there
 * already is no change, whoever wrote it.
 *
 * @throws for a key or value that no setting may have: ask `refusalOf` first
 */
export const save = (db: Db, wishes: Wish[], by: audit.Actor, now: Date) =>
  db.write((orm): Outcome => {
    if (wishes.some(({ key, value }) => refusalOf(key) || !mayBe(key, value)))
      throw new Error("No setting may have this key or value");
    const keys = wishes.map(({ key }) => key);
    const rows = orm.select().from(settings).where(inArray(settings.key, keys)).all();
    const current = new Map(rows.map((row) => [row.key, row]));

    const changes = wishes.filter(({ key, value }) => (current.get(key)?.value ?? "") !== value);
    const clashing = changes.filter(({ key, stamp }) => stampOf(current.get(key)) !== stamp);
    if (clashing.length)
      return { clashes: clashing.map(({ key, value }) => ({ key, mine: value, theirs: current.get(key) })) };

    for (const change of changes) write(orm, change, current.get(change.key), by, now);
    return { changed: changes.map(({ key }) => key) };
  });

function write(orm: Orm, { key, value }: Wish, before: Setting | undefined, by: audit.Actor, now: Date): void {
  const row = { value, version: (before?.version ?? 0) + 1, updatedBy: by.actor, updatedAt: now };
  if (!value) orm.delete(settings).where(eq(settings.key, key)).run();
  else
    orm
      .insert(settings)
      .values({ key, isPublic: !isInternal(key), ...row })
      .onConflictDoUpdate({ target: settings.key, set: row })
      .run();
  const details = { ...(before && { from: brief(before.value) }), ...(value && { to: brief(value) }) };
  const action = value ? "setting.change" : "setting.remove";
  audit.record(orm, { ...by, action, targetId: key, target: key, details }, now);
}

const brief = (value: string) => (value.length > 200 ? `${value.slice(0, 200)}…` : value);

/** Queues a mail that says that mail arrives. */
export const requestTestMail = (db: Db, recipient: string, by: audit.Actor, now: Date) =>
  db.write((orm) => {
    outbox.enqueue(orm, { kind: "test", recipient, payload: {} }, now);
    audit.record(orm, { ...by, action: "mail.test", target: recipient }, now);
  });
