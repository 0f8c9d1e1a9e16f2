import { join } from "node:path";
import { median } from "../measures";
import type { Target } from "./generator";

/** Starts test/load/<program> on `file`, a server to compare with. */
export async function startBeside(program: string, file: string): Promise<Target & { end: () => Promise<unknown> }> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, program), file], { stdout: "pipe" });
  const { value } = await child.stdout.getReader().read();
  const end = () => (child.kill(), child.exited);
  return { port: Number(new TextDecoder().decode(value)), pid: child.pid, end };
}

/** A bare server that answers every request as `answer` is: headers and body. */
export async function startBare(folder: string, answer: Response) {
  const file = join(folder, "answer");
  const headers = [...answer.headers].filter(([name]) => !["date", "content-length"].includes(name));
  await Bun.write(`${file}.headers`, JSON.stringify(headers));
  await Bun.write(`${file}.body`, await answer.bytes());
  return startBeside("bare.ts", file);
}

/** Does all of `measures` in turn, `rounds` times, so that they share whatever else the machine does. The medians. */
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
