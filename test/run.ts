/**
 * `npm test`: every test there is, beside the code and in test/. Ends with a line of its own, "N passed, N failed", and
 * fails when a test does, or when the run stopped before its own summary.
 */
import { ensureBrowser } from "./browser";

const chosen = Bun.argv.slice(2);
const needsBrowser = chosen.length === 0 || chosen.some((path) => path.startsWith("test"));
const CHROMIUM_PATH = needsBrowser ? await ensureBrowser(console.log) : "";

const run = Bun.spawn([process.execPath, "test", ...chosen], {
  cwd: `${import.meta.dir}/..`,
  env: { ...process.env, CHROMIUM_PATH, NO_COLOR: "1" },
  stdout: "pipe",
  stderr: "pipe",
});
const [, report] = await Promise.all([shown(run.stdout), shown(run.stderr)]);
const status = await run.exited;

const figure = (pattern: RegExp) => Number(pattern.exec(report)?.[1] ?? Number.NaN);
const isComplete = /^Ran \d+ tests? across \d+ files?/m.test(report);
const passed = figure(/^ *(\d+) pass$/m) || report.match(/^\(pass\)/gm)?.length || 0;
const failed = figure(/^ *(\d+) fail$/m) || report.match(/^\(fail\)/gm)?.length || 0;
const isGood = status === 0 && isComplete && failed === 0 && passed > 0;

if (!isComplete) console.log("\nThe run stopped before its end: a test ended the process.");
console.log(`\n${passed} passed, ${isGood ? 0 : Math.max(1, failed)} failed`);
process.exitCode = isGood ? 0 : 1;

/** Passes everything on as it comes, all to stdout so that the last line is the last, and returns it. */
async function shown(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let all = "";
  for await (const chunk of stream) {
    process.stdout.write(chunk);
    all += decoder.decode(chunk, { stream: true });
  }
  return all;
}
