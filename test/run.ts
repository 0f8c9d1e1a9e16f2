/** `npm test`: all tests, beside the code and in test/, except those that need PostgreSQL (`npm run test:postgres`). */
import { Glob } from "bun";
import { runTests } from "./support/run-tests";

const root = `${import.meta.dir}/..`;
const files = [...new Glob("{src,db,views,test}/**/*.test.{ts,tsx}").scanSync(root)]
  .filter((file) => !file.startsWith("test/postgres/"))
  .sort();

process.exitCode = (await runTests({ files, given: Bun.argv.slice(2) })) ? 0 : 1;
