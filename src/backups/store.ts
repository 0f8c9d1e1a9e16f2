import type { BackupPlace } from "../platform/config-fields";
import { openS3, type S3 } from "../storage/s3/s3";
import { type Copy, copyEnding, foldersOf } from "./copies";

const partBytes = 16 * 2 ** 20;
const callMs = 120_000;
const partMs = 15 * 60_000;
const attempts = 4;

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
    put: (key: string, bytes: AsyncIterable<Uint8Array>, type: string) => put(s3, { key, type }, bytes),
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

async function put(s3: S3, { key, type }: { key: string; type: string }, bytes: AsyncIterable<Uint8Array>) {
  const upload = await s3.initiate(key, type, "backup");
  const hash = new Bun.CryptoHasher("sha256");
  const parts: { part: number; size: number; etag: string }[] = [];
  let size = 0;
  try {
    for await (const body of inParts(bytes)) {
      hash.update(body);
      size += body.length;
      const part = parts.length + 1;
      const url = s3.partUrl(key, upload, { part, size: body.length });
      parts.push({ part, size: body.length, etag: await putPart(url, body) });
    }
    await s3.complete(key, upload, parts);
  } catch (error) {
    await s3.abort(key, upload).catch(() => undefined);
    throw error;
  }
  if ((await s3.stat(key))?.size !== size) throw new Error("The server did not store what was sent.");
  return { bytes: size, sha256: hash.digest("hex") };
}

/** Sends one part, again after one, four and nine seconds if that fails. Returns its ETag. */
async function putPart(url: string, body: Uint8Array<ArrayBuffer>): Promise<string> {
  for (let attempt = 1; ; attempt++)
    try {
      const signal = AbortSignal.timeout(partMs);
      const response = await fetch(url, { method: "PUT", body, signal, redirect: "error" });
      const etag = response.headers.get("etag");
      if (response.ok && etag) return etag.replaceAll('"', "");
      throw new Error(`The server answered ${response.status} to a part of the copy.`);
    } catch (error) {
      if (attempt === attempts) throw error;
      await Bun.sleep(1_000 * attempt ** 2);
    }
}

/**
 * Collects pieces into parts of equal size; the last one is what is left. All are in the same memory: each is valid until
 * the next one is asked for.
 */
async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const part = new Uint8Array(partBytes);
  let length = 0;
  for await (const piece of bytes)
    for (let at = 0; at < piece.length;) {
      const fits = Math.min(piece.length - at, partBytes - length);
      part.set(piece.subarray(at, at + fits), length);
      [at, length] = [at + fits, length + fits];
      if (length < partBytes) continue;
      yield part;
      length = 0;
    }
  if (length) yield part.subarray(0, length);
}
