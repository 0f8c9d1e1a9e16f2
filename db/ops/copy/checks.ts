import type { Compatibility } from "../compatibility";
import { maxSilenceMs } from "../leases";
import type { Side } from "./sides";

const remedies: Record<Compatibility, string | undefined> = {
  none: "is not a Postroom database.",
  older: "is of an older version of Postroom. Start this version on it once, and copy it then.",
  newer: "was written by a newer version of Postroom. Use that version to copy it.",
  same: undefined,
};

/** @throws unless the database has exactly the tables and columns of this program: others would be lost silently */
export async function checkSource(source: Side): Promise<void> {
  const remedy = remedies[await source.compatibility()];
  if (remedy) throw new Error(`The source ${remedy}`);
  await checkUnused(source, "source");
}

/** @throws if the database has tables of another version, even empty ones: this one would migrate them */
export async function checkTarget(target: Side): Promise<void> {
  const found = await target.compatibility();
  if (found === "none") return;
  if (found !== "same") throw new Error("The target is not empty: it has the tables of another version of Postroom.");
  await checkUnused(target, "target");
}

/** @throws while a service uses the database: what it writes after the copy has begun would be lost */
export async function checkUnused(database: Side, name: "source" | "target"): Promise<void> {
  if (await database.isInUse())
    throw new Error(
      `A server is using the ${name}. Stop it first. If it was killed, wait ${maxSilenceMs / 1_000} seconds.`,
    );
}
