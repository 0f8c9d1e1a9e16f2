import { appendFileSync } from "node:fs";
import { rounded } from "./measures";

/** A figure of docs/performance.md or docs/reliability.md: the target, the result, and whether it is met. */
export type Figure = { id: string; what: string; asked: string; seen: number | string; isMet: boolean };

/** "≥ 0.8" and similar targets. */
export const atLeast = (id: string, what: string, least: number, seen: number): Figure => ({
  ...{ id, what, asked: `≥ ${least}`, seen: rounded(seen) },
  isMet: seen >= least,
});
export const atMost = (id: string, what: string, most: number, seen: number): Figure => ({
  ...{ id, what, asked: `≤ ${most}`, seen: rounded(seen) },
  isMet: seen <= most,
});
export const exactly = (id: string, what: string, wanted: number, seen: number): Figure => ({
  ...{ id, what, asked: String(wanted), seen },
  isMet: seen === wanted,
});

/** Prints the figures of one program, keeps them for the final table, and sets the exit code. */
export function conclude(figures: Figure[]): void {
  printTable(figures);
  if (Bun.env.FIGURES) for (const figure of figures) appendFileSync(Bun.env.FIGURES, `${JSON.stringify(figure)}\n`);
  if (!figures.every(({ isMet }) => isMet)) process.exitCode = 1;
}

export function printTable(figures: Figure[]): void {
  const rows = figures.map(({ id, what, asked, seen, isMet }) => [
    isMet ? "PASS" : "MISS",
    id,
    what,
    asked,
    String(seen),
  ]);
  const all = [["", "id", "figure", "asked", "seen"], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  for (const row of all)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}
