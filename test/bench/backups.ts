/**
 * `npm run bench backups [megabytes] [turns]` (benchmark B10): copies to BACKUP_URL, made and proved by the process that
 * the service starts for them, during 200 subscribes a second. First what one copy takes of a processor and of memory.
 * Then what visitors wait while the next copies go on, in turns of a quarter of a second with the same copies stopped,
 * in random order: what other programs on the machine do meets both. Each pair of turns is one observation; of the ratio
 * of the two p99, the upper end of a 90 % interval must meet the target (bootstrap over the pairs), so that luck does
 * not. As root, all processes of this program get priority over the others of the machine, each in the same proportion
 * to the others as without it. The figures of processes are those of Linux.
 */
import { readFileSync, readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { join } from "node:path";
import { commandOf } from "../../db/lib/own-process";
import { openDb } from "../../db/open";
import type { BackupResult } from "../../src/backups/job";
import { jobFor, scheduledShare } from "../../src/backups/schedule";
import { loadConfig } from "../../src/platform/config";
import { fillWithMessages } from "../load/messages";
import { subscribe, visitors } from "../load/visitors";
import { atMost, conclude } from "../support/figures";
import { percentile, rounded } from "../support/measures";
import { postroom, startService, temporaryFolder } from "../support/processes";
import { startNodeProcess } from "../support/storage/node-process";

const perSecond = 200;
const turnSeconds = 0.25;
const resamples = 400;

const mayRaise = process.getuid?.() === 0;
if (mayRaise) setPriority(-20); // what is started from here inherits it

/** The copy gives itself the lowest priority, 19: that is 19 below the service again. */
function raise(pid: number): void {
  if (!mayRaise) return;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`).map(Number))
      if (getPriority(thread) === 19) setPriority(thread, -1);
  } catch {
    // it, or one of its threads, has just ended
  }
}

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
  const startCopy = async (share = scheduledShare) => {
    const job = JSON.stringify(await jobFor({ config, db }, share));
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
    raise(first.child.pid);
    memory = Math.max(memory, peakMegabytes(first.child.pid));
    await turn();
  }
  await finish(first);
  const seconds = (performance.now() - startedAt) / 1_000;
  const share = Number(first.child.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1e4 / seconds;

  const halfShare = scheduledShare / 2; // stopped half of the time, it takes the whole share in the other half
  const pairs: Pair[] = [];
  let next = await startCopy(halfShare);
  while (pairs.length < turns && notProved < 3) {
    const pair: Pair = { during: [], stopped: [] };
    const both = [
      async () => void (next.child.kill("SIGCONT"), raise(next.child.pid), (pair.during = await turn())),
      async () => void (next.child.kill("SIGSTOP"), (pair.stopped = await turn())),
    ];
    for (const either of Math.random() < 0.5 ? both : both.reverse()) await either();
    next.child.kill("SIGCONT");
    if (next.child.exitCode === null) pairs.push(pair);
    else {
      await finish(next); // it ended within the pair, which does not count
      next = await startCopy(halfShare);
    }
  }
  next.child.kill();
  await db.close();
  await service.end();
  node.child.kill();

  const p99 = (of: "during" | "stopped", among = pairs) =>
    percentile(
      among.flatMap((pair) => pair[of]),
      0.99,
    );
  const other = pairs.map(({ stopped }, n) => ({ during: pairs[(n + 1) % pairs.length]?.stopped ?? [], stopped }));
  const ratio = interval(pairs);
  const noise = interval(other);
  const row = {
    megabytes,
    seconds,
    "pairs of turns": pairs.length,
    "p99 during, ms": p99("during"),
    "stopped, ms": p99("stopped"),
    "ratio, 5 %": ratio.low,
    "ratio, 95 %": ratio.high,
    "stopped to stopped, 5 %": noise.low,
    "95 %": noise.high,
  };
  console.table([Object.fromEntries(Object.entries(row).map(([name, n]) => [name, rounded(n)]))]);
  const what = `subscribe p99 during copies of ${megabytes} MB, to the same with them stopped`;
  conclude([
    atMost("B10", what, 1.5, p99("during") / p99("stopped")),
    atMost("B10", "the same, the upper end of its 90 % interval", 1.5, ratio.high),
    atMost("B10", "% of a processor that a copy took", 10, share),
    atMost("B10", "memory of the process that copies, MB", 200, memory),
    atMost("B10", "copies that were not proved", 0, notProved),
  ]);
}

type Pair = { during: number[]; stopped: number[] };

/** Where nine of ten ratios of the two p99 are, if the pairs are drawn again, with replacement. */
function interval(pairs: Pair[]): { low: number; high: number } {
  const ratios = Array.from({ length: resamples }, () => {
    const drawn = pairs.map(() => pairs[Math.floor(Math.random() * pairs.length)] ?? { during: [], stopped: [] });
    const p99 = (of: keyof Pair) =>
      percentile(
        drawn.flatMap((pair) => pair[of]),
        0.99,
      );
    return p99("during") / p99("stopped");
  });
  return { low: percentile(ratios, 0.05), high: percentile(ratios, 0.95) };
}

await measure(Number(Bun.argv[2] ?? 100), Number(Bun.argv[3] ?? 300));
