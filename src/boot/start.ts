import { existsSync } from "node:fs";
import { join } from "node:path";
import { programFile } from "./compile";

/**
 * Runs `src/cli.ts`, compiled: finding, reading and parsing its 1,400 modules is most of the start-up time (benchmark
 * B6). The first start after a change compiles it, in a separate process so that its memory is freed. If that is not
 * possible, as in a read-only folder, the sources are run.
 */
const program = programFile();
if (!existsSync(program))
  Bun.spawnSync([process.execPath, join(import.meta.dir, "compile.ts")], {
    cwd: join(import.meta.dir, "../.."),
    stdio: ["ignore", "ignore", "ignore"],
  });
await import(existsSync(program) ? program : "../cli");
