import { createHash } from "node:crypto";
import { maxSilenceMs } from "../leases";
import type { Compatibility } from "../migrate";
import { copiedTables, type Row, type Side, type Source, type Target } from "./tables";

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
  const compatibility = await target.compatibility();
  if (compatibility === "none") return;
  if (compatibility !== "same")
    throw new Error("The target is not empty: it has the tables of another version of Postroom.");
  await checkUnused(target, "target");
}

/** @throws while a service uses the database: what it writes after the copy has begun would be lost */
async function checkUnused(database: Side, name: "source" | "target"): Promise<void> {
  if (await database.isInUse())
    throw new Error(
      `A server is using the ${name}. Stop it first. If it was killed, wait ${maxSilenceMs / 1_000} seconds.`,
    );
}

type Copied = { table: string; rows: number; sha256: string };

/**
 * Copies every table into an empty database and verifies the result: the number of rows of each table, and a hash over
 * all columns in the order of the key.
 *
 * @param copied is called after each table
 * @throws if the target has rows, or the result differs: then the target is empty
 */
export async function copyDatabase(source: Source, target: Target, copied: (table: Copied) => void): Promise<void> {
  const tables = await copiedTables();
  const filled = await target.filledTable(tables);
  if (filled) throw new Error(`The target is not empty: it has rows in the table ${filled}.`);
  await source.begin();
  await target.prepare(tables);
  for (const table of tables) {
    const sent = fingerprint();
    for await (const batch of source.rows(table)) {
      const rows = batch.map(sayable);
      sent.add(rows);
      await target.insert(table, rows);
    }
    const arrived = fingerprint();
    for await (const rows of target.rows(table)) arrived.add(rows);
    const [before, after] = [sent.result(), arrived.result()];
    if (before.rows !== after.rows || before.sha256 !== after.sha256)
      throw new Error(`The table ${table.name} has arrived differently. The target is left empty.`);
    copied({ table: table.name, ...after });
  }
  await checkUnused(source, "source"); // it may have been started during the copy
  await target.finish();
}

/** PostgreSQL has no NUL in texts: replaces it as the engine would. */
const sayable = (row: Row): Row =>
  row.map((value) => (typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value));

function fingerprint() {
  const hash = createHash("sha256");
  let count = 0;
  return {
    add(rows: Row[]): void {
      count += rows.length;
      for (const row of rows) hash.update(`${JSON.stringify(row.map(comparable))}\n`);
    },
    result: () => ({ rows: count, sha256: hash.digest("hex") }),
  };
}

const comparable = (value: Row[number]) =>
  value instanceof Uint8Array ? { bytes: Buffer.from(value).toString("base64") } : value;
