import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import { contentsOf, inspect } from "../../db/ops/backup-file";
import { atOnce } from "../platform/tar";
import { unpack } from "./archive";
import { type Copy, databaseName, erasuresName, type Manifest, manifestName, secretName, type Store } from "./copies";
import { abandoned, temporary } from "./job";

const names = [manifestName, databaseName, erasuresName, secretName];

type Opening = {
  /** Keys, one of which it was encrypted for. */
  identities: string[];
  /** An empty folder, into which its files are written. */
  folder: string;
};

/**
 * Decrypts a copy into a folder, opens the database and compares it with what the copy says.
 *
 * @throws if anything differs
 */
export async function openArchive(
  bytes: AsyncIterable<Uint8Array>,
  { identities, folder }: Opening,
  pause = atOnce,
): Promise<Manifest> {
  const hashes = await unpack(bytes, { identities, folder, names }, pause);
  if (!hashes.has(manifestName)) throw new Error("It is not a copy of a Postroom database.");
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, manifestName), "utf8"));
  if (hashes.get(databaseName) !== manifest.databaseSha256) throw new Error("The database in the copy is another one.");
  const problem = inspect(join(folder, databaseName));
  if (problem) throw new Error(`The database in the copy cannot be used: ${problem}.`);
  await pause();
  const { rows, lastEntry } = contentsOf(join(folder, databaseName));
  if (!Bun.deepEquals({ rows, lastEntry }, { rows: manifest.rows, lastEntry: manifest.lastEntry }))
    throw new Error("The database in the copy does not have the same rows.");
  return manifest;
}

/** The same with a copy at BACKUP_URL, whose bytes must be those that were sent. @throws if anything differs */
export async function openCopy(
  store: Store,
  { key, copy, ...opening }: Opening & { key: string; copy: Pick<Copy, "bytes" | "sha256"> },
  pause = atOnce,
): Promise<Manifest> {
  const hash = new Bun.CryptoHasher("sha256");
  async function* hashed() {
    for await (const bytes of store.read(key, copy.bytes)) {
      hash.update(bytes);
      yield bytes;
    }
  }
  const manifest = await openArchive(hashed(), opening, pause);
  if (hash.digest("hex") !== copy.sha256) throw new Error("The copy is not what was sent.");
  return manifest;
}

/** Makes a folder in DATA_DIR for this process alone, and removes those of processes that were killed. */
export function temporaryFolder(dataDir: string) {
  for (const path of abandoned(dataDir)) rmSync(path, { recursive: true, force: true });
  const path = join(dataDir, `${temporary}${process.pid}`);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { mode: 0o700 });
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** @throws a message for the operator if the disk of this folder has fewer bytes free */
export async function needsSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const [free, needed] = [bavail * bsize, bytes].map((size) => Math.ceil(size / 1e6));
  if (bavail * bsize < bytes) throw new Error(`The disk of DATA_DIR has ${free} MB free, and ${needed} MB are needed.`);
}
