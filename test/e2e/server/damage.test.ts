import { expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, chownSync, closeSync, mkdirSync, openSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { freePort, postroom, postroomUntil, startService, temporaryFolder } from "../../support/processes";
import { damage, fill } from "../../support/damage";
import { testTimeoutMs } from "../../support/within";

setDefaultTimeout(testTimeoutMs);

/** A database as a service leaves it, with that many messages of 2 KB. */
async function withMessages(dataDir: string, count: number): Promise<string> {
  const service = await startService(dataDir, { LOG_LEVEL: "silent" });
  await service.end();
  const file = join(dataDir, "postroom.sqlite");
  fill(file, count);
  return file;
}

const sentence = /^postroom: The database \S+postroom\.sqlite is damaged \(.+\)\. .+ restore <file>`\.\n$/;

test.each([
  ["small", 50],
  ["large", 6_000],
])("a %s database with damaged leaf pages ends the start with a sentence and 1", async (_, messages) => {
  using folder = temporaryFolder();
  damage(await withMessages(folder.path, messages));
  // A large one is looked through while its service runs, which is not ready before
  const service = await postroomUntil(" is damaged ", folder.path, ["serve"], { PORT: String(freePort()) });
  const { code, err } = await service.ended();
  expect(code).toBe(1);
  expect(err).toMatch(sentence);
  expect(err).toContain("messages");
});

test("a large database that is whole becomes ready, and stays so", async () => {
  using folder = temporaryFolder();
  await withMessages(folder.path, 6_000);
  const service = await startService(folder.path);
  const { code, out } = await service.end();
  expect([code, out.includes("damaged")]).toEqual([0, false]);
});

test("a command that reads a damaged page says the same", async () => {
  using folder = temporaryFolder();
  const file = await withMessages(folder.path, 50);
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(4_000, 0xff), 0, 4_000, 100); // the first page: the tables themselves
  closeSync(descriptor);
  const { code, err } = await postroom(folder.path, ["keys", "list"]);
  expect(code).toBe(1);
  expect(err).toMatch(sentence);
});

test.each(["serve", "keys list"])("an empty database file is a lost one, not a new service: %s", async (command) => {
  using folder = temporaryFolder();
  const file = await withMessages(folder.path, 1);
  truncateSync(file);
  const { code, err } = await postroom(folder.path, command.split(" "), { PORT: String(freePort()) });
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^postroom: The database \S+ is empty: its contents were lost, .+\n$/),
  ]);
  expect(Bun.file(file).size).toBe(0);
});

test("a log without its database is a lost one too", async () => {
  using folder = temporaryFolder();
  writeFileSync(join(folder.path, "postroom.sqlite-wal"), "x");
  const { code, err } = await postroom(folder.path, ["keys", "list"]);
  expect([code, err]).toEqual([1, expect.stringMatching(/^postroom: The database \S+ is missing, .+\n$/)]);
});

const secret = { APP_SECRET: "a-secret-of-at-least-32-characters" };

test.each([{}, secret])("a DATA_DIR that cannot be written is a sentence, and 1", async (env) => {
  using folder = temporaryFolder();
  const file = join(folder.path, "file");
  writeFileSync(file, "");
  for (const dataDir of [file, join(file, "data"), nobodys(folder.path)]) {
    const { code, err, out } = await postroom(dataDir, ["serve"], { PORT: String(freePort()), ...env });
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(
      /^postroom: DATA_DIR \S+ (is not a folder\. Remove|is not writable for this user: it (has the mode|belongs to)) [^\n]+\n$/,
    );
  }
});

/** A folder in which this user cannot create anything. Root can everywhere, except in virtual file systems. */
function nobodys(folder: string): string {
  if (process.getuid?.() === 0) return "/proc/self";
  const path = join(folder, "nobodys");
  mkdirSync(path);
  chmodSync(path, 0o500);
  return path;
}

const unshare = (script: string, env: Record<string, string>) =>
  Bun.spawnSync(["unshare", "-rm", "sh", "-c", script, process.execPath], {
    cwd: join(import.meta.dir, "../../.."),
    env: { PATH: process.env.PATH ?? "", HOME: "/nowhere", ...env },
  });
const mayMount = (() => {
  try {
    return unshare("mount -t tmpfs none /mnt", {}).success;
  } catch {
    return false;
  }
})();

test.skipIf(!mayMount)(
  "a DATA_DIR on a read-only file system is a sentence, and 1, also when it was used before",
  async () => {
    using folder = temporaryFolder();
    await withMessages(folder.path, 1);
    for (const env of [{}, secret]) {
      const script = `mount --bind "$DATA_DIR" "$DATA_DIR" && mount -o remount,ro,bind "$DATA_DIR" && exec "$0" --no-env-file src/boot/start.ts serve`;
      const { exitCode, stderr } = unshare(script, { DATA_DIR: folder.path, PORT: String(freePort()), ...env });
      expect([exitCode, stderr.toString()]).toEqual([
        1,
        `postroom: DATA_DIR ${folder.path} is on a read-only file system. Mount it writable, or set a different DATA_DIR.\n`,
      ]);
    }
  },
);

test.skipIf(!mayMount)("a file of another user in DATA_DIR is named, with what to do", async () => {
  using folder = temporaryFolder();
  const file = await withMessages(folder.path, 1);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(file, 12_345, 12_345);
  else chmodSync(file, 0o400);
  const env = { DATA_DIR: folder.path, PORT: String(freePort()), ...secret };
  const script = `exec "$0" --no-env-file src/boot/start.ts serve`;
  // In a namespace of its own, even root may not write the files of users that do not exist there
  const { exitCode, stderr } = isRoot
    ? unshare(script, env)
    : { exitCode: 1, stderr: (await postroom(folder.path, ["serve"], env)).err };
  expect(exitCode).toBe(1);
  const begin = /^postroom: DATA_DIR \S+ is not writable for this user: \S+postroom\.sqlite /.source;
  const why = isRoot
    ? /belongs to user \d+, and this is user \d+\. As root, run chown -R \d+/.source
    : /has the mode 400\. Run chmod -R u\+rwX/.source;
  expect(stderr.toString()).toMatch(new RegExp(`${begin}${why} [^\\n]+\\n$`));
});

test.skipIf(!mayMount)("a folder for temporary files is not needed, as in a container with nothing but /data", () => {
  const root = join(import.meta.dir, "../../..");
  const script = `mount -t tmpfs none /mnt && mkdir /mnt/data && for at in /tmp /var/tmp; do mount -t tmpfs -o ro none $at; done
    cd /tmp && for command in demo "keys create x" "people erase ada@example.com --yes"; do
      "$0" --no-env-file ${root}/src/boot/start.ts $command || exit
    done`; // the last rewrites the database, which does not fit into the memory for that
  const { exitCode, stdout, stderr } = unshare(script, { DATA_DIR: "/mnt/data" });
  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  expect(stdout.toString()).toMatch(/^Sample content added\.\nsite_live_\w+\n[^]*found in the database file\t0\n/);
});

test.skipIf(!mayMount)("a disk that becomes full while the database is created is a sentence, and 1", () => {
  const script = `mount -t tmpfs -o size=1m none /mnt && exec "$0" --no-env-file src/boot/start.ts keys create x`;
  const { exitCode, stderr } = unshare(script, { DATA_DIR: "/mnt", ...secret });
  expect([exitCode, stderr.toString()]).toEqual([
    1,
    "postroom: The disk of DATA_DIR /mnt is full. Make space: the database keeps what it has acknowledged.\n",
  ]);
});
