import type { Db } from "../../db/engine/open";
import { save } from "../../db/settings/settings";

type By = { by: string; isPublic?: boolean };

/** Sets one setting, whatever it is. @throws if its key or value is invalid */
export const set = (db: Db, key: string, value: string, { by: actor, ...how }: By, now: Date) =>
  save(db, [{ key, value, ...how }], { actor }, now);
