import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conclude, exactly } from "../support/figures";
import { openStage } from "../support/broadcasts/stage";
import { fillDatabase } from "../e2e/browser/fixtures";
import { randomFrom } from "./bombs/random";
import { differences, type State } from "./hands/state";
import { tasksOf } from "./hands/tasks";
import { type Outcome, useTemplate, walk } from "./hands/walk";

const concurrency = 6; // walks at a time; most of a walk is waiting for what is late
const maxDelayMs = 3_000;
const maxSlowness = 20;

type Fault = { kind: "lost" | "shift" | "complaint"; said: string };
type Finding = Fault & { seed: number; task: string };

/**
 * Walks through every page and task of `hands/tasks.ts` with hands that wait for nothing, each answer up to three
 * seconds late and the processor up to twenty times slower, and compares the end with that of patient hands (U7). The
 * walk with seed s is repeated by `npm run fuzz hands 1 s`; a third argument is part of the names of the tasks to do.
 */
export async function fuzzWithHands([count = "500", seed = String(Date.now() % 2 ** 31), only = ""]: string[]) {
  const folder = mkdtempSync(join(tmpdir(), "postroom-hands-"));
  const tasks = tasksOf(await fillTemplate(folder)).filter(({ name }) => name.includes(only));
  console.log(`${count} walks from seed ${seed}, ${tasks.length} tasks`);
  const patient = new Map<string, ReturnType<typeof walk>>();
  const findings: Finding[] = [];
  let next = 0;
  let done = 0;

  function report(finding: Finding): void {
    findings.push(finding);
    console.log(`seed ${finding.seed}, ${finding.task}: ${finding.kind}: ${finding.said}`);
  }

  async function one(seed: number): Promise<void> {
    const random = randomFrom(seed);
    const task = random.of(tasks);
    const expected = patient.get(task.name) ?? walk(task);
    patient.set(task.name, expected);
    const { state, problem } = await expected;
    if (problem) return report({ kind: "lost", seed, task: task.name, said: `patient hands: ${problem}` });
    const slowness = 1 + random.below(maxSlowness);
    const outcome = await walk(task, { delay: () => random.below(maxDelayMs), slowness }, state);
    for (const fault of judge(outcome, state)) report({ ...fault, seed, task: `${task.name} (×${slowness})` });
  }

  const worker = async () => {
    while (next < Number(count)) {
      await one(Number(seed) + next++);
      if (++done % 10 === 0) console.log(`${done} of ${count} walks`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  rmSync(folder, { recursive: true });
  const of = (kind: Finding["kind"]) => findings.filter((one) => one.kind === kind).length;
  conclude([
    exactly("U7", `walks of ${count} that ended otherwise than with patient hands`, 0, of("lost")),
    exactly("U7", "shifts that no input caused", 0, of("shift")),
    exactly("U7", "errors in the console", 0, of("complaint")),
  ]);
}

/** Fills the database that every walk begins with. Returns its pages, by name. */
async function fillTemplate(folder: string): Promise<Record<string, string>> {
  const file = join(folder, "database");
  const stage = await openStage({ database: file });
  const rooms = await fillDatabase(stage);
  await stage.close();
  await stage.db.close();
  useTemplate(file, stage.clock.time);
  return rooms;
}

function judge({ state, shifts, complaints, problem }: Outcome, expected: State): Fault[] {
  const different = differences(expected, state);
  const lost = [...(problem === undefined ? [] : [problem]), ...different].join("\n  ");
  return [
    ...(lost ? [{ kind: "lost" as const, said: lost }] : []),
    ...shifts.map((said) => ({ kind: "shift" as const, said })),
    ...complaints.map((said) => ({ kind: "complaint" as const, said })),
  ];
}
