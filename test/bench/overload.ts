/**
 * `npm run bench overload [seconds]` (quality.md R9): twice as many subscribes arrive as the service can answer. It goes
 * on answering as many as before, quickly, tells the others to come back, and is itself again five seconds later.
 */
import { arrivals } from "../load/arrivals";
import { load } from "../load/client";
import { subscribe, subscription, visitors } from "../load/visitors";
import { percentile, residentMegabytes, rounded } from "../measures";
import { startService, temporaryFolder } from "../processes";

const seconds = Number(Bun.argv[2] ?? 60);

using folder = temporaryFolder();
const service = await startService(folder.path, { LOG_LEVEL: "silent" });
const many = Array.from({ length: 60_000 }, () => subscription());
await load(service.port, many.splice(0, 20_000), 64, 2); // warms up
const peak = await load(service.port, many, 64, 3);
const calm = await visitors(() => subscribe(service.url), 100, 3);

let memory = 0;
const watch = setInterval(
  async () => (memory = Math.max(memory, await residentMegabytes(service.pid).catch(() => 0))),
  100,
);
const { times, withoutRetryAfter } = await arrivals(service.port, () => subscription(), 2 * peak, seconds);
clearInterval(watch);
await Bun.sleep(5_000);
const after = await visitors(() => subscribe(service.url), 100, 3);
const { code, err } = await service.end();
if (code !== 0) console.log(`The service ended with ${code}: ${err}`);

const served = times.get(201) ?? [];
const count = (status: number) => times.get(status)?.length ?? 0;
const others = [...times]
  .filter(([status]) => ![0, 201, 503].includes(status))
  .reduce((n, [, all]) => n + all.length, 0);
const figures = {
  "peak, answers a second": peak,
  "arriving a second": 2 * peak,
  "goodput, share of the peak": served.length / seconds / peak,
  "served, p99 ms": percentile(served, 0.99),
  "refused with 503": count(503),
  "of these without Retry-After": withoutRetryAfter,
  "connections cut": count(0),
  "other answers": others,
  "memory, MB": memory,
  "p99 ms before": percentile(calm.times, 0.99),
  "p99 ms five seconds later": percentile(after.times, 0.99),
};
console.table(Object.entries(figures).map(([figure, seen]) => ({ figure, seen: rounded(seen) })));
const isGood =
  code === 0 &&
  figures["goodput, share of the peak"] >= 0.9 &&
  figures["served, p99 ms"] <= 250 &&
  withoutRetryAfter + count(0) + others === 0 &&
  memory <= 256;
console.log(isGood ? "ok" : "NOT OK: goodput ≥ 0.9, p99 ≤ 250 ms, nothing cut, 503 with Retry-After, memory ≤ 256 MB");
process.exitCode = isGood ? 0 : 1;
