/**
 * `npm run bench backups [megabytes] [turns]` (benchmark B10): copies to BACKUP_URL, made and proved by the process that
 * the service starts for them, during 200 subscribes a second. First what one copy takes of a processor and of memory.
 * Then what visitors wait while the next copies go on, in turns of half a second with the same copies stopped: what
 * other programs on the machine do meets both. The figures of processes are those of Linux.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commandOf } from "../../db/lib/own-process";
import { openDb } from "../../db/open";
import type { BackupResult } from "../../src/backups/job";
import { jobFor, scheduledShare } from "../../src/backups/schedule";
import { loadConfig } from "../../src/platform/config";
import { fillWithMessages } from "../load/messages";
import { subscribe, visitors } from "../load/visitors";
import { atMost, conclude } from "../support/figures";
import { median, percentile, rounded } from "../support/measures";
import { postroom, startService, temporaryFolder } from "../support/processes";
import { startNodeProcess } from "../support/storage/node-process";

const perSecond = 200;
const turnSeconds = 0.5;

function peakMegabytes(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    return 0; // it has just ended
  }
}

async function measure(megabytes: number, turns: number): Promise<void> {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  await Bun.write(join(dataDir, ".keep"), "");
  await fillWithMessages(dataDir, megabytes);
  const node = await startNodeProcess(join(folder.path, "s3"));
  const service = await startService(dataDir, { LOG_LEVEL: "error" });
  const turn = async () => (await visitors(() => subscribe(service.url), perSecond, turnSeconds)).times;
  for (let n = 0; n < 4; n++) await turn(); // warms up

  const env = { DATA_DIR: dataDir, BACKUP_URL: node.url };
  await postroom(dataDir, ["backup", "init"], env);
  const config = loadConfig(env);
  const db = await openDb(join(dataDir, "postroom.sqlite"));
  let notProved = 0;
  const startCopy = async () => {
    const job = JSON.stringify(await jobFor({ config, db }, scheduledShare));
    const child = Bun.spawn(commandOf("src/backups/run.ts"), { stdin: new Blob([job]), stdout: "pipe" });
    return { child, out: child.stdout.text() };
  };

  const finish = async ({ out }: Awaited<ReturnType<typeof startCopy>>) => {
    const { copy }: BackupResult = JSON.parse(await out);
    if (!copy) notProved++;
  };

  const first = await startCopy();
  const startedAt = performance.now();
  let memory = 0;
  while (first.child.exitCode === null) {
    memory = Math.max(memory, peakMegabytes(first.child.pid));
    await turn();
  }
  await finish(first);
  const seconds = (performance.now() - startedAt) / 1_000;
  const share = Number(first.child.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1e4 / seconds;

  const during: number[][] = [];
  const stopped: number[][] = [];
  let next = await startCopy();
  while (stopped.length < turns) {
    const both = [
      async () => void (next.child.kill("SIGCONT"), during.push(await turn())),
      async () => void (next.child.kill("SIGSTOP"), stopped.push(await turn())),
    ];
    for (const either of Math.random() < 0.5 ? both : both.reverse()) await either();
    next.child.kill("SIGCONT");
    if (next.child.exitCode === null) continue;
    await finish(next);
    next = await startCopy();
  }
  next.child.kill();
  await db.close();
  await service.end();
  node.child.kill();

  const p99 = (windows: number[][]) => percentile(windows.flat(), 0.99);
  const usual = (windows: number[][]) => median(windows.map((times) => percentile(times, 0.99))); // hides what others do
  const half = (rest: number) => stopped.filter((_, n) => n % 2 === rest);
  const row = {
    megabytes,
    seconds,
    "p99 during, ms": p99(during),
    "stopped, ms": p99(stopped),
    "half of the stopped turns to the other": p99(half(0)) / p99(half(1)), // what the machine does to such a ratio
    "medians of half a second, during": usual(during),
    stopped: usual(stopped),
  };
  console.table([Object.fromEntries(Object.entries(row).map(([name, n]) => [name, rounded(n)]))]);
  conclude([
    atMost(
      "B10",
      `subscribe p99 during copies of ${megabytes} MB, to the same with them stopped`,
      1.5,
      p99(during) / p99(stopped),
    ),
    atMost("B10", "the same, medians of the p99 of half a second", 1.5, usual(during) / usual(stopped)),
    atMost("B10", "% of a processor that a copy took", 10, share),
    atMost("B10", "memory of the process that copies, MB", 200, memory),
    atMost("B10", "copies that were not proved", 0, notProved),
  ]);
}

await measure(Number(Bun.argv[2] ?? 100), Number(Bun.argv[3] ?? 100));
