import { rmSync } from "node:fs";
import { join } from "node:path";

/** What one test file ran, in its own process. */
export type Coverage = {
  /** hash of the test file */
  hash: string;
  milliseconds: number;
  /** by path of a source file: its hash at that time, and the lines that ran */
  ran: Record<string, { hash: string; lines: number[] }>;
};

const root = join(import.meta.dir, "../..");
/** Not in the repository: it is made again for a test file that has changed, or where it is missing. */
const cache = join(root, "node_modules/.cache/postroom-mutate");
const hashOf = async (file: string) => Bun.hash(await Bun.file(join(root, file)).bytes()).toString(16);

/** Finds out which lines each of these test files runs, two at a time, unless that is known. */
export async function coverageOf(tests: string[]): Promise<Map<string, Coverage>> {
  const all = new Map<string, Coverage>();
  const work = tests.values();
  const worker = async (): Promise<void> => {
    for (const test of work) all.set(test, (await knownOf(test)) ?? (await cover(test)));
  };
  console.log(`Asking ${tests.length} test files which lines they run, where that is not known …`);
  await Promise.all([worker(), worker()]);
  return all;
}

const cacheOf = (test: string) => Bun.file(join(cache, `${test.replaceAll("/", "~")}.json`));

async function knownOf(test: string): Promise<Coverage | undefined> {
  const file = cacheOf(test);
  const known = (await file.exists()) ? ((await file.json()) as Coverage) : undefined;
  return known?.hash === (await hashOf(test)) ? known : undefined;
}

async function cover(test: string): Promise<Coverage> {
  const folder = join(cache, Bun.hash(test).toString(16));
  const report = ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${folder}`];
  const startedAt = performance.now();
  const child = Bun.spawn([process.execPath, "test", "--timeout=300000", ...report, `./${test}`], {
    cwd: root,
    stdio: ["ignore", "ignore", "ignore"],
  });
  if ((await child.exited) !== 0) throw new Error(`${test} fails without any mutant`);
  const milliseconds = Math.round(performance.now() - startedAt);
  const ran = linesOf(await Bun.file(join(folder, "lcov.info")).text());
  rmSync(folder, { recursive: true });
  const withHash = ran.map(async ([file, lines]) => [file, { hash: await hashOf(file), lines }] as const);
  const coverage = { hash: await hashOf(test), milliseconds, ran: Object.fromEntries(await Promise.all(withHash)) };
  await cacheOf(test).write(JSON.stringify(coverage));
  return coverage;
}

/** Reads a report in the format of lcov: the lines of each source file that ran. */
function linesOf(lcov: string): [file: string, lines: number[]][] {
  return lcov
    .split("end_of_record")
    .map((record): [string, number[]] => [
      /^SF:(.*)$/m.exec(record)?.[1] ?? "",
      [...record.matchAll(/^DA:(\d+),(\d+)$/gm)].filter(([, , times]) => times !== "0").map(([, line]) => Number(line)),
    ])
    .filter(([file]) => /^(src|db)\//.test(file));
}

/**
 * The test files that run this line, the likeliest to notice a change first: those of the same subject, and among
 * them the quickest. If the source file has changed since, or no report has the line (as that of a statement's second
 * line), all that ran any of it.
 * @param ofProcesses tests of the program as a process, for what runs only there
 */
export async function testsOf(
  { file, line }: { file: string; line: number },
  all: Map<string, Coverage>,
  ofProcesses: string[],
): Promise<string[]> {
  const hash = await hashOf(file);
  const words = new Set(file.split(/[/.]/).slice(1, -1));
  const distance = (test: string, milliseconds: number) =>
    milliseconds / 8 ** test.split(/[/.]/).filter((word) => words.has(word)).length;
  const ofFile = [...all].filter(([, { ran }]) => ran[file]?.lines.length);
  const ofLine = ofFile.filter(([, { ran }]) => ran[file]?.hash !== hash || ran[file].lines.includes(line));
  const tests = (ofLine.length ? ofLine : ofFile)
    .map(([test, { milliseconds }]) => ({ test, far: distance(test, milliseconds) }))
    .sort((a, b) => a.far - b.far)
    .map(({ test }) => test);
  if (tests.length && !/^src\/(cli|boot)\b/.test(file)) return tests;
  return [...tests, ...ofProcesses.toSorted((a, b) => distance(a, 1) - distance(b, 1))];
}
