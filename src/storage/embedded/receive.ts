import { type FileHandle, open, rm, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { announcedIn } from "./checksums";
import { Refused } from "./responses";

export const maxPutBytes = 5 * 2 ** 40; // in one PUT, as MinIO

export type Received = { size: number; etag: string; checksums: Record<string, string> };

/**
 * Streams a body into a new file and syncs it to disk. Memory use does not depend on the size. Nothing is left of an
 * interrupted body.
 *
 * @throws Refused if the length is missing, too large for the disk or wrong, or if a checksum does not match
 */
export async function receive(request: Request, file: string): Promise<Received> {
  const length = await announced(request, dirname(file));
  const md5 = new Bun.CryptoHasher("md5");
  const client = announcedIn(request.headers);
  const handle = await open(file, "wx", 0o600);
  try {
    const size = await pour(request, handle, [md5, client]);
    if (size !== length) throw new Refused(400, "IncompleteBody");
    client.verify();
    await handle.sync();
    return { size, etag: md5.digest("hex"), checksums: client.checksums };
  } catch (error) {
    await rm(file, { force: true });
    throw isFull(error) ? new Refused(507, "XMinioStorageFull") : error;
  } finally {
    await handle.close();
  }
}

async function announced({ headers }: Request, folder: string): Promise<number> {
  const length = headers.get("content-length");
  if (length === null) throw new Refused(411, "MissingContentLength");
  if (Number(length) > maxPutBytes) throw new Refused(400, "EntityTooLarge");
  const { bavail, bsize } = await statfs(folder);
  if (Number(length) > bavail * bsize) throw new Refused(507, "XMinioStorageFull");
  return Number(length);
}

/** Sees every byte. */
type Reader = { update(bytes: Uint8Array): unknown };

async function pour({ body }: Request, handle: FileHandle, readers: Reader[]): Promise<number> {
  let size = 0;
  for await (const chunk of chunks(body)) {
    for (const reader of readers) reader.update(chunk);
    const { bytesWritten } = await handle.write(chunk);
    size += bytesWritten;
  }
  return size;
}

/** If the client disconnects, the body ends with an error, which is no failure of ours. */
async function* chunks(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  if (!body) return;
  try {
    yield* body;
  } catch {
    throw new Refused(400, "IncompleteBody");
  }
}

const isFull = (error: unknown) => (error as NodeJS.ErrnoException).code === "ENOSPC";
