import { Glob } from "bun";
import { basename, dirname, join, relative } from "node:path";
import { knownCoverage, coverageOf } from "./coverage";
import { hashOf, root } from "./cache";
import type { Mutant } from "./mutants";

type Place = Pick<Mutant, "file" | "line">;

const importsOfFile = new Map<string, Promise<string[]>>();

/**
 * The files of the project that a file imports, by their paths from the root. Types count: who starts child.ts as a
 * process imports nothing else of it.
 */
export function importsOf(file: string): Promise<string[]> {
  const before = importsOfFile.get(file);
  if (before) return before;
  const imports = readImports(file);
  importsOfFile.set(file, imports);
  return imports;
}

async function readImports(file: string): Promise<string[]> {
  if (!/\.tsx?$/.test(file)) return [];
  const folder = join(root, file, "..");
  const text = await Bun.file(join(root, file)).text();
  return [...text.matchAll(/\b(?:from|import) ?\(?"(\.[^"]+)"/g)].flatMap(([, path = ""]) => resolved(path, folder));
}

function resolved(path: string, folder: string): string[] {
  try {
    return [relative(root, Bun.resolveSync(path, folder))];
  } catch {
    return []; // what a build makes is not there
  }
}

const depthsOfTest = new Map<string, Map<string, number>>();

/** How many imports lead from a test file to each file that it loads. */
async function depthsOf(test: string): Promise<Map<string, number>> {
  const before = depthsOfTest.get(test);
  if (before) return before;
  const depths = new Map([[test, 0]]);
  for (const [file, depth] of depths)
    for (const next of await importsOf(file)) if (!depths.has(next)) depths.set(next, depth + 1);
  depthsOfTest.set(test, depths);
  return depths;
}

const subjectsOfTest = new Map<string, Promise<string[]>>();

/**
 * The files that a test is named after, in its folder: import-files.test.ts asks import.tsx over the wire. A test over
 * the wire loads the whole service, which says nothing about what it tests.
 */
function subjectsOf(test: string): Promise<string[]> {
  const before = subjectsOfTest.get(test);
  if (before) return before;
  const folder = dirname(test);
  const stem = basename(test).replace(/\.test\.tsx?$/, "");
  const names = new Glob("*.{ts,tsx}").scan(join(root, folder));
  const subjects = Array.fromAsync(names).then((all) =>
    all
      .filter((name) => !name.includes(".test.") && `${stem}-`.startsWith(`${name.replace(/\.tsx?$/, "")}-`))
      .map((name) => join(folder, name)),
  );
  subjectsOfTest.set(test, subjects);
  return subjects;
}

/** How many imports lead from a test file, or from what it is named after, to a source file. */
async function distance(test: string, file: string): Promise<number> {
  const all = await Promise.all([test, ...(await subjectsOf(test))].map(depthsOf));
  return Math.min(...all.map((depths) => depths.get(file) ?? Number.POSITIVE_INFINITY));
}

const usualMs = 4_000;
const { files: timings } = (await Bun.file(join(root, "test/timings.json")).json()) as {
  files: Record<string, number>;
};
/** Without the "s" of a plural: subscriber-input.ts is of subscribers.test.ts, too. */
const wordsOf = (path: string) => path.split(/[/.-]/).map((word) => word.replace(/s$/, ""));

/** Whether the name of a test file has a word of the path: backups.test.ts one of src/backups/copies.ts. */
export const sharesWord = (test: string, file: string): boolean =>
  wordsOf(basename(test, ".test.ts")).some((word) => wordsOf(file).slice(1).includes(word));

/**
 * The test files that may run this line, the likeliest to notice a change first: those that share most of its path,
 * among them those that are fewest imports away, and the quickest. No test is run to find that out.
 */
export async function nearest({ file }: Place, tests: string[]): Promise<string[]> {
  const words = new Set(wordsOf(file).slice(1, -1));
  const ranked = await Promise.all(
    tests.map(async (test) => {
      const depth = await distance(test, file);
      const common = new Set(wordsOf(test).filter((word) => words.has(word))).size;
      const nearness = 4 ** (common + (dirname(test) === dirname(file) ? 1 : 0));
      return { test, far: (Math.sqrt((timings[test] ?? usualMs) + 500) * (depth + 1) ** 2) / nearness };
    }),
  );
  return ranked
    .filter(({ far }) => far < Infinity)
    .sort((a, b) => a.far - b.far)
    .map(({ test }) => test);
}

/** No report has their lines. */
const inProcessOfItsOwn = new Set(["src/storage/pictures/child.ts"]);

/**
 * Whether a test file runs this line. If the source file has changed since the test was asked, or its report does not
 * have the line (as that of a statement's second line), whether it runs any of the file.
 *
 * @param mayAsk otherwise, a test that was never asked is taken to run it
 */
export async function runs(test: string, { file, line }: Place, mayAsk: boolean): Promise<boolean> {
  if (inProcessOfItsOwn.has(file)) return true;
  const coverage = await (mayAsk ? coverageOf(test) : knownCoverage(test));
  if (!coverage) return !mayAsk;
  const ran = coverage.ran[file];
  if (!ran) return false;
  return !ran.others.includes(line) || ran.hash !== (await hashOf(file));
}
