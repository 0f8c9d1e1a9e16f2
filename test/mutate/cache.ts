import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dir, "../..");
/** Not in the repository. What is missing, or about a file that has changed, is found out again. */
export const cacheFolder = join(root, "node_modules/.cache/postroom-mutate");

export const hashOf = async (file: string) => Bun.hash(await Bun.file(join(root, file)).bytes()).toString(16);

/** What noticed a mutant, or null if nothing did. */
export type Verdict = { key: string; by: string | null };

const file = join(cacheFolder, "verdicts.jsonl");

/** The verdicts of earlier runs, by key: a run that was interrupted goes on where it was. */
export async function earlierVerdicts(): Promise<Map<string, Verdict["by"]>> {
  const text = (await Bun.file(file).exists()) ? await Bun.file(file).text() : "";
  const lines = text.split("\n").filter((line) => line.endsWith("}")); // the last one may be incomplete
  return new Map(lines.map((line) => JSON.parse(line) as Verdict).map(({ key, by }) => [key, by]));
}

export function keepVerdict(verdict: Verdict): void {
  mkdirSync(cacheFolder, { recursive: true });
  appendFileSync(file, `${JSON.stringify(verdict)}\n`);
}
