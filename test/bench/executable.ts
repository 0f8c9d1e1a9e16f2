/**
 * `npm run build -- --prove` or `npm run bench executable [file] [times]`, as root on Linux: the executable in an empty
 * root, with the C library and `/proc`, as user 10001, without Node, packages, `/tmp` and environment. It runs commands
 * and serves. Then its starts are measured in turns with those of `npm start`: from the start of the process to the
 * first response, by the clock and in processor time.
 */
import { $ } from "bun";
import { chmodSync, chownSync, copyFileSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { atMost, conclude, exactly } from "../support/figures";
import { median, rounded } from "../support/measures";
import { freePort, temporaryFolder } from "../support/processes";

const repository = join(import.meta.dir, "../..");
const user = 10_001;
const [file = join(repository, "dist/postroom"), times = "9"] = Bun.argv.slice(2);

if (process.platform !== "linux" || process.getuid?.() !== 0) {
  console.log("An empty root needs root on Linux.");
  process.exit(1);
}

using outside = temporaryFolder();
const root = join(outside.path, "root");
const data = join(root, "data");
chmodSync(outside.path, 0o755);
mkdirSync(join(root, "proc"), { recursive: true });
copyFileSync(resolve(file), join(root, "postroom"));
const libraries = [...new Set((await $`ldd ${resolve(file)}`.text()).match(/\/\S+/g))];
for (const library of libraries) {
  mkdirSync(join(root, dirname(library)), { recursive: true });
  copyFileSync(library, join(root, library));
}
emptyData();
await $`mount -t proc proc ${join(root, "proc")}`;
try {
  const failed = await commandsThatFail();
  const measured = await measureInTurns();
  conclude([
    exactly("O1", "commands in an empty root that failed", 0, failed.length),
    atMost("O1", "size, MB", 130, statSync(file).size / 1e6),
    ...measured,
  ]);
} finally {
  await $`umount ${join(root, "proc")}`;
}

function emptyData(): void {
  rmSync(data, { recursive: true, force: true });
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, user, user);
}

function inRoot(port: number, ...args: string[]): string[] {
  const variables = ["NODE_ENV=production", "DATA_DIR=/data", `PORT=${port}`];
  const as = [`--root=${root}`, "--wd=/data", `--setuid=${user}`, `--setgid=${user}`];
  return ["env", "-i", ...variables, Bun.which("unshare") ?? "unshare", ...as, "/postroom", ...args];
}

/** Runs each, and a service that must be ready. */
async function commandsThatFail(): Promise<string[]> {
  const failed: string[] = [];
  const run = async (args: string[], port = 1, wanted = /./) => {
    const { exitCode, stdout, stderr } = await $`${inRoot(port, ...args)}`.nothrow().quiet();
    if (exitCode || !wanted.test(stdout.toString())) failed.push(`${args.join(" ")}: ${stderr}`);
    return stdout.toString();
  };
  await run(["--help"]);
  await run(["version"]);
  await run(["demo"]);
  await run(["keys", "create", "test"], 1, /_live_[0-9a-f]{32}/);
  await run(["backup", "/data/copy.sqlite"]);
  await run(["internal", "db/ops/integrity.ts", "/data/postroom.sqlite"], 1, /^$/);
  await run(["subscribers", "export", "/data/list.csv"], 1, /^/);
  const [, email = ""] = /^([^,@\n]+@[^,]+)/m.exec(await Bun.file(join(data, "list.csv")).text()) ?? [];
  await run(["people", "erase", email, "--yes"], 1, /found in the database file/);
  const port = freePort();
  const service = await serve(inRoot(port, "serve"), port);
  if (!(await fetch(`http://127.0.0.1:${port}/readyz`)).ok) failed.push("serve: not ready");
  await run(["health"], port, /^/);
  await service.end();
  console.log(failed.length ? failed.join("\n") : "Every command worked in the empty root.");
  return failed;
}

/** Starts a service, and ends it when it has responded. */
async function serve(command: string[], port: number, env: Record<string, string> = {}) {
  const startedAt = performance.now();
  const child = Bun.spawn(command, {
    cwd: repository,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdio: ["ignore", "ignore", "ignore"],
  });
  while (child.exitCode === null && !(await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined)))
    await Bun.sleep(2);
  const milliseconds = performance.now() - startedAt;
  return {
    milliseconds,
    /** Returns the processor time, in milliseconds. */
    async end(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<number> {
      child.kill(signal);
      await child.exited;
      return Number(child.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1e3;
    },
  };
}

async function measureInTurns() {
  const own = join(outside.path, "of-npm-start");
  const sorts = ["a new database", "the database there", "npm start, the database there"] as const;
  const clock: number[][] = sorts.map(() => []);
  const processor: number[][] = sorts.map(() => []);
  for (let turn = -1; turn < Number(times); turn++)
    for (const [n] of sorts.entries()) {
      if (n === 0) emptyData();
      const port = freePort();
      const started =
        n < 2
          ? await serve(inRoot(port, "serve"), port)
          : await serve(["npm", "start"], port, { DATA_DIR: own, PORT: String(port), HOME: outside.path });
      const used = await started.end(n < 2 ? "SIGKILL" : "SIGTERM"); // npm passes SIGTERM on
      if (turn < 0) continue; // makes the files and warms up
      clock[n]?.push(started.milliseconds);
      processor[n]?.push(used);
    }
  const rows = sorts.map((sort, n) => [
    sort,
    {
      "clock, ms": rounded(median(clock[n] ?? [])),
      least: rounded(Math.min(...(clock[n] ?? []))),
      "processor, ms": rounded(median(processor[n] ?? [])),
    },
  ]);
  console.table(Object.fromEntries(rows));
  const [created, there, npm] = clock.map((all) => Math.min(...all));
  return [
    atMost("O1", "processor time to the first response, a new database, ms", 200, median(processor[0] ?? [])),
    atMost("O1", "the same, the database there", 200, median(processor[1] ?? [])),
    atMost("O1", "the fastest start by the clock, a new database, ms", 200, created ?? Number.NaN),
    atMost(
      "O1",
      "the fastest start by the clock, to that of npm start",
      0.5,
      (there ?? Number.NaN) / (npm ?? Number.NaN),
    ),
  ];
}
