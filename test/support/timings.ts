import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** How many milliseconds each test file took, in the format of `bun test --timings`. */
type Timings = { version: number; files: Record<string, number> };

const maxMissing = 0.1; // share of the files

/**
 * The durations that decide which files begin first. Each run updates a copy outside the work tree, which begins as the
 * committed file; that one is replaced only when it has become too old to be of use.
 */
export function timingsIn(root: string) {
  const committed = join(root, "test/timings.json");
  const own = join(root, "node_modules/.cache/test-timings.json");
  return {
    /** Returns the path of the copy. */
    prepare(): string {
      mkdirSync(dirname(own), { recursive: true });
      if (!existsSync(own)) copyFileSync(committed, own);
      return own;
    },
    /** After a complete run: replaces the committed file if a tenth of the files are not in it. Returns whether it did. */
    refresh(files: string[]): boolean {
      const { files: known } = read(committed);
      if (files.filter((file) => !(file in known)).length <= files.length * maxMissing) return false;
      const { version, files: all } = read(own);
      const current = Object.entries(all).filter(([file]) => files.includes(file));
      const sorted = Object.fromEntries(current.sort(([, a], [, b]) => b - a));
      writeFileSync(committed, `${JSON.stringify({ version, files: sorted }, null, 2)}\n`);
      return true;
    },
  };
}

const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Timings;
