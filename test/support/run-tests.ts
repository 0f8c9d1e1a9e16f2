import { availableParallelism } from "node:os";
import { ensureBrowser } from "./browser";
import { timingsIn } from "./timings";
import { testTimeoutMs } from "./within";

const root = `${import.meta.dir}/../..`;

type Run = {
  /** paths from the root; all of them have to be run */
  files: string[];
  /** files to run, or options of `bun test`, that were given on the command line */
  given: string[];
  /** a module that is loaded before the tests */
  preload?: string;
  env?: Record<string, string>;
};

/**
 * Runs tests in one process more than there are processors, each with one browser for all of its pages. The last line
 * is "N passed, N failed". Fails if a test fails, a file was left out, or the run stopped before its own summary.
 */
export async function runTests({ files, given, preload, env = {} }: Run): Promise<boolean> {
  const chosen = given.filter((argument) => !argument.startsWith("-"));
  const needsBrowser = (chosen.length ? chosen : files).some((path) => path.startsWith("test"));
  const timings = timingsIn(root);
  const options = [
    // One more, because tests wait a lot; more than four would need too much memory for browsers
    `--parallel=${Math.min(4, availableParallelism() + 1)}`,
    "--no-isolate",
    `--timeout=${testTimeoutMs}`,
    `--timings=${timings.prepare()}`, // the slowest begin first
    "--update-timings",
    ...(preload ? [`--preload=${preload}`] : []),
  ];
  const CHROMIUM_PATH = needsBrowser ? await ensureBrowser(console.log) : "";
  const args = [...options, ...given, ...(chosen.length ? [] : files.map((file) => `./${file}`))];
  const { report, status } = await run(args, { CHROMIUM_PATH, ...env });

  const [, ran] = /^Ran \d+ tests? across (\d+) files?/m.exec(report) ?? [];
  const silent = chosen.length ? [] : files.filter((file) => !report.includes(`\n${file}:\n`));
  const isComplete = ran !== undefined && (chosen.length > 0 || Number(ran) === files.length) && !silent.length;
  const [passed, failed] = [count(report, "pass"), count(report, "fail")];
  const isGood = status === 0 && isComplete && failed === 0 && passed > 0;
  if (!isComplete) console.log("\nThe run stopped before its end: a test ended the process, or a file was left out.");
  if (ran && silent.length) console.log(`No test of ${silent.join(", ")} was run.`);
  const isOwnRun = isGood && !chosen.length && !preload && !process.env.CI;
  if (isOwnRun && timings.refresh(files)) console.log("\ntest/timings.json was out of date and has been written anew.");
  console.log(`\n${passed} passed, ${isGood ? 0 : Math.max(1, failed)} failed`);
  return isGood;
}

/** Runs these tests, and passes on what they print as it comes. */
async function run(args: string[], env: Record<string, string>): Promise<{ report: string; status: number }> {
  const child = Bun.spawn([process.execPath, "test", ...args], {
    cwd: root,
    env: { ...process.env, ...env, NO_COLOR: "1" },
    stdout: "inherit",
    stderr: "pipe",
  });
  const decoder = new TextDecoder();
  let report = "";
  for await (const chunk of child.stderr) {
    process.stdout.write(chunk);
    report += decoder.decode(chunk, { stream: true });
  }
  return { report, status: await child.exited };
}

/** The number of tests with this result, from the run's summary, or else from its lines. */
function count(report: string, verdict: "pass" | "fail"): number {
  const summary = new RegExp(`^ *(\\d+) ${verdict}$`, "m").exec(report);
  return summary ? Number(summary[1]) : (report.match(new RegExp(`^\\(${verdict}\\)`, "gm"))?.length ?? 0);
}
