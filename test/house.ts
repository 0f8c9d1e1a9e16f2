/**
 * `npm run house [folder] [--where]`: what of the sources can be counted, each with its target; with `--where`, the
 * places too. `test/house.test.ts` holds the rows that are to hold for ever.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rowsOf } from "./house/rows";

const options = { where: { type: "boolean" } } as const;
const { values, positionals } = parseArgs({ args: Bun.argv.slice(2), options, allowPositionals: true });
const rows = await rowsOf(positionals[0] ?? join(import.meta.dir, ".."));

for (const { what, target, seen, places } of rows) {
  const verdict = seen <= target ? "met" : "missed";
  console.log([what.padEnd(44), String(seen).padStart(6), `≤ ${target}`.padStart(8), verdict].join("  "));
  if (values.where) for (const place of places) console.log(`  ${place}`);
}
