import { sql } from "drizzle-orm";
import * as audit from "./audit";
import type { Db, Orm } from "./engine/open";
import { setInstallationValue, valueOf } from "./installation";
import { versions } from "./schema/versions";

/* Variables of the environment that owners have set in the dashboard instead. */

/** A value, encrypted by src/security/variables.ts, and who set it when, in milliseconds. */
type StoredVariable = { sealed: string; by: string; at: number };
type StoredVariables = Partial<Record<string, StoredVariable>>;

const read = async (orm: Orm): Promise<StoredVariables> => JSON.parse((await valueOf(orm, "variables")) ?? "{}");

export const storedVariables = (db: Db): Promise<StoredVariables> => db.read(read);

/** Sets a variable, or removes it. Everything that processes remember of settings and pages is read again. */
export const setVariable = (
  db: Db,
  { name, sealed }: { name: string; sealed: string | undefined },
  by: audit.Actor,
  now: Date,
): Promise<void> =>
  db.write(async (orm) => {
    const { [name]: _before, ...others } = await read(orm);
    const own = sealed !== undefined && { [name]: { sealed, by: by.actor, at: now.getTime() } };
    await setInstallationValue(orm, "variables", JSON.stringify({ ...others, ...own }));
    await orm
      .update(versions)
      .set({ version: sql`${versions.version} + 1`, changedAt: now })
      .run();
    const action = sealed === undefined ? "variable.remove" : "variable.set";
    await audit.record(orm, { ...by, action, targetId: name, target: name }, now);
  });
