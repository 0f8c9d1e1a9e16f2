/**
 * `npm run bench start [times]` (benchmark B6): from the start of the process to the first response, with a migrated
 * database, beside a bare Bun.serve; and the memory of the idle service.
 */
import { join } from "node:path";
import { atMost, conclude } from "../support/figures";
import { median, residentMegabytes, rounded } from "../support/measures";
import { freePort, startService, temporaryFolder } from "../support/processes";

const times = Number(Bun.argv[2] ?? 10);
const started: number[] = [];
const bare: number[] = [];
const memory: number[] = [];

using folder = temporaryFolder();
await (await startService(folder.path, { LOG_LEVEL: "error" })).end(); // makes and migrates the database
for (let n = 0; n < times; n++) {
  const service = await startService(folder.path, { LOG_LEVEL: "error" });
  started.push(service.milliseconds);
  await Bun.sleep(500);
  memory.push(await residentMegabytes(service.pid));
  await service.end();
  bare.push(await startBare());
}

const spawned = median(bare);
console.table({
  "start to first answer, ms": { median: rounded(median(started)), least: rounded(Math.min(...started)) },
  "a bare server, ms": { median: rounded(spawned), least: rounded(Math.min(...bare)) },
  "the difference: our own part, ms": { median: rounded(median(started) - spawned) },
  "idle memory, MB": { median: rounded(median(memory)), least: rounded(Math.min(...memory)) },
});
conclude([
  atMost("B6", "start to first answer, ms", 150, median(started)),
  atMost("B6", "idle memory, MB", 90, median(memory)),
]);

/** The same for a server that does nothing: the cost of the process itself. */
async function startBare(): Promise<number> {
  const port = freePort();
  const startedAt = performance.now();
  const program = `Bun.serve({ port: ${port}, hostname: "127.0.0.1", fetch: () => new Response("ok") })`;
  const child = Bun.spawn([process.execPath, "-e", program], { cwd: join(import.meta.dir, "../..") });
  while (!(await fetch(`http://127.0.0.1:${port}`).catch(() => undefined))) await Bun.sleep(2);
  const milliseconds = performance.now() - startedAt;
  child.kill();
  await child.exited;
  return milliseconds;
}
