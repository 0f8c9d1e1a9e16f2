/**
 * `npm run torture lock [seconds]` (figure R7): another process holds the database's write lock. Reads continue as
 * before, the event loop never blocks, and writes return 201 or 500 within about three seconds.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { fillWithPosts, reader } from "../load/content";
import { subscribe, visitors } from "../load/visitors";
import { percentile, rounded } from "../support/measures";
import { startService, temporaryFolder } from "../support/processes";
import { atMost, conclude, exactly } from "../support/figures";

/** Holds the lock for `seconds` under 200 reads and 20 writes a second. Figures, not opinions. */
export async function tortureLock(seconds: number) {
  using folder = temporaryFolder();
  const keys = await fillWithPosts(folder.path);
  const service = await startService(folder.path, { LOG_LEVEL: "silent" });
  const sqlite = new Database(join(folder.path, "postroom.sqlite"), { readwrite: true, strict: true });
  sqlite.run("PRAGMA busy_timeout = 5000");

  const crowds = (time: number) =>
    Promise.all([
      visitors(reader(service.url, keys), 200, time),
      visitors(() => subscribe(service.url), 20, time),
      maxWaitMs(service.url, time),
    ]);
  const [before] = await crowds(3);
  sqlite.run("BEGIN IMMEDIATE"); // this process is the other one
  const [reads, writes, longest] = await crowds(seconds);
  sqlite.run("ROLLBACK");
  const [, after] = await crowds(2);
  sqlite.close();
  await service.end();

  return {
    readsP99Before: rounded(percentile(before.times, 0.99)),
    readsP99: rounded(percentile(reads.times, 0.99)),
    reads: reads.statuses,
    longestStallMs: rounded(longest),
    writes: writes.statuses,
    writesMsMax: rounded(Math.max(...writes.times)),
    writesAfter: after.statuses,
  };
}

/**
 * Requests nothing but a sign of life, repeatedly. @returns the longest response time: the event loop was blocked that
 * long
 */
async function maxWaitMs(url: string, seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  let longest = 0;
  while (performance.now() < until) {
    const startedAt = performance.now();
    await (await fetch(`${url}/healthz`)).text();
    longest = Math.max(longest, performance.now() - startedAt);
    await Bun.sleep(2);
  }
  return longest;
}

/** How many answers had another status than these. */
const others = (statuses: Record<string, number>, ...allowed: string[]) =>
  Object.entries(statuses).reduce((sum, [status, count]) => sum + (allowed.includes(status) ? 0 : count), 0);

if (import.meta.main) {
  const figures = await tortureLock(Number(Bun.argv[2] ?? 10));
  const { readsP99, reads, longestStallMs, writes, writesMsMax, writesAfter } = figures;
  console.log(figures);
  conclude([
    atMost("R7", "reads while the lock is held, p99 ms", 50, readsP99),
    atMost("R7", "longest stall of the event loop, ms", 100, longestStallMs),
    atMost("R7", "slowest write, ms", 3_500, writesMsMax),
    exactly("R7", "reads that are no 200", 0, others(reads, "200")),
    exactly("R7", "writes that are neither 201 nor 500", 0, others(writes, "201", "500")),
    exactly("R7", "writes afterwards that are no 201", 0, others(writesAfter, "201")),
  ]);
}
