import { asc, eq } from "drizzle-orm";
import type { Orm } from "../engine/open";
import { managers } from "../schema/access";
import { settings } from "../schema/settings";

/**
 * Where messages for the owner go when OWNER_EMAIL is not set: the setting `email`, else the address of the first owner
 * among the managers. Undefined when there is neither.
 */
export function ownerAddress(orm: Orm): string | undefined {
  const setting = orm.select({ email: settings.value }).from(settings).where(eq(settings.key, "email")).get();
  if (setting?.email.includes("@")) return setting.email.trim();
  return orm
    .select({ email: managers.email })
    .from(managers)
    .where(eq(managers.role, "owner"))
    .orderBy(asc(managers.createdAt), asc(managers.id))
    .get()?.email;
}
