/**
 * `npm run mutate [n] [seed] [copies]`: makes n one-line changes (300 by default) of src and db, one at a time in each
 * of so many copies of the project (2), and runs the tests that execute the line, the nearest first. A change that no
 * test notices is listed: a rule that is not tested. Which lines a test file runs, and what noticed which change, is
 * kept: a run that was interrupted goes on where it was, and after a new test only what it may notice is judged again.
 */
import { join } from "node:path";
import { earlierVerdicts, hashOf, keepVerdict } from "./mutate/cache";
import { equivalent } from "./mutate/equivalent";
import { type Mutant, mutantsOf } from "./mutate/mutants";
import { candidatesOf, copyOfProject, filesWithTypeErrors, judge, refusedByTypes, sources } from "./mutate/run";
import { type Chosen, sample } from "./mutate/sample";
import { atLeast, conclude } from "./support/figures";

const [count = "300", seed = String(Date.now() % 2 ** 31), copies = "2"] = Bun.argv.slice(2);
console.log(`${count} mutants, seed ${seed}`);
const texts = new Map<string, string>();
for (const file of sources) texts.set(file, await Bun.file(join(import.meta.dir, "..", file)).text());
const chosen = sample(
  [...texts].flatMap(([file, text]) => mutantsOf(file, text)),
  texts,
  Number(count),
  Number(seed),
);
const earlier = await earlierVerdicts();
if ((await filesWithTypeErrors(join(import.meta.dir, ".."))).size)
  throw new Error("There are type errors without any mutant");
await judgeByTypes();

const survivors: Mutant[] = [];
let done = 0;
const work = chosen.values();
await Promise.all(Array.from({ length: Number(copies) }, worker));

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
  for (const one of work) {
    const { mutant } = one;
    const by = await verdictOn(one, copy.path);
    if (by === null) survivors.push(mutant);
    console.log(`${++done}/${chosen.length} ${by === null ? "SURVIVED" : "killed"}  ${told(mutant)}  ${by ?? ""}`);
  }
}

/** Types refuse every third mutant, and cost less than its tests. */
async function judgeByTypes(): Promise<void> {
  using copy = copyOfProject();
  const all = await Promise.all(chosen.map(async (one) => ({ mutant: one.mutant, keys: await keysOf(one) })));
  const open = all.filter(({ keys }) => !earlier.has(keys.killed) && !earlier.has(keys.survived));
  const refused = new Set(
    await refusedByTypes(
      copy.path,
      open.map(({ mutant }) => mutant),
    ),
  );
  for (const { mutant, keys } of open) {
    if (!refused.has(mutant)) continue;
    keepVerdict({ key: keys.killed, by: "types" });
    earlier.set(keys.killed, "types");
  }
}

/** What noticed it stays true until the file changes; that nothing did, until one of the nearest tests changes. */
async function keysOf({ mutant, name }: Chosen) {
  const killed = Bun.hash(`${name}\n${await hashOf(mutant.file)}`).toString(16);
  const tests = (await candidatesOf(mutant)).map(async (test) => `${test} ${await hashOf(test)}`);
  const survived = Bun.hash(`${killed}\n${(await Promise.all(tests)).sort().join("\n")}`).toString(16);
  return { killed, survived };
}

async function verdictOn(one: Chosen, copy: string): Promise<string | null> {
  const { killed, survived } = await keysOf(one);
  const before = earlier.get(killed) ?? earlier.get(survived);
  if (before !== undefined) return before;
  const by = await judge(copy, one.mutant);
  keepVerdict({ key: by === null ? survived : killed, by });
  return by;
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
