type Program = { run(args: string[]): Promise<void> | void };

/** What runs in a process of its own, by its path from the root. */
const programs = new Map<string, () => Promise<Program>>([
  ["db/ops/integrity.ts", () => import("../../db/ops/integrity")],
  ["db/ops/scrub.ts", () => import("../../db/ops/scrub")],
  ["src/backups/run.ts", () => import("../backups/run")],
  ["src/storage/pictures/child.ts", () => import("../storage/pictures/child")],
]);

/**
 * Runs one of the program's own processes. An executable does it this way, because it cannot run a file of its own. It
 * is not a command for people, so the usage does not name it. Returns the exit code.
 */
export async function runInternal([module = "", ...args]: string[]): Promise<number> {
  const program = await programs.get(module)?.();
  if (!program) return 2;
  await program.run(args);
  return Number(process.exitCode ?? 0);
}
