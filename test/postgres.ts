/**
 * `npm run test:postgres`: the same tests on PostgreSQL, and those that need PostgreSQL. The server is that of
 * TEST_DATABASE_URL, or one started from npm. `-- --times 10` runs them ten times, up to the first failure, and writes
 * the result of each whole run into docs/runs.md.
 */
import { Glob } from "bun";
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { makeTemplate } from "./support/postgres/databases";
import { startPostgres } from "./support/postgres/server";
import { sqliteOnly } from "./support/postgres/sqlite-only";
import { runTests } from "./support/run-tests";

const root = `${import.meta.dir}/..`;
const { times, given } = timesIn(Bun.argv.slice(2));
const chosen = given.filter((argument) => !argument.startsWith("-"));
const files = [...new Glob("{src,db,views,test}/**/*.test.{ts,tsx}").scanSync(root)]
  .filter((file) => !(file in sqliteOnly) && (!chosen.length || chosen.some((part) => file.includes(part))))
  .sort();

const server = await serverForTests();
if (server) {
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, async () => {
      await server.stop();
      process.exit(1);
    });
  try {
    await makeTemplate(server.url);
    const preload = `${import.meta.dir}/support/postgres/preload.ts`;
    for (let n = 1, isGood = true; n <= times && isGood; n++) {
      isGood = await runTests({
        files,
        given: given.filter((argument) => argument.startsWith("-")),
        preload,
        env: { TEST_DATABASE_URL: server.url },
      });
      process.exitCode = isGood ? 0 : 1;
      if (times === 1) continue;
      console.log(`Run ${n} of ${times}: ${isGood ? "good" : "failed"}.`);
      if (!chosen.length) recordRun(isGood);
    }
  } finally {
    await server.stop();
  }
}

/** Takes `--times N` or `--times=N` out of the arguments. */
function timesIn(all: string[]): { times: number; given: string[] } {
  const at = all.findIndex((argument) => /^--times(=|$)/.test(argument));
  if (at < 0) return { times: 1, given: all };
  const [, value = all[at + 1]] = all[at]?.split("=") ?? [];
  if (!/^[1-9]\d{0,2}$/.test(value ?? "")) throw new Error("--times needs a number of runs, 1 to 999.");
  return { times: Number(value), given: all.toSpliced(at, all[at]?.includes("=") ? 1 : 2) };
}

/** Adds a line to docs/runs.md: day, commit and result of a whole run. */
function recordRun(isGood: boolean): void {
  const page = `${root}/docs/runs.md`;
  const head = "# Whole runs\n\n## On PostgreSQL\n\nWritten by `npm run test:postgres -- --times N`.\n\n";
  if (!existsSync(page)) writeFileSync(page, head);
  const { stdout } = Bun.spawnSync(["git", "rev-parse", "--short", "HEAD"], { cwd: root });
  const day = new Date().toISOString().slice(0, 10);
  appendFileSync(page, `- ${day}, ${stdout.toString().trim()}: ${isGood ? "good" : "failed"}\n`);
}

async function serverForTests() {
  const url = process.env.TEST_DATABASE_URL;
  if (url) return { url, stop: async () => {} };
  try {
    return await startPostgres();
  } catch (error) {
    console.log(`PostgreSQL: skipped, because ${error instanceof Error ? error.message : error}`);
    process.exitCode = process.env.CI ? 1 : 0; // a machine that PostgreSQL does not support is not a failure, except in CI
    return;
  }
}
