import { existsSync } from "node:fs";
import { join } from "node:path";
import { programFile } from "./compile";

/**
 * Runs `src/cli.ts`, compiled: finding, reading and parsing its 900 modules is most of the start-up time (benchmark
 * B6). The first start after a change compiles it, in a separate process so that its memory is freed. If that is not
 * possible, as in a read-only folder, the sources are run. Both are said on stderr: the first may take half a minute,
 * the second makes every start slow, and stdout belongs to the command.
 */
const program = programFile();
if (!existsSync(program)) {
  process.stderr.write(
    "Compiling Postroom, once after each update: a few seconds, or half a minute on a slow machine …\n",
  );
  const { stderr } = Bun.spawnSync([process.execPath, join(import.meta.dir, "compile.ts")], {
    cwd: join(import.meta.dir, "../.."),
    stdio: ["ignore", "ignore", "pipe"],
  });
  if (!existsSync(program))
    process.stderr.write(`It could not be compiled, so it starts slowly: ${reasonIn(stderr)}\n`);
}
await import(existsSync(program) ? program : "../cli");

/** Returns the line of Bun's output that names the error. */
function reasonIn(stderr: Buffer): string {
  const lines = stderr.toString().split("\n");
  return (lines.find((line) => /\berror\b|^E[A-Z]+:/i.test(line)) ?? lines[0] ?? "").trim().slice(0, 300);
}
