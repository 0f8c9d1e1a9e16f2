/**
 * `npm run torture fsync [writes]` (figure R2): the system calls of the service, seen through strace, show that every
 * acknowledged message was written to the WAL and that the WAL was synced before its 201 was sent.
 */
import { join } from "node:path";
import { conclude, exactly } from "../support/figures";
import { someAddress } from "../load/visitors";
import { startService, temporaryFolder } from "../support/processes";

const clients = 8;
const anId = /"id\\":\\"([0-9a-f-]{36})/;
const ids = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

if (!Bun.which("strace")) {
  console.log("strace is not here. On Debian: apt-get install strace. Elsewhere this figure cannot be shown.");
  process.exit(1);
}

/** Sends `writes` messages to a service that strace watches. @returns how many ids were answered, and the system calls */
async function watched(writes: number) {
  using folder = temporaryFolder();
  const service = await startService(folder.path, { LOG_LEVEL: "error", OWNER_EMAIL: "owner@example.com" });
  const trace = join(folder.path, "trace");
  const calls = "trace=pwrite64,pwritev,fsync,fdatasync,sendto,sendmsg,write,writev";
  const strace = Bun.spawn(["strace", "-f", "-y", "-s", "9000", "-e", calls, "-o", trace, "-p", `${service.pid}`], {
    stderr: "pipe",
  });
  await strace.stderr.getReader().read(); // "Process … attached"

  let left = writes;
  let acknowledged = 0;
  const client = async () => {
    while (left-- > 0) if ((await write(service.url, left)).status === 201) acknowledged++;
  };
  await Promise.all(Array.from({ length: clients }, client));
  strace.kill("SIGINT");
  await strace.exited;
  await service.end();
  return { acknowledged, lines: (await Bun.file(trace).text()).split("\n") };
}

const write = (url: string, n: number) =>
  fetch(`${url}/api/contact`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-forwarded-for": someAddress() },
    body: JSON.stringify({ name: "Ada", email: `ada${n}@example.com`, message: `Message number ${n}` }),
  });

/** Walks through the calls in their order: what is written waits for a sync that ends after it. */
function judge(lines: string[]) {
  const writtenAt = new Map<string, number>();
  const figures = { answers: 0, synced: 0, notSynced: 0, syncs: 0 };
  let syncedUpTo = -1;
  let syncStartedAt = -1;
  for (const [at, line] of lines.entries()) {
    if (/^\d+ +pwritev?(64)?\(\d+<[^>]*-wal>/.test(line)) for (const [id] of line.matchAll(ids)) writtenAt.set(id, at);
    if (/^\d+ +f(data)?sync\(\d+<[^>]*-wal>/.test(line)) syncStartedAt = at;
    if (/f(data)?sync(\(\d+<[^>]*-wal>| resumed>).*= 0$/.test(line) && syncStartedAt > syncedUpTo) {
      syncedUpTo = syncStartedAt;
      figures.syncs++;
    }
    if (!line.includes("HTTP/1.1 201")) continue;
    figures.answers++;
    const id = anId.exec(line)?.[1] ?? "";
    const at201 = writtenAt.get(id) ?? Infinity;
    if (at201 < syncedUpTo) figures.synced++;
    else figures.notSynced++;
  }
  return figures;
}

const { acknowledged, lines } = await watched(Number(Bun.argv[2] ?? 1_000));
const figures = judge(lines);
console.table([{ acknowledged, ...figures }]);
conclude([
  exactly("R2", `of ${acknowledged} acknowledged writes synced before the answer`, acknowledged || 1, figures.synced),
  exactly("R2", "answers before a sync", 0, figures.notSynced),
]);
