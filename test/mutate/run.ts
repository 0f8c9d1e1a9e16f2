import { Glob } from "bun";
import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Mutant } from "./mutants";
import { withMutant } from "./mutants";
import { importsOf, nearest, runs, sharesWord } from "./nearest";
import { root } from "./cache";

/** A copy of the project, in which one mutant after the other is written. The project itself never holds one. */
export function copyOfProject() {
  const path = join(tmpdir(), `postroom-mutate-${process.pid}-${Math.random().toString(36).slice(2)}`);
  mkdirSync(join(path, "node_modules"), { recursive: true });
  const tops = readdirSync(root).filter((name) => !["node_modules", ".git", "data"].includes(name));
  for (const name of tops) cpSync(join(root, name), join(path, name), { recursive: true });
  // Links, but a cache of its own: processes that tests start compile the program into it
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== ".cache") symlinkSync(join(root, "node_modules", name), join(path, "node_modules", name));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Tests that are run together, few at first: most mutants are noticed by the nearest. What none of the nearest 32
 * files notices has no test of its own.
 */
const batches = [2, 6, 24];
/** A mutant that loops for ever is noticed, too. */
const longestMs = 600_000;

/**
 * Writes a mutant into the copy, and runs the tests that are nearest until one fails. Returns what noticed it; null if
 * nothing did. Which lines a test runs is asked only for the last of them: it costs as much as running it.
 */
export async function judge(copy: string, mutant: Mutant): Promise<string | null> {
  const path = join(copy, mutant.file);
  const text = await Bun.file(path).text();
  await Bun.write(path, withMutant(text, mutant));
  try {
    const candidates = await candidatesOf(mutant);
    for (const size of batches) {
      const batch: string[] = [];
      while (batch.length < size && candidates.length) {
        const test = candidates.shift() ?? "";
        if (!testFiles.includes(test) || (await runs(test, mutant, size === batches.at(-1)))) batch.push(test);
      }
      while (batch.length) {
        const first = await firstFailure(copy, batch);
        if (first === undefined) break;
        // Beside the others, on a busy machine, it may have had too little time
        const by = first.mayBeChance ? await firstFailure(copy, [first.test]) : first;
        if (by && !by.mayBeChance && sound.has(by.test)) return by.name;
        if (by) {
          // Only the same test without the mutant tells why: the test may always fail
          await Bun.write(path, text);
          if ((await firstFailure(copy, [by.test])) === undefined) return (sound.add(by.test), by.name);
          await Bun.write(path, withMutant(text, mutant));
        }
        batch.splice(batch.indexOf(first.test), 1);
      }
    }
    return null;
  } finally {
    await Bun.write(path, text);
  }
}

/**
 * The nearest test files first; after the nearest few those of processes, whose lines no coverage shows: those with a
 * word of the path in their names, and the others for what runs only there.
 */
export async function candidatesOf(mutant: Mutant): Promise<string[]> {
  const others = await nearest(mutant, testFiles);
  const tests = /^db\/schema\//.test(mutant.file) ? [testOfSchema, ...others] : others;
  const isOfProcess = !tests.length || /^src\/(cli|boot|platform\/data-dir)\b/.test(mutant.file);
  const named = testsOfProcesses.filter((test) => sharesWord(test, mutant.file));
  const ofProcesses = isOfProcess ? [...new Set([...named, ...testsOfProcesses])] : named;
  return [...tests.slice(0, fewest), ...ofProcesses, ...tests.slice(fewest, maxCandidates)];
}

/** Compares the schema with the migrations. What else runs has the tables and indices of the migrations. */
const testOfSchema = "db/migrations/migrations.test.ts";

/** How many of the nearest are asked before those of processes. */
const fewest = 8;
/** How many test files are asked at most: those far away run the line on the way to something else. */
const maxCandidates = 64;

/** Test files that pass without any mutant. */
const sound = new Set<string>();

/** What failed first, in which file; undefined if nothing did. `mayBeChance`: too little time, or no test that failed. */
type Failure = { test: string; name: string; mayBeChance: boolean };

async function firstFailure(copy: string, tests: string[]): Promise<Failure | undefined> {
  const temporary = join(copy, "node_modules/.tmp");
  mkdirSync(temporary, { recursive: true });
  const child = Bun.spawn(
    [process.execPath, "test", "--timeout=120000", "--no-isolate", "--bail", ...tests.map((test) => `./${test}`)],
    {
      cwd: copy,
      env: { ...process.env, TMPDIR: temporary, NO_COLOR: "1" },
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    },
  );
  const limit = setTimeout(() => process.kill(-child.pid, "SIGKILL"), longestMs);
  const [report, status] = [await child.stderr.text(), await child.exited];
  clearTimeout(limit);
  endGroup(child.pid);
  rmSync(temporary, { recursive: true, force: true });
  if (status === 0 && /^Ran \d+ tests?/m.test(report)) return undefined;
  const name = /^\(fail\) (.*?)( \[[\d.]+m?s\])?$/m.exec(report)?.[1] ?? (child.signalCode ? "no end" : "an error");
  const begun = [...report.matchAll(/^(\S+\.test\.tsx?):$/gm)].map(([, path = ""]) => path);
  const test = begun.findLast((path) => tests.includes(path)) ?? tests[0] ?? "";
  return { test, name, mayBeChance: name === "no end" || name === "an error" || /timed out after/.test(report) };
}

/** Ends browsers and services that a test left behind when it failed. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {} // none is left
}

/**
 * Returns the mutants that types refuse, most of one run of the compiler: before any test, and for a minute. One in each
 * file at a time, and none in a file that imports another one's, so that an error tells which mutant causes it.
 */
export async function refusedByTypes(copy: string, mutants: Mutant[]): Promise<Mutant[]> {
  const refused: Mutant[] = [];
  for (let left = mutants; left.length;) {
    const together = await apart(left);
    const texts = new Map<string, string>();
    for (const mutant of together) {
      const text = await Bun.file(join(copy, mutant.file)).text();
      texts.set(mutant.file, text);
      await Bun.write(join(copy, mutant.file), withMutant(text, mutant));
    }
    const wrong = await filesWithTypeErrors(copy);
    refused.push(...together.filter(({ file }) => wrong.has(file)));
    for (const [file, text] of texts) await Bun.write(join(copy, file), text);
    left = left.filter((mutant) => !together.includes(mutant));
  }
  return refused;
}

/** As many of them as can be told apart by their files. */
async function apart(mutants: Mutant[]): Promise<Mutant[]> {
  const chosen = new Map<string, Mutant>();
  const imported = new Set<string>();
  for (const mutant of mutants) {
    const imports = await importsOf(mutant.file);
    if (chosen.has(mutant.file) || imported.has(mutant.file) || imports.some((file) => chosen.has(file))) continue;
    chosen.set(mutant.file, mutant);
    for (const file of imports) imported.add(file);
  }
  return [...chosen.values()];
}

/** Which files have type errors. */
export async function filesWithTypeErrors(copy: string): Promise<Set<string>> {
  const child = Bun.spawn([process.execPath, "check", "--no-script"], {
    cwd: copy,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const report = await child.stdout.text();
  const files = new Set([...report.matchAll(/^(\S+?)\(\d+,\d+\): error/gm)].map(([, file = ""]) => file));
  if ((await child.exited) !== 0 && !files.size) throw new Error(`Types cannot be checked: ${report.slice(0, 500)}`);
  return files;
}

const tests = [...new Glob("{src,db,test}/**/*.test.{ts,tsx}").scanSync(root)].sort();
/**
 * Tests that run the service in their own process. Those in the browser and by torture take most of the time of a run
 * and judge pages and crashes: a rule of the service that no quicker test knows is not tested.
 */
export const testFiles = tests.filter(
  (file) => !/^test\/(postgres|torture|mutate|e2e\/(browser|cli|server))\//.test(file),
);
/** Tests of the program as a process, whose lines no coverage shows. */
export const testsOfProcesses = tests.filter((file) => /^test\/e2e\/(cli|server)\//.test(file));
/** What is mutated: sources of the service on SQLite (shared limits are PostgreSQL's). Sample content is none. */
export const sources = [...new Glob("{src,db}/**/*.{ts,tsx}").scanSync(root)]
  .filter((file) => !/\.test\.|postgres|limits\/shared|^db\/(migrations|ops\/copy)\/|^src\/demo\//.test(file))
  .sort();
