/**
 * `npm run mutate [n] [seed]`: makes n one-line changes (300 by default) of src and db, one at a time in a copy of the
 * project, and runs the tests that execute the line, the nearest first. A change that no test notices is listed: a
 * rule that is not tested. The first run asks each test file which lines it runs; that is kept for the next.
 */
import { join } from "node:path";
import { coverageOf, testsOf } from "./mutate/coverage";
import { equivalent } from "./mutate/equivalent";
import { type Mutant, mutantsOf } from "./mutate/mutants";
import { copyOfProject, judge, sources, testFiles, testsOfProcesses } from "./mutate/run";
import { sample } from "./mutate/sample";
import { atLeast, conclude } from "./support/figures";

const [count = "300", seed = String(Date.now() % 2 ** 31)] = Bun.argv.slice(2);
console.log(`${count} mutants, seed ${seed}`);
const texts = new Map<string, string>();
for (const file of sources) texts.set(file, await Bun.file(join(import.meta.dir, "..", file)).text());
const chosen = sample(
  [...texts].flatMap(([file, text]) => mutantsOf(file, text)),
  texts,
  Number(count),
  Number(seed),
);
const coverage = await coverageOf(testFiles);

const survivors: Mutant[] = [];
let done = 0;
const work = chosen.values();
await Promise.all([worker(), worker()]);

const unexplained = survivors.filter((mutant) => {
  const why = explanationOf(mutant);
  console.log(`survived  ${told(mutant)}${why === undefined ? "" : `\n          changes nothing: ${why}`}`);
  return why === undefined;
});
const counted = chosen.length - (survivors.length - unexplained.length);
const share = (counted - unexplained.length) / counted;
conclude([atLeast("R18", `share of ${counted} mutants killed, seed ${seed}`, 0.95, share)]);

async function worker(): Promise<void> {
  using copy = copyOfProject();
  for (const mutant of work) {
    const by = await judge(copy.path, mutant, await testsOf(mutant, coverage, testsOfProcesses));
    if (by === undefined) survivors.push(mutant);
    console.log(`${++done}/${chosen.length} ${by === undefined ? "SURVIVED" : "killed"}  ${told(mutant)}  ${by ?? ""}`);
  }
}

function told(mutant: Mutant): string {
  const from = texts.get(mutant.file)?.slice(mutant.start, mutant.end) ?? "";
  const short = (text: string) => text.replace(/\s+/g, " ").slice(0, 120);
  return `${mutant.file}:${mutant.line}  ${short(from)} → ${short(mutant.replacement) || "nothing"}`;
}

function explanationOf({ file, line, replacement }: Mutant): string | undefined {
  const text = texts.get(file)?.split("\n")[line - 1]?.trim();
  return equivalent.find((one) => one.file === file && one.line === text && one.replacement === replacement)?.why;
}
