/**
 * `npm run bench overload [seconds]` (figure R9): twice as many subscribes arrive as the service can handle. It keeps
 * handling as many as before, quickly, asks the others to retry, and is back to normal five seconds later.
 */
import { atLeast, atMost, conclude, exactly } from "../support/figures";
import { arrivals } from "../load/arrivals";
import { load, wireOf } from "../load/generator";
import { subscribe, subscription, visitors } from "../load/visitors";
import { percentile, residentMegabytes } from "../support/measures";
import { startService, temporaryFolder } from "../support/processes";

const seconds = Number(Bun.argv[2] ?? 60);

using folder = temporaryFolder();
const service = await startService(folder.path, { LOG_LEVEL: "silent" });
const peak = await most();
const calm = await visitors(() => subscribe(service.url), 100, 3);

let memory = 0;
const watch = setInterval(
  async () => (memory = Math.max(memory, await residentMegabytes(service.pid).catch(() => 0))),
  100,
);
const { times, withoutRetryAfter } = await arrivals(
  service.port,
  () => Buffer.from(wireOf(subscription())),
  2 * peak,
  seconds,
);
clearInterval(watch);
await Bun.sleep(5_000);
const after = await visitors(() => subscribe(service.url), 100, 3);
const peakThen = await most();
const { code, err } = await service.end();
if (code !== 0) console.log(`The service ended with ${code}: ${err}`);

const served = times.get(201) ?? [];
const count = (status: number) => times.get(status)?.length ?? 0;
const others = [...times]
  .filter(([status]) => ![0, 201, 503].includes(status))
  .reduce((n, [, all]) => n + all.length, 0);
const [before, later] = [calm.times, after.times].map((times) => percentile(times, 0.99));
const share = (served.length / seconds / peakThen).toFixed(2);
console.log(`peak ${Math.round(peak)}/s; ${count(503)} told to come back; p99 ${before?.toFixed(1)} ms before`);
console.log(`peak ${Math.round(peakThen)}/s at the end, with all those subscribers; the goodput was × ${share} of it`);
conclude([
  atLeast("R9", "goodput at twice saturation, share of the peak", 0.9, served.length / seconds / peak),
  atMost("R9", "served, p99 ms", 250, percentile(served, 0.99)),
  exactly("R9", "503 without Retry-After", 0, withoutRetryAfter),
  exactly("R9", "connections cut, and other answers", 0, count(0) + others),
  atMost("R9", "memory, MB", 256, memory),
  atMost("R9", "p99 five seconds later, ms", Math.max(10, 2 * (before ?? 0)), later ?? Number.NaN),
  exactly("R9", "exit code", 0, code ?? -1),
]);

/** Subscribes per second if no more arrive than are handled. */
async function most(): Promise<number> {
  const many = Array.from({ length: 60_000 }, subscription);
  await load(service, many.splice(0, 20_000), 64, 2); // warms up
  return (await load(service, many, 64, 3)).perSecond;
}
