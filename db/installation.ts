import { eq } from "drizzle-orm";
import type { Orm } from "./engine/open";
import { installation } from "./schema/installation";

/** `secretFingerprint`: tells whether all processes have the same APP_SECRET, and nothing about it. */
type Name = "secretFingerprint";

/** Returns the installation's value of this name, which is `initial` the first time. */
export async function installationValue(orm: Orm, name: Name, initial: string): Promise<string> {
  await orm.insert(installation).values({ name, value: initial }).onConflictDoNothing().run();
  return (await orm.select().from(installation).where(eq(installation.name, name)).get())?.value ?? initial;
}

export const setInstallationValue = async (orm: Orm, name: Name, value: string): Promise<void> =>
  void (await orm.update(installation).set({ value }).where(eq(installation.name, name)).run());
