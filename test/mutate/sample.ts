import type { Mutant } from "./mutants";

/**
 * The same n mutants for the same seed, as long as their lines stay: a change elsewhere changes only what it touches.
 * The first of n are those of a smaller n.
 * @param texts of the source files, by path
 */
export function sample(all: Mutant[], texts: Map<string, string>, n: number, seed: number): Mutant[] {
  const seen = new Map<string, number>();
  const order = all.map((mutant) => {
    const { file, line, start, replacement } = mutant;
    const text = texts.get(file) ?? "";
    const key = `${file}\n${text.split("\n")[line - 1]?.trim()}\n${start - text.lastIndexOf("\n", start)}\n${replacement}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return { mutant, by: Bun.hash(`${key}\n${seen.get(key)}`, BigInt(seed)) };
  });
  return order
    .sort((a, b) => (a.by < b.by ? -1 : 1))
    .slice(0, n)
    .map(({ mutant }) => mutant);
}
