import { dayMs } from "../../db/lib/time";
import type { Contents } from "../../db/ops/backup-file";
import type { BackupPlace } from "../platform/config-fields";
import { putStream } from "../storage/s3/put-stream";
import { openS3 } from "../storage/s3/s3";

/** What a copy contains, as it says itself. */
export type Manifest = Contents & {
  /** Its name without ending, which begins with its time. */
  name: string;
  /** When the database was as in the copy. ISO 8601. */
  at: string;
  /** Bytes of the database, and their SHA-256. */
  databaseBytes: number;
  databaseSha256: string;
};

/** The record of a copy, written after it was proved: a copy without one does not exist. */
export type Copy = Manifest & {
  /** Bytes of the encrypted copy, and their SHA-256. */
  bytes: number;
  sha256: string;
  /** When it was read back and compared. ISO 8601. */
  provedAt: string;
};

/** The names of files in a copy. */
export const databaseName = "postroom.sqlite";
export const erasuresName = "erasures.log";
export const secretName = "secret";
export const manifestName = "manifest.json";

/** "2026-11-23T040000Z-6f1c2b9a": names in the order of time, and two at the same time differ. */
export const nameOf = (at: Date): string =>
  `${at.toISOString().replaceAll(":", "").replace(/\.\d+/, "")}-${crypto.randomUUID().slice(0, 8)}`;

export const copyEnding = ".tar.zst.age";

/** Where the copies of an installation are, and the logs of its erasures. */
const foldersOf = (prefix: string, installation: string) => ({
  copies: `${prefix}${installation}/copies/`,
  erasures: `${prefix}${installation}/erasures/`,
});

const monday = (at: Date) => new Date(at.getTime() - ((at.getUTCDay() + 6) % 7) * dayMs).toISOString().slice(0, 10);

/** How many are kept, and what they are the newest of, in UTC. */
const kept: [count: number, of: (at: Date) => string][] = [
  [7, (at) => at.toISOString().slice(0, 10)],
  [4, monday],
  [12, (at) => at.toISOString().slice(0, 7)],
];
const fewest = 3;

/**
 * Returns the copies that are no longer needed. Kept are those of the last 24 hours, and the newest of each of the last
 * seven days, four weeks and twelve months that have one; at least three. If the newest is from the future, a clock was
 * wrong, and nothing is deleted.
 */
export function expired<T extends { at: Date }>(copies: T[], now: Date): T[] {
  const newestFirst = copies.toSorted((a, b) => b.at.getTime() - a.at.getTime());
  const [newest] = newestFirst;
  if (!newest || newest.at > now) return [];
  const keep = new Set(newestFirst.slice(0, fewest));
  for (const copy of copies) if (now.getTime() - copy.at.getTime() <= dayMs) keep.add(copy);
  for (const [count, of] of kept) {
    const newestOf = new Map<string, T>();
    for (const copy of newestFirst) if (!newestOf.has(of(copy.at))) newestOf.set(of(copy.at), copy);
    for (const copy of [...newestOf.values()].slice(0, count)) keep.add(copy);
  }
  return copies.filter((copy) => !keep.has(copy));
}

/** Returns the newest copy that is not after that time; undefined if there is none. */
export const newestUntil = <T extends { at: string }>(copies: T[], until: Date): T | undefined =>
  copies.filter(({ at }) => new Date(at) <= until).toSorted((a, b) => b.at.localeCompare(a.at))[0];

const callMs = 120_000;
const recordsAtOnce = 8;

export type Store = ReturnType<typeof openStore>;

/**
 * The copies at BACKUP_URL. Every object is uploaded in parts, one of which is in memory.
 *
 * @param deadline milliseconds that one call may take
 */
export function openStore({ prefix, ...bucket }: BackupPlace, deadline = callMs) {
  const s3 = openS3({ ...bucket, publicEndpoint: bucket.endpoint }, deadline);
  const list = (folder: string) => Array.fromAsync(s3.objects(folder));

  async function text(key: string, size: number): Promise<string> {
    return Buffer.concat(await Array.fromAsync(s3.read(key, 0, size))).toString();
  }

  return {
    list,
    /** Uploads a stream of unknown length. Nothing is left of one that fails. Returns its size and SHA-256. */
    put: (key: string, bytes: AsyncIterable<Uint8Array>, type: string) =>
      putStream(s3, { key, type, reservation: "backup" }, bytes),
    read: (key: string, size: number, piece?: number): AsyncGenerator<Uint8Array> => s3.read(key, 0, size, piece),
    remove: (key: string): Promise<void> => s3.remove(key),
    /** Aborts what was begun under this name and not finished, before that time. */
    async abortUploads(folder: string, before: Date): Promise<void> {
      for await (const { key, uploadId, at } of s3.openUploads(folder)) if (at < before) await s3.abort(key, uploadId);
    },
    /** Returns the copies of an installation that were proved, the oldest first. */
    async copies(installation: string): Promise<Copy[]> {
      const records = (await list(foldersOf(prefix, installation).copies)).filter(({ key }) => key.endsWith(".json"));
      const copies: Copy[] = [];
      for (let at = 0; at < records.length; at += recordsAtOnce) {
        const some = records.slice(at, at + recordsAtOnce).map(({ key, size }) => text(key, size));
        for (const record of await Promise.all(some)) copies.push(JSON.parse(record));
      }
      return copies.sort((a, b) => a.at.localeCompare(b.at));
    },
    /** Returns the names of the installations that have copies here. */
    async installations(): Promise<string[]> {
      const keys = (await list(prefix)).map(({ key }) => key.slice(prefix.length));
      return [...new Set(keys.flatMap((key) => /^([\da-z]{12})\/copies\/[^/]+\.json$/.exec(key)?.[1] ?? []))];
    },
    keyOf: (installation: string, name: string) => `${foldersOf(prefix, installation).copies}${name}${copyEnding}`,
    recordKeyOf: (installation: string, name: string) => `${foldersOf(prefix, installation).copies}${name}.json`,
    foldersOf: (installation: string) => foldersOf(prefix, installation),
  };
}
