import { run } from "./cli/run";

process.umask(0o077); // what this program writes is for its user alone
process.exitCode = await run(process.argv.slice(2));
