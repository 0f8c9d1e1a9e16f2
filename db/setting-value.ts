import { eq, type SQL, sql } from "drizzle-orm";
import { forUpdate } from "./engine/dialects";
import { type Orm, prepared } from "./engine/open";
import { settings } from "./schema/settings";

const valueWhere = (condition: SQL) =>
  prepared((orm) => orm.select({ value: settings.value }).from(settings).where(condition).prepare());

const isKey = eq(settings.key, sql.placeholder("key"));
const find = valueWhere(isKey);
const findAndLock = valueWhere(forUpdate(isKey));

/** Returns the value of a setting; undefined if it is not set. */
export const settingValue = async (orm: Orm, key: string): Promise<string | undefined> =>
  (await find(orm).get({ key }))?.value;

/** The same, under a lock until the transaction ends, if it is set. */
export const lockedSettingValue = async (orm: Orm, key: string): Promise<string | undefined> =>
  (await findAndLock(orm).get({ key }))?.value;
