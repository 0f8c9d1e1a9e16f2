import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Figure, printTable } from "./figures";

/**
 * Runs the program test/<kind>/<name>.ts, or all of that kind, one after the other. Each prints its own figures; all of
 * them are printed as one table at the end, and written to <kind>.json.
 */
export function runPrograms(kind: string, [name, ...rest]: string[]): void {
  const folder = `${import.meta.dir}/../${kind}`;
  const names = existsSync(folder) ? readdirSync(folder).filter(isProgram).map(nameOf) : [];
  if (name !== undefined && !names.includes(name)) {
    console.error(`There is no ${kind} "${name}". There is: ${names.join(", ")}`);
    process.exit(2);
  }
  const kept = join(tmpdir(), `postroom-figures-${process.pid}`);
  writeFileSync(kept, "");
  for (const each of name === undefined ? names : [name]) {
    console.log(`\n── ${each}`);
    const { success } = Bun.spawnSync([process.execPath, `${folder}/${each}.ts`, ...rest], {
      env: { ...Bun.env, FIGURES: kept },
      stdio: ["ignore", "inherit", "inherit"],
    });
    if (!success) process.exitCode = 1;
  }
  const figures = readFileSync(kept, "utf8")
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Figure);
  rmSync(kept);
  if (name === undefined) {
    console.log(`\n── all of ${kind}`);
    printTable(figures);
  }
  writeFileSync(`${kind}.json`, `${JSON.stringify({ at: new Date().toISOString(), figures }, null, 2)}\n`);
}

const isProgram = (file: string) => /^[a-z-]+\.ts$/.test(file);
const nameOf = (file: string) => file.replace(".ts", "");
