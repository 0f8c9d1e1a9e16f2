import { asc, eq } from "drizzle-orm";
import { type Db, type Orm, prepared } from "../engine/open";
import { managers } from "../schema/access";
import { settingValue } from "../setting-value";

type Needs = { config: { OWNER_EMAIL?: string | undefined }; db: Db };

/** Returns the recipient of the owner's notifications, who also answers replies. Undefined if there is none. */
export const ownerEmail = async ({ config, db }: Needs): Promise<string | undefined> =>
  config.OWNER_EMAIL ?? db.read(ownerAddress);

/**
 * Returns the recipient of the owner's notifications if OWNER_EMAIL is not set: the setting `email`, or the address of
 * the first manager who is an owner. Undefined if there is neither.
 */
export async function ownerAddress(orm: Orm): Promise<string | undefined> {
  const email = await settingValue(orm, "email");
  if (email?.includes("@")) return email.trim();
  return (await firstOwner(orm).all())[0]?.email;
}

// Asked with every email
const firstOwner = prepared((orm) =>
  orm
    .select({ email: managers.email })
    .from(managers)
    .where(eq(managers.role, "owner"))
    .orderBy(asc(managers.createdAt), asc(managers.id))
    .limit(1)
    .prepare(),
);
