/**
 * `npm run db:generate`: writes what db/schema has beyond the migrations into the next one of each engine, and the snapshot
 * of those of SQLite. After editing a migration by hand, `npm run db:snapshot` writes the snapshot again.
 */
import { parseArgs } from "node:util";
import { additionsTo } from "./additions";
import { allTables } from "./tables";

const args = Bun.argv.slice(2);
const { name = "tables" } = parseArgs({ args, options: { name: { type: "string" } }, strict: false }).values;
const names = [...new Bun.Glob("*.sql").scanSync(import.meta.dir)].sort();
const texts = await Promise.all(names.map((each) => Bun.file(`${import.meta.dir}/${each}`).text()));
const added = additionsTo(texts.join("\n"), await allTables());
const file = `${String(names.length).padStart(4, "0")}_${name}.sql`;
if (added.length) await Bun.write(`${import.meta.dir}/${file}`, `${added.join(";\n")};\n`);
console.log(added.length ? `Wrote db/migrations/postgres/${file}` : "Nothing to add on PostgreSQL");
for (const command of [
  ["drizzle-kit", "generate", ...args],
  ["bun", "db/ops/snapshot.ts"],
]) {
  const { exitCode } = Bun.spawnSync(command, { stdio: ["inherit", "inherit", "inherit"] });
  if (exitCode) process.exit(exitCode);
}
