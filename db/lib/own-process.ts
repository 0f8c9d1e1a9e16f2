import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const root = join(import.meta.dir, "../..");

/**
 * Returns the command line that runs a module of this program in a process of its own. An executable cannot run a file
 * of its own: it has a command for it (src/cli/run.ts).
 *
 * @param module its path from the root, as src/cli/run.ts lists it
 */
export const commandOf = (module: string, ...args: string[]): string[] =>
  Bun.isStandaloneExecutable
    ? [process.execPath, "internal", module, ...args]
    : [process.execPath, "--no-env-file", join(root, module), ...args];

/**
 * Loads a package that no executable contains, because it is a library of the system's kind. An executable looks for it
 * in `node_modules` beside itself.
 */
export function loadPackage<T>(name: string): T {
  const load = createRequire(import.meta.path);
  return load(Bun.isStandaloneExecutable ? join(dirname(process.execPath), "node_modules", name) : name);
}
