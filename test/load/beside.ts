import { join } from "node:path";
import { median } from "../support/measures";
import type { Target } from "./generator";

/** Starts test/load/<program>, a server for comparison. */
export async function startBeside(
  program: string,
  ...words: string[]
): Promise<Target & { end: () => Promise<unknown> }> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, program), ...words], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  const end = () => (child.kill(), child.exited);
  return { port: Number(new TextDecoder().decode(value)), pid: child.pid, end };
}

/** Starts a bare server that repeats this response, headers and body, and one that reads the key too. */
export async function startBare(folder: string, answer: Response) {
  const file = join(folder, "answer");
  const headers = [...answer.headers].filter(([name]) => !["date", "content-length"].includes(name));
  await Bun.write(`${file}.headers`, JSON.stringify(headers));
  await Bun.write(`${file}.body`, await answer.bytes());
  const [bare, keyed] = [await startBeside("bare.ts", file), await startBeside("bare.ts", file, "keyed")];
  return { ...bare, keyed, end: () => Promise.all([bare.end(), keyed.end()]) };
}

/**
 * Runs all `measures` in turn, `rounds` times, so that other load on the machine affects them equally. Returns the
 * medians.
 */
export async function inTurns<Name extends string>(
  rounds: number,
  measures: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(measures) as Name[];
  const seen = new Map<Name, number[]>(names.map((name) => [name, []]));
  const rows: Record<string, number>[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const name of names) seen.get(name)?.push(await measures[name]());
    rows.push(Object.fromEntries(names.map((name) => [name, Math.round(seen.get(name)?.at(-1) ?? 0)])));
  }
  console.table(rows);
  return Object.fromEntries(names.map((name) => [name, median(seen.get(name) ?? [])])) as Record<Name, number>;
}
