import type { Mutant } from "./mutants";

/** A mutant, and what tells it from the others as long as its line stays. */
export type Chosen = { mutant: Mutant; name: string };

/**
 * The same n mutants for the same seed, as long as their lines stay: a change elsewhere changes only what it touches.
 * The first of n are those of a smaller n.
 * @param texts of the source files, by path
 */
export function sample(all: Mutant[], texts: Map<string, string>, n: number, seed: number): Chosen[] {
  const seen = new Map<string, number>();
  const order = all.map((mutant) => {
    const { file, line, start, replacement } = mutant;
    const text = texts.get(file) ?? "";
    const key = `${file}\n${text.split("\n")[line - 1]?.trim()}\n${start - text.lastIndexOf("\n", start)}\n${replacement}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
    const name = `${key}\n${seen.get(key)}`;
    return { mutant, name, by: Bun.hash(name, BigInt(seed)) };
  });
  return order
    .sort((a, b) => (a.by < b.by ? -1 : 1))
    .slice(0, n)
    .map(({ mutant, name }) => ({ mutant, name }));
}
