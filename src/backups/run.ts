import { messageOf } from "../platform/log";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { setPriority } from "node:os";
import { dirname, join } from "node:path";
import { dayMs } from "../../db/lib/time";
import { backup } from "../../db/ops/backup";
import { contentsOf } from "../../db/ops/backup-file";
import type { Lock } from "../../db/engine/sqlite/lock";
import type { Entry, Pause } from "../platform/tar";
import { pack, paced } from "./archive";
import {
  copyEnding,
  databaseName,
  erasuresName,
  expired,
  type Manifest,
  manifestName,
  nameOf,
  openStore,
  secretName,
  type Store,
} from "./copies";
import { type BackupJob, type BackupResult, lockCopying } from "./job";
import { needsSpace, openCopy, temporaryFolder } from "./open-copy";
import { tryToRestore } from "./restore";

const spareBytes = 200 * 2 ** 20; // stay free for the service

/**
 * Copies the database, reads the copy back, restores it aside, and only then records it. Returns the record. Then older
 * copies go, and if they do not, the next copy removes them.
 */
async function copyDatabase(job: BackupJob, pause: Pause): Promise<BackupResult> {
  const store = openStore(job.place);
  const dataDir = dirname(job.database);
  using folder = temporaryFolder(dataDir);
  await needsSpace(dataDir, 1.2 * statSync(job.database).size + spareBytes);
  const at = new Date();
  const name = nameOf(at);
  const key = store.keyOf(job.installation, name);
  const own = await generateX25519Identity(); // proves this copy, and is forgotten with this process
  const snapshot = join(folder.path, "snapshot.sqlite");
  await backup(job.database, snapshot);
  const database = { databaseBytes: statSync(snapshot).size, databaseSha256: await sha256Of(snapshot, pause) };
  const facts: Manifest = { name, at: at.toISOString(), ...contentsOf(snapshot), ...database };
  const recipients = [job.recipient, await identityToRecipient(own)];
  const archive = await pack(entriesOf(job, snapshot, facts), recipients, pause);
  const copy = { ...facts, ...(await store.put(key, archive, "application/octet-stream")) };
  rmSync(snapshot);

  const proof = join(folder.path, "proof");
  mkdirSync(proof, { mode: 0o700 });
  try {
    await openCopy(store, { key, copy, identities: [own], folder: proof }, pause);
    await tryToRestore(proof, [job.erasureLog], { pause, spareBytes });
  } catch (error) {
    await store.remove(key).catch(() => undefined); // without a record it is no copy, and goes a day later
    throw error;
  }
  const proved = { ...copy, provedAt: new Date().toISOString() };
  await store.put(store.recordKeyOf(job.installation, name), bytesOf(JSON.stringify(proved)), "application/json");
  return whenRemoved({ copy: proved }, removeExpired(store, job.installation, new Date()));
}

/** Adds to a result why what is no longer needed was not removed, if it was not. */
const whenRemoved = (result: BackupResult, removal: Promise<void>): Promise<BackupResult> =>
  removal.then(
    () => result,
    (error: unknown) => Object.assign(result, { leftover: messageOf(error) }),
  );

const entriesOf = ({ erasureLog, secretFile }: BackupJob, snapshot: string, facts: Manifest): Entry[] => [
  { name: manifestName, text: `${JSON.stringify(facts, null, 2)}\n` },
  { name: databaseName, file: snapshot },
  ...(existsSync(erasureLog) ? [{ name: erasuresName, text: readFileSync(erasureLog, "utf8") }] : []),
  ...(secretFile ? [{ name: secretName, text: readFileSync(secretFile, "utf8") }] : []),
];

async function sha256Of(file: string, pause: Pause): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const bytes of Bun.file(file).stream()) {
    hash.update(bytes);
    await pause();
  }
  return hash.digest("hex");
}

/** Removes the copies that are no longer needed, and what failed or killed attempts left behind. */
async function removeExpired(store: Store, installation: string, now: Date): Promise<void> {
  const dayAgo = new Date(now.getTime() - dayMs);
  const copies = await store.copies(installation);
  for (const { name } of expired(
    copies.map(({ name, at }) => ({ name, at: new Date(at) })),
    now,
  )) {
    await store.remove(store.recordKeyOf(installation, name)); // first: without its record, the copy does not exist
    await store.remove(store.keyOf(installation, name));
  }
  const { copies: folder } = store.foldersOf(installation);
  const recorded = new Set(copies.map(({ name }) => store.keyOf(installation, name)));
  for (const { key, at } of await store.list(folder))
    if (key.endsWith(copyEnding) && !recorded.has(key) && at < dayAgo) await store.remove(key);
  await store.abortUploads(folder, dayAgo);
}

const keptLogs = 3;

/** Copies the database when no other process copies it. */
async function copyInTurn(job: BackupJob, pause: Pause): Promise<BackupResult> {
  let lock: Lock | undefined;
  while (!(lock = lockCopying(job))) await Bun.sleep(500);
  try {
    return await copyDatabase(job, pause);
  } finally {
    lock.release();
  }
}

/** Copies the log of erasures alone, so that a restored copy brings back no one who was erased after it. */
async function copyErasures(job: BackupJob, pause: Pause): Promise<BackupResult> {
  const store = openStore(job.place);
  const { erasures } = store.foldersOf(job.installation);
  const log = [{ name: erasuresName, text: readFileSync(job.erasureLog, "utf8") }];
  const key = `${erasures}${nameOf(new Date())}${copyEnding}`;
  await store.put(key, await pack(log, [job.recipient], pause), "application/octet-stream");
  return whenRemoved({}, removeOlderLogs(store, erasures));
}

async function removeOlderLogs(store: Store, folder: string): Promise<void> {
  const keys = (await store.list(folder)).map(({ key }) => key);
  for (const key of keys.sort().slice(0, -keptLogs)) await store.remove(key);
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** In a process of its own: the job comes on stdin, and the result goes to stdout. */
export async function run(): Promise<void> {
  setPriority(10); // not the lowest, at which a copy never ends on a machine that others keep busy; the pause keeps it small
  const job: BackupJob = JSON.parse(readFileSync(0, "utf8"));
  const pause = paced(job.share);
  try {
    const result = await (job.what === "copy" ? copyInTurn : copyErasures)(job, pause);
    process.stdout.write(JSON.stringify(result));
  } catch (error) {
    process.stdout.write(JSON.stringify({ problem: messageOf(error) } satisfies BackupResult));
  }
}

if (import.meta.main) void run(); // no await: the compiled program can hold none at the top of a module
