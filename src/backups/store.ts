import type { BackupPlace } from "../platform/config-fields";
import { putStream } from "../storage/s3/put-stream";
import { openS3 } from "../storage/s3/s3";
import { type Copy, copyEnding, foldersOf } from "./copies";

const callMs = 120_000;

export type Store = ReturnType<typeof openStore>;

/** The copies at BACKUP_URL. Every object is uploaded in parts, one of which is in memory. */
export function openStore({ prefix, ...bucket }: BackupPlace) {
  const s3 = openS3({ ...bucket, publicEndpoint: bucket.endpoint }, callMs);
  const list = (folder: string) => Array.fromAsync(s3.objects(folder));

  async function text(key: string, size: number): Promise<string> {
    return Buffer.concat(await Array.fromAsync(s3.read(key, 0, size))).toString();
  }

  return {
    list,
    /** Uploads a stream of unknown length. Nothing is left of one that fails. Returns its size and SHA-256. */
    put: (key: string, bytes: AsyncIterable<Uint8Array>, type: string) =>
      putStream(s3, { key, type, reservation: "backup" }, bytes),
    read: (key: string, size: number): AsyncGenerator<Uint8Array> => s3.read(key, 0, size),
    remove: (key: string): Promise<void> => s3.remove(key),
    /** Aborts what was begun under this name and not finished, before that time. */
    async abortUploads(folder: string, before: Date): Promise<void> {
      for await (const { key, uploadId, at } of s3.openUploads(folder)) if (at < before) await s3.abort(key, uploadId);
    },
    /** Returns the copies of an installation that were proved, the oldest first. */
    async copies(installation: string): Promise<Copy[]> {
      const records = (await list(foldersOf(prefix, installation).copies)).filter(({ key }) => key.endsWith(".json"));
      const copies: Copy[] = [];
      for (const { key, size } of records) copies.push(JSON.parse(await text(key, size)));
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
