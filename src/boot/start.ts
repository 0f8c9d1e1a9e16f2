import { existsSync } from "node:fs";
import { join } from "node:path";
import { programFile } from "./compile";

/**
 * `src/cli.ts`, compiled: finding, reading and parsing its 1,400 modules is most of what a start takes (benchmark B6). The
 * first start after a change compiles, in a process of its own, whose memory is then free again. Where that cannot be,
 * in a folder that may not be written, the sources run.
 */
const program = programFile();
if (!existsSync(program))
  Bun.spawnSync([process.execPath, join(import.meta.dir, "compile.ts")], {
    cwd: join(import.meta.dir, "../.."),
    stdio: ["ignore", "ignore", "ignore"],
  });
await import(existsSync(program) ? program : "../cli");
