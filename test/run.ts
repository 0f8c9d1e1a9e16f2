/**
 * `npm test`: every test there is, beside the code and in test/. Ends with a line of its own, "N passed, N failed", and
 * fails when a test does, or when a run stopped before its own summary. Browsers mostly wait, so their tests run beside
 * all others where there are processors for both; what measures how fast a page is comes last, alone.
 */
import { Glob } from "bun";
import { availableParallelism } from "node:os";
import { ensureBrowser } from "./support/browser";

type Run = { report: string; status: number };

const chosen = Bun.argv.slice(2);
const needsBrowser = chosen.length === 0 || chosen.some((path) => path.startsWith("test"));
const CHROMIUM_PATH = needsBrowser ? await ensureBrowser(console.log) : "";

const root = `${import.meta.dir}/..`;
/** Milliseconds a test may take that names no time of its own: enough for a busy machine with slow disks. */
const patience = "--timeout=30000";

const runs = chosen.length ? [await run(chosen, process.stdout)] : await runAll();
const isComplete = runs.every(({ report }) => /^Ran \d+ tests? across \d+ files?/m.test(report));
const sum = (verdict: "pass" | "fail") => runs.reduce((total, { report }) => total + count(report, verdict), 0);
const [passed, failed] = [sum("pass"), sum("fail")];
const isGood = runs.every(({ status }) => status === 0) && isComplete && failed === 0 && passed > 0;

if (!isComplete) console.log("\nA run stopped before its end: a test ended the process.");
console.log(`\n${passed} passed, ${isGood ? 0 : Math.max(1, failed)} failed`);
process.exitCode = isGood ? 0 : 1;

async function runAll(): Promise<Run[]> {
  const files = [...new Glob("{src,db,views,test}/**/*.test.{ts,tsx}").scanSync(root)]
    .sort()
    .map((file) => `./${file}`);
  const last = "./test/e2e/browser/measures.test.ts";
  const browser = files.filter((file) => file.startsWith("./test/e2e/browser/") && file !== last);
  const others = files.filter((file) => !file.startsWith("./test/e2e/browser/"));
  const beside = availableParallelism() > 2 ? run(browser) : undefined;
  const first = await run(others, process.stdout);
  const second = await (beside ?? run(browser));
  process.stdout.write(second.report);
  return [first, second, await run([last], process.stdout)];
}

/** Runs these tests, and passes on what they print as it comes. */
async function run(files: string[], output?: { write(text: Uint8Array): unknown }): Promise<Run> {
  const child = Bun.spawn([process.execPath, "test", patience, ...files], {
    cwd: root,
    env: { ...process.env, CHROMIUM_PATH, NO_COLOR: "1" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [printed, report] = await Promise.all([shown(child.stdout, output), shown(child.stderr, output)]);
  return { report: output ? report : printed + report, status: await child.exited };
}

/** How many tests ended so, by the run's summary; by its lines when it has none. */
function count(report: string, verdict: "pass" | "fail"): number {
  const summary = new RegExp(`^ *(\\d+) ${verdict}$`, "m").exec(report);
  return summary ? Number(summary[1]) : (report.match(new RegExp(`^\\(${verdict}\\)`, "gm"))?.length ?? 0);
}

async function shown(stream: ReadableStream<Uint8Array>, output?: { write(text: Uint8Array): unknown }) {
  const decoder = new TextDecoder();
  let all = "";
  for await (const chunk of stream) {
    output?.write(chunk);
    all += decoder.decode(chunk, { stream: true });
  }
  return all;
}
