import { existsSync, readdirSync } from "node:fs";

/** Runs the program test/<kind>/<name>.ts, or all of that kind, one after the other. Each prints its own figures. */
export function runPrograms(kind: string, [name, ...rest]: string[]): void {
  const folder = `${import.meta.dir}/${kind}`;
  const names = existsSync(folder) ? readdirSync(folder).filter(isProgram).map(nameOf) : [];
  if (name !== undefined && !names.includes(name)) {
    console.error(`There is no ${kind} "${name}". There is: ${names.join(", ")}`);
    process.exit(2);
  }
  for (const each of name === undefined ? names : [name]) {
    console.log(`\n── ${each}`);
    const { success } = Bun.spawnSync([process.execPath, `${folder}/${each}.ts`, ...rest], {
      stdio: ["ignore", "inherit", "inherit"],
    });
    if (!success) process.exitCode = 1;
  }
}

const isProgram = (file: string) => /^[a-z-]+\.ts$/.test(file);
const nameOf = (file: string) => file.replace(".ts", "");
