import { run } from "./cli/run";

process.umask(0o077); // what this program writes is for its user alone
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error; // whoever read has enough, as `head` does: the work goes on
});
// No `await`: a compiled program (compile.ts) cannot have one here.
void run(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
