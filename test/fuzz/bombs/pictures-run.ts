import { readdirSync, readFileSync } from "node:fs";
import { PictureProcess } from "../../../src/storage/pictures/process";
import { draw } from "../../support/storage/pictures";
import { pictureBombs } from "./pictures";
import { randomFrom } from "./random";

/** What became of hostile pictures in the process that decodes them. */
type PictureReport = {
  outcomes: Record<string, number>;
  /** Milliseconds of the one that took longest, and megabytes that the process had at most. */
  slowest: number;
  megabytes: number;
  findings: string[];
};

const size = { width: 320, format: "webp" } as const;
const kinds = Object.entries(pictureBombs);

/** Has pictures read, each followed by an ordinary one, which has to come out as ever. */
export async function runPictures(count: number, seed: number): Promise<PictureReport> {
  const process = new PictureProcess(60_000); // the time is judged, and a test judges none
  const plain = await draw({ width: 400, height: 300 });
  const report: PictureReport = { outcomes: {}, slowest: 0, megabytes: 0, findings: [] };
  for (let nth = 0; nth < count; nth++) {
    const random = randomFrom(seed + nth);
    const [kind, make] = random.of(kinds);
    const bytes = await make(random, random.of([200, 20_000, 1_000_000]));
    const begun = performance.now();
    const result = await process.read(bytes, size);
    report.slowest = Math.max(report.slowest, performance.now() - begun);
    report.megabytes = Math.max(report.megabytes, ...peaks());
    const outcome = result.outcome === "read" ? result.facts.picture : result.outcome;
    report.outcomes[`${kind}: ${outcome}`] = (report.outcomes[`${kind}: ${outcome}`] ?? 0) + 1;
    const after = await process.read(plain, size);
    if (result.outcome === "missing" || after.outcome !== "read" || !after.bytes.length)
      report.findings.push(
        `${kind} (npm run fuzz bombs 1 ${seed + nth}): ${outcome}, and the next one ${after.outcome}`,
      );
  }
  process.close();
  return report;
}

/** The most memory that each child of this process has had, in megabytes (Linux). */
function peaks(): number[] {
  const tasks = `/proc/${globalThis.process.pid}/task`;
  const children = readdirSync(tasks).flatMap((task) => read(`${tasks}/${task}/children`).split(" ").filter(Boolean));
  return children.map((pid) => Number(/VmHWM:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1_024);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // it has ended
  }
}
