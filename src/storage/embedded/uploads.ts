import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Refused } from "./responses";
import { inTurn } from "../../../db/async/turns";
import * as objects from "./objects";
import { type Received, receive, type Waits } from "./receive";

type Started = { key: string; type: string; at: string };
export type Upload = Started & { id: string; folder: string };
type Part = {
  number: number;
  size: number;
  etag: string;
  /** The checksums that the client sent and that matched. */
  checksums?: Record<string, string>;
  at: string;
  file: string;
};
export type Asked = { number: number; etag: string };

const pieceSize = 4 * 2 ** 20; // bytes
const alone = inTurn(); // one change to an upload at a time

/**
 * Opens a multipart upload and returns its ID. The ID begins with a letter, because some clients parse what looks like
 * a number.
 */
export async function start(bucket: string, key: string, type: string): Promise<string> {
  const id = `u${randomBytes(16).toString("hex")}`;
  const folder = join(bucket, "uploads", id);
  await mkdir(folder);
  await objects.writeJson(join(folder, "upload.json"), { key, type, at: new Date().toISOString() } satisfies Started);
  return id;
}

/** @throws Refused if this key has no such upload */
export async function find(bucket: string, key: string, id: string): Promise<Upload> {
  const upload = /^u?[0-9a-f]{32}$/.test(id) ? await read(bucket, id) : undefined;
  if (upload?.key !== key) throw new Refused(404, "NoSuchUpload");
  return upload;
}

async function read(bucket: string, id: string): Promise<Upload | undefined> {
  const folder = join(bucket, "uploads", id);
  const started = await objects.readJson<Started>(join(folder, "upload.json"));
  return started && { ...started, id, folder };
}

/** Returns the open uploads whose key begins with `prefix`, by key. */
export async function list(bucket: string, prefix: string): Promise<Upload[]> {
  const ids = await readdir(join(bucket, "uploads"));
  const uploads = await Promise.all(ids.map((id) => read(bucket, id)));
  return uploads
    .filter((upload) => upload !== undefined)
    .filter(({ key }) => key.startsWith(prefix))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** Stores the bytes of one part; the last PUT of a part counts. */
export async function putPart(upload: Upload, number: number, request: Request, waits: Waits): Promise<Received> {
  if (!(Number.isInteger(number) && number >= 1 && number <= 10_000)) throw new Refused(400, "InvalidArgument");
  const file = `${number}.${randomBytes(8).toString("hex")}.bytes`;
  try {
    const received = await receive(request, join(upload.folder, file), waits);
    await alone(upload.id, async () => {
      const description = join(upload.folder, `${number}.json`);
      const before = await objects.readJson<Part>(description);
      await objects.writeJson(description, { number, ...received, file, at: new Date().toISOString() } satisfies Part);
      if (before) await rm(join(upload.folder, before.file), { force: true });
    });
    return received;
  } catch (error) {
    if (objects.isAbsent(error)) throw new Refused(404, "NoSuchUpload"); // completed or aborted in the meantime
    throw error;
  }
}

/** Returns the complete parts by number. */
export async function parts({ folder }: Upload): Promise<Part[]> {
  const files = (await readdir(folder)).filter((file) => /^\d+\.json$/.test(file));
  const parts = await Promise.all(files.map((file) => objects.readJson<Part>(join(folder, file))));
  return parts.filter((part) => part !== undefined).sort((a, b) => a.number - b.number);
}

/** Makes the object from the named parts and closes the upload. Returns the object's ETag. */
export const complete = (bucket: string, upload: Upload, asked: Asked[], minPartBytes: number): Promise<string> =>
  alone(upload.id, async () => {
    const { key, type } = await find(bucket, upload.key, upload.id); // another request may have been faster
    const chosen = choose(await parts(upload), asked, minPartBytes);
    const etag = `${md5(Buffer.concat(chosen.map((part) => Buffer.from(part.etag, "hex"))))}-${chosen.length}`;
    const size = chosen.reduce((sum, part) => sum + part.size, 0);
    const whole = await assemble(upload.folder, chosen);
    await objects.put(bucket, whole, { key, type, size, etag, at: new Date().toISOString() });
    await discard(bucket, upload);
    return etag;
  });

function choose(parts: Part[], asked: Asked[], minPartBytes: number): Part[] {
  if (!asked.length) throw new Refused(400, "MalformedXML");
  const isInOrder = asked.every(({ number }, index) => number > (asked[index - 1]?.number ?? 0));
  if (!isInOrder) throw new Refused(400, "InvalidPartOrder");
  return asked.map(({ number, etag }, index) => {
    const part = parts.find((candidate) => candidate.number === number);
    if (part?.etag !== etag) throw new Refused(400, "InvalidPart");
    if (index < asked.length - 1 && part.size < minPartBytes) throw new Refused(400, "EntityTooSmall");
    return part;
  });
}

/** A single part becomes the object as it is; several are concatenated. */
async function assemble(folder: string, [first, ...more]: Part[]): Promise<string> {
  if (first && !more.length) return join(folder, first.file);
  const whole = join(folder, "whole");
  const handle = await open(whole, "w", 0o600);
  try {
    for (const part of [first, ...more]) if (part) await append(handle, join(folder, part.file));
    await handle.sync();
  } finally {
    await handle.close();
  }
  return whole;
}

/** In large pieces: with the usual 64 KiB, a file of gigabytes takes several times as long. */
async function append(handle: FileHandle, file: string): Promise<void> {
  for await (const piece of createReadStream(file, { highWaterMark: pieceSize })) await handle.writeFile(piece);
}

export const abort = (bucket: string, upload: Upload): Promise<void> =>
  alone(upload.id, async () => {
    await find(bucket, upload.key, upload.id);
    await discard(bucket, upload);
  });

/** Moves the folder to the trash first, so that a PUT in progress no longer finds it. Every start empties the trash. */
async function discard(bucket: string, { id, folder }: Upload): Promise<void> {
  const gone = join(bucket, "trash", id);
  await rename(folder, gone);
  await rm(gone, { recursive: true, force: true });
}

const md5 = (bytes: Buffer) => createHash("md5").update(bytes).digest("hex");
