import { createHash } from "node:crypto";
import { checkUnused } from "./checks";
import type { Source, Target } from "./sides";
import { copiedTables, type Row } from "./tables";

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
