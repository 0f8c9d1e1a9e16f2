/**
 * `npm run torture full [times]` (figure R6): the service on a file system of 16 MB that another file fills up,
 * repeatedly. Writes return the contract's 500, reads stay 200, a rejected subscribe leaves nothing behind, and once
 * there is space it writes again without a restart. Linux only: the file system is in a mount namespace.
 */
import { Database } from "bun:sqlite";
import { copyFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conclude, exactly } from "../support/figures";
import { fillWithPosts } from "../load/content";
import { subscribe } from "../load/visitors";
import { freePort, temporaryFolder } from "../support/processes";

const megabyte = 2 ** 20;
const times = Number(Bun.argv[2] ?? 5);
const figures = { "writes while full": 0, "other than 500": 0, "reads other than 200": 0, "not well again": 0 };

using folder = temporaryFolder();
const keys = await fillWithPosts(folder.path, 20, 5);
const service = await startOnSmallDisk(folder.path);
const acknowledged: string[] = [];
const refused: string[] = [];

for (let n = 0; n < times; n++) {
  const ballast = join(service.dataDir, "ballast");
  fill(ballast);
  await untilRefused();
  for (let i = 0; i < 20; i++) await write();
  for (let i = 0; i < 20; i++)
    if ((await read(keys[n % keys.length] ?? "")).status !== 200) figures["reads other than 200"]++;
  rmSync(ballast);
  if ((await visit()).status !== 201) figures["not well again"]++;
}

const { missing, left, problems } = inspect(service.dataDir);
console.table([{ ...figures, acknowledged: acknowledged.length, refused: refused.length }]);
const code = await service.end();
conclude([
  exactly(
    "R6",
    `of ${figures["writes while full"]} writes on a full disk not the contract's 500`,
    0,
    figures["other than 500"],
  ),
  exactly("R6", "reads that failed meanwhile", 0, figures["reads other than 200"]),
  exactly("R6", "acknowledged and lost", 0, missing),
  exactly("R6", "refused, and something of it was left", 0, left),
  exactly("R6", "integrity errors", 0, problems),
  exactly("R6", "times it did not recover by itself", 0, figures["not well again"]),
  exactly("R6", "exit code", 0, code),
]);

/** A new person subscribes; what was acknowledged is recorded. */
async function visit(): Promise<Response> {
  const email = `${crypto.randomUUID()}@example.com`;
  const answer = await subscribe(service.url, email);
  (answer.status === 201 ? acknowledged : refused).push(email);
  return answer;
}

async function write(): Promise<void> {
  const answer = await visit();
  figures["writes while full"]++;
  const body = (await answer.json()) as { success: boolean; error: { code: string } | null };
  const isAsAgreed = answer.status === 500 && !body.success && body.error?.code === "INTERNAL_ERROR";
  if (!isAsAgreed && answer.status !== 201) figures["other than 500"]++; // a page may still have had room
}

function read(key: string): Promise<Response> {
  return fetch(`${service.url}/api/v1/posts`, { headers: { "x-api-key": key } });
}

/** The rest of the log is filled first. */
async function untilRefused(): Promise<void> {
  for (let i = 0; i < 5_000; i++) if ((await visit()).status !== 201) return;
  throw new Error("The disk does not get full");
}

/** Takes all the space except a few pages. */
function fill(file: string): void {
  const { bavail, bsize } = statfsSync(service.dataDir);
  writeFileSync(file, Buffer.alloc(Math.max(0, bavail * bsize - megabyte / 4)));
}

/** Inspects a copy made while no one writes. */
function inspect(dataDir: string) {
  const copy = join(folder.path, "copy.sqlite");
  for (const end of ["", "-wal"]) copyFileSync(join(dataDir, `postroom.sqlite${end}`), `${copy}${end}`);
  const sqlite = new Database(copy);
  const all = (sql: string) =>
    new Set(
      sqlite
        .query<{ email: string }, []>(sql)
        .all()
        .map(({ email }) => email),
    );
  const subscribers = all("select email from subscribers");
  const mails = all("select recipient email from outbox");
  const lines = sqlite.query<{ integrity_check: string }, []>("pragma integrity_check").all();
  sqlite.close();
  return {
    missing: acknowledged.filter((email) => !subscribers.has(email) || !mails.has(email)).length,
    left: refused.filter((email) => subscribers.has(email) || mails.has(email)).length,
    problems: lines.filter(({ integrity_check: line }) => line !== "ok").length,
  };
}

/** The service in a mount namespace of its own, in which its data lie on a small file system in memory. */
async function startOnSmallDisk(source: string) {
  const dataDir = join(source, "small");
  const script = `mkdir -p "$DATA_DIR" && mount -t tmpfs -o size=16m,mode=700 none "$DATA_DIR" && cp "$1"/postroom.sqlite* "$DATA_DIR" && exec "$0" --no-env-file src/boot/start.ts serve`;
  const port = freePort();
  const child = Bun.spawn(["unshare", "-rm", "sh", "-c", script, process.execPath, source], {
    cwd: join(import.meta.dir, "../.."),
    env: { PATH: Bun.env.PATH ?? "", HOME: tmpdir(), DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: "silent" },
    stdout: "ignore",
    stderr: "pipe",
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/healthz`).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`It did not start: ${await child.stderr.text()}`);
    await Bun.sleep(10);
  }
  return {
    url,
    dataDir: `/proc/${child.pid}/root${dataDir}`,
    end: async () => (child.kill(), await child.exited),
  };
}
