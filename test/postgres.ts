/**
 * `npm run test:postgres`: the same tests on PostgreSQL, and those that need PostgreSQL. The server is that of
 * TEST_DATABASE_URL, or one started from npm.
 */
import { Glob } from "bun";
import { makeTemplate } from "./support/postgres/databases";
import { startPostgres } from "./support/postgres/server";
import { sqliteOnly } from "./support/postgres/sqlite-only";
import { runTests } from "./support/run-tests";

const root = `${import.meta.dir}/..`;
const given = Bun.argv.slice(2);
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
    const isGood = await runTests({
      files,
      given: given.filter((argument) => argument.startsWith("-")),
      preload,
      env: { TEST_DATABASE_URL: server.url },
    });
    process.exitCode = isGood ? 0 : 1;
  } finally {
    await server.stop();
  }
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
