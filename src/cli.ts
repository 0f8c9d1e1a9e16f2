import { run } from "./cli/run";

process.umask(0o077); // files written by this program are for its user only
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error; // the reader has enough, like `head`; the work continues
});
// No `await`: a compiled program (compile.ts) does not support one here.
void run(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
