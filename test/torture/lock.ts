/**
 * `npm run torture lock [seconds]` (quality.md R7): another process holds the database's write lock. Reads go on as
 * before, the event loop never stands still, and writes are answered 201 or 500 within about three seconds.
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { fillWithPosts, reader } from "../load/content";
import { subscribe, visitors } from "../load/visitors";
import { percentile, rounded } from "../measures";
import { startService, temporaryFolder } from "../processes";

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
      longestWait(service.url, time),
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

/** Asks for nothing but a sign of life, again and again. @returns the longest that took: the loop stood still so long */
async function longestWait(url: string, seconds: number): Promise<number> {
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

const only = (statuses: Record<string, number>, ...allowed: string[]) =>
  Object.keys(statuses).every((status) => allowed.includes(status));

if (import.meta.main) {
  const figures = await tortureLock(Number(Bun.argv[2] ?? 10));
  const { readsP99, reads, longestStallMs, writes, writesMsMax, writesAfter } = figures;
  console.table(
    Object.entries(figures).map(([figure, seen]) => ({
      figure,
      seen: typeof seen === "number" ? seen : JSON.stringify(seen),
    })),
  );
  const isGood =
    readsP99 <= 50 &&
    longestStallMs <= 100 &&
    writesMsMax <= 3_500 &&
    only(reads, "200") &&
    only(writes, "201", "500") &&
    only(writesAfter, "201");
  console.log(isGood ? "ok" : "NOT OK: reads p99 ≤ 50 ms, no stall above 100 ms, writes 201 or 500 within 3.5 s");
  process.exitCode = isGood ? 0 : 1;
}
