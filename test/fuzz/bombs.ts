import { atMost, conclude, exactly, type Figure } from "../support/figures";
import { slowPatterns } from "./bombs/patterns";
import { maxRatio, pipelined } from "./bombs/pipelined";
import { runPictures } from "./bombs/pictures-run";
import { type Report, rules } from "./bombs/run";

/**
 * Runs the bombs in two processes, because what depends on NODE_ENV is decided when a program is loaded, and concludes
 * R14. All times are the process's own, so other programs on the machine do not count.
 */
export async function fuzzWithBombs([count = "2000", seed = String(Date.now() % 2 ** 31)]: string[]): Promise<void> {
  console.log(`Sending ${count} bombs twice, seed ${seed}`);
  const slow = await slowPatterns();
  for (const pattern of slow) console.log(pattern);
  const figures = [exactly("R14", "patterns that take more than linear time", 0, slow.length)];
  for (const env of [{}, { NODE_ENV: "production" }])
    figures.push(...(await figuresOf(env, Number(count), Number(seed))));
  const { asked, ratio, worst, findings } = await pipelined(pipelinedRequests);
  console.log(`\n${asked} pipelined GETs of a stranger, the costliest: ${worst}`);
  for (const finding of findings) console.log(finding);
  figures.push(atMost("R14", "times the cost of /healthz, any GET of a stranger", maxRatio, ratio));
  conclude([...figures, ...(await pictureFigures(Math.ceil(Number(count) / 5), Number(seed)))]);
}

/** What hostile pictures cost the process that decodes them. */
async function pictureFigures(count: number, seed: number): Promise<Figure[]> {
  const { outcomes, slowest, megabytes, findings } = await runPictures(count, seed);
  console.log(`\n${count} pictures: ${JSON.stringify(outcomes)}`);
  for (const finding of findings) console.log(finding);
  return [
    exactly("R14", "pictures after which an ordinary one is not read", 0, findings.length),
    atMost("R14", "milliseconds of a picture", 10_000, slowest),
    atMost("R14", "megabytes of the process that decodes pictures", 1_000, megabytes),
  ];
}

const pipelinedRequests = 500; // of each route with each Accept-Encoding

async function figuresOf(env: { NODE_ENV?: string }, count: number, seed: number): Promise<Figure[]> {
  const { NODE_ENV: _, ...rest } = Bun.env;
  const child = Bun.spawn(
    [process.execPath, "--no-env-file", `${import.meta.dir}/bombs/run.ts`, `${count}`, `${seed}`],
    {
      env: { ...rest, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const { sent, statuses, ratio, stall, memory, findings, worst } = JSON.parse(await child.stdout.text()) as Report;
  const mode = env.NODE_ENV === undefined ? "without NODE_ENV" : `with NODE_ENV=${env.NODE_ENV}`;
  console.log(
    `\n${sent} ${mode}: ${Object.entries(statuses)
      .map(([status, times]) => `${times} × ${status}`)
      .join(", ")}`,
  );
  console.log(`the costliest: ${worst}`);
  for (const { seen, seed } of findings.slice(0, 20)) console.log(`${seen} (npm run fuzz bombs 1 ${seed})`);
  return [
    exactly("R14", `faults and bombs, ${mode}`, 0, findings.length),
    atMost("R14", `times the cost of an ordinary request, ${mode}`, rules.ratio, ratio),
    atMost("R14", `milliseconds in one go, ${mode}`, rules.stallMs, stall),
    atMost("R14", `megabytes above the peak before, ${mode}`, rules.megabytes, memory),
  ];
}
