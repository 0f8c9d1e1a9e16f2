import { inArray, isNotNull } from "drizzle-orm";
import * as apiKeys from "./access/keys/api-keys";
import type { Db, Orm } from "./engine/open";
import { managers, passkeys } from "./schema/access";
import { subscribers } from "./schema/newsletter";
import { isPublished, posts } from "./schema/posts";
import { settings } from "./schema/settings";

/**
 * Returns which of the first steps of a new service are done. Each is a fact in the database, not a record of the step.
 */
export const progress = (db: Db, now: Date) =>
  db.read(async (orm) => ({
    ...(await settingsOf(orm)),
    hasKey: await apiKeys.hasAny(orm),
    isSafe: await isSafe(orm),
    hasSubscriber: (await orm.select({ id: subscribers.id }).from(subscribers).limit(1).get()) !== undefined,
    hasPost: (await orm.select({ id: posts.id }).from(posts).limit(1).get()) !== undefined,
    isPublishing:
      (await orm.select({ id: posts.id }).from(posts).where(isPublished(now.getTime())).limit(1).get()) !== undefined,
  }));

async function settingsOf(orm: Orm) {
  const set = await orm
    .select({ key: settings.key, value: settings.value })
    .from(settings)
    .where(inArray(settings.key, ["siteTitle", "email"]))
    .all();
  const valueOf = (wanted: string) => set.find(({ key }) => key === wanted)?.value.trim();
  return { hasTitle: Boolean(valueOf("siteTitle")), hasOwnerEmail: Boolean(valueOf("email")?.includes("@")) };
}

/**
 * Whether one lost password locks no one out: there is a second manager, or someone has two-step verification or a
 * passkey.
 */
async function isSafe(orm: Orm): Promise<boolean> {
  if ((await orm.select({ id: managers.id }).from(managers).limit(2).all()).length > 1) return true;
  if (await orm.select({ id: passkeys.id }).from(passkeys).limit(1).get()) return true;
  return (
    (await orm.select({ id: managers.id }).from(managers).where(isNotNull(managers.totpSecret)).get()) !== undefined
  );
}
