import type { Compatibility } from "../compatibility";
import type { Source, Target } from "./copy";

const remedies: Record<Compatibility, string | undefined> = {
  none: "is not a Postroom database.",
  older: "is of an older version of Postroom. Start this version on it once, and copy it then.",
  newer: "was written by a newer version of Postroom. Use that version to copy it.",
  same: undefined,
};

/** @throws unless the database has exactly the tables and columns of this program: others would be lost silently */
export async function checkSource(source: Source): Promise<void> {
  const remedy = remedies[await source.compatibility()];
  if (remedy) throw new Error(`The source ${remedy}`);
}

/** @throws if the database has tables of another version, even empty ones: this one would migrate them */
export async function checkTarget(target: Target): Promise<void> {
  if (!["none", "same"].includes(await target.compatibility()))
    throw new Error("The target is not empty: it has the tables of another version of Postroom.");
}
