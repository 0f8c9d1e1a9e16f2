/**
 * `npm run bench backups [megabytes]` (benchmark B10): a copy to BACKUP_URL, made and proved as the service does it,
 * during 200 subscribes a second. What visitors wait, beside what they wait before and after; and what the process that
 * copies takes of a processor and of memory. The figures of processes are those of Linux.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fillWithMessages } from "../load/messages";
import { subscribe, visitors } from "../load/visitors";
import { atMost, conclude } from "../support/figures";
import { median, percentile, rounded } from "../support/measures";
import { postroom, startService, temporaryFolder } from "../support/processes";
import { startNodeProcess } from "../support/storage/node-process";

const perSecond = 200;
const windowSeconds = 0.5;
const quietWindows = 30;
const ticksPerSecond = 100;

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);

/** Seconds of processor that the ended children of a process took. */
function childSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
}

function peakMegabytes(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    return 0; // it has just ended
  }
}

async function measure(megabytes: number): Promise<void> {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  await Bun.write(join(dataDir, ".keep"), "");
  await fillWithMessages(dataDir, megabytes);
  const node = await startNodeProcess(join(folder.path, "s3"));
  const env = { BACKUP_URL: node.url, LOG_LEVEL: "error" };
  const service = await startService(dataDir, env);
  const window = async () => (await visitors(() => subscribe(service.url), perSecond, windowSeconds)).times;
  const quietly = async () => {
    const windows: number[][] = [];
    while (windows.length < quietWindows) windows.push(await window());
    return windows;
  };
  for (let n = 0; n < 4; n++) await window(); // warms up
  const before = await quietly();

  await postroom(dataDir, ["backup", "init"], env);
  while (!childrenOf(service.pid).length) await Bun.sleep(20);
  const startedAt = performance.now();
  const during: number[][] = [];
  let memory = 0;
  for (let [child] = childrenOf(service.pid); child; [child] = childrenOf(service.pid)) {
    memory = Math.max(memory, peakMegabytes(child));
    during.push(await window());
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const share = (100 * childSeconds(service.pid)) / seconds;
  const after = await quietly();
  const proved = (await postroom(dataDir, ["backup", "list"], env)).out.trim().split("\n").filter(Boolean).length;
  await service.end();
  node.child.kill();

  const p99 = (windows: number[][]) => percentile(windows.flat(), 0.99);
  const usual = (windows: number[][]) => median(windows.map((times) => percentile(times, 0.99))); // hides what others do
  const quiet = [...before, ...after];
  const row = {
    megabytes,
    seconds,
    share,
    memory,
    before: p99(before),
    during: p99(during),
    after: p99(after),
    ratio: p99(during) / p99(quiet),
    "ratio of the medians of half a second": usual(during) / usual(quiet),
  };
  console.table([Object.fromEntries(Object.entries(row).map(([name, n]) => [name, rounded(n)]))]);
  conclude([
    atMost("B10", `subscribe p99 during a copy of ${megabytes} MB, to what it is otherwise`, 1.5, row.ratio),
    atMost("B10", "% of a processor that the copy took", 10, share),
    atMost("B10", "memory of the process that copies, MB", 200, memory),
    atMost("B10", "copies that were not proved", 0, 1 - proved),
  ]);
}

await measure(Number(Bun.argv[2] ?? 100));
