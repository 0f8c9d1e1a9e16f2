import { rmSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder, hashOf, root } from "./cache";

/** What one test file ran, in its own process. */
export type Coverage = {
  /** hash of the test file */
  hash: string;
  /** by path of a source file: its hash at that time, the lines that ran, and those that could have */
  ran: Record<string, Lines & { hash: string }>;
};
type Lines = { lines: number[]; others: number[] };

const asked = new Map<string, Promise<Coverage | undefined>>();
const kept = new Map<string, Coverage>();

/** Which lines a test file runs; undefined if it fails without any mutant. Asked once, and kept for later runs. */
export function coverageOf(test: string): Promise<Coverage | undefined> {
  const before = asked.get(test);
  if (before) return before;
  const coverage = knownCoverage(test).then((known) => known ?? cover(test));
  asked.set(test, coverage);
  return coverage;
}

const fileOf = (test: string) => Bun.file(join(cacheFolder, `${test.replaceAll("/", "~")}.json`));

/** The same, if it was asked before and the test file is the same since. */
export async function knownCoverage(test: string): Promise<Coverage | undefined> {
  const before = kept.get(test);
  if (before) return before;
  const file = fileOf(test);
  const coverage = (await file.exists()) ? ((await file.json()) as Coverage) : undefined;
  if (coverage?.hash !== (await hashOf(test))) return undefined;
  kept.set(test, coverage);
  return coverage;
}

async function cover(test: string): Promise<Coverage | undefined> {
  const folder = join(cacheFolder, Bun.hash(test).toString(16));
  const report = ["--coverage", "--coverage-reporter=lcov", `--coverage-dir=${folder}`];
  const child = Bun.spawn([process.execPath, "test", "--timeout=300000", ...report, `./${test}`], {
    cwd: root,
    stdio: ["ignore", "ignore", "ignore"],
  });
  if ((await child.exited) !== 0) {
    console.log(`${test} fails without any mutant, and is asked nothing`);
    return undefined;
  }
  const ran = linesOf(await Bun.file(join(folder, "lcov.info")).text());
  rmSync(folder, { recursive: true });
  const withHash = ran.map(async ([file, lines]) => [file, { hash: await hashOf(file), ...lines }] as const);
  const coverage = { hash: await hashOf(test), ran: Object.fromEntries(await Promise.all(withHash)) };
  await fileOf(test).write(JSON.stringify(coverage));
  kept.set(test, coverage);
  return coverage;
}

/** Reads a report in the format of lcov: the lines of each source file of which any ran. */
function linesOf(lcov: string): [file: string, lines: Lines][] {
  return lcov
    .split("end_of_record")
    .map((record): [string, Lines] => {
      const all = [...record.matchAll(/^DA:(\d+),(\d+)$/gm)];
      const those = (ran: boolean) => all.filter(([, , times]) => (times !== "0") === ran).map(([, n]) => Number(n));
      return [/^SF:(.*)$/m.exec(record)?.[1] ?? "", { lines: those(true), others: those(false) }];
    })
    .filter(([file, { lines }]) => /^(src|db)\//.test(file) && lines.length);
}
