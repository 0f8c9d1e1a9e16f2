import { isTimeout, timeout } from "./errors";
import type { S3 } from "./s3";

const smallestPart = 16 * 2 ** 20;
const mostParts = 8_000;
const maxPartMs = 15 * 60_000;
const slowestBytesPerMs = 20;
const attempts = 4;

type Target = {
  key: string;
  type: string;
  /** What the object's metadata name as its reservation. */
  reservation: string;
  /** The URL that the service calls, if others use another one. */
  origin?: string;
  /** If it is known: there are only so many parts. */
  size?: number;
};

/** Uploads a stream in parts, one of which is in memory. Nothing is left of one that fails. Returns its size and SHA-256. */
export async function putStream(s3: S3, target: Target, bytes: AsyncIterable<Uint8Array>) {
  const { key, type, reservation, origin } = target;
  const partBytes = Math.max(smallestPart, Math.ceil((target.size ?? 0) / mostParts));
  const upload = await s3.initiate(key, type, reservation);
  const hash = new Bun.CryptoHasher("sha256");
  const parts: { part: number; size: number; etag: string }[] = [];
  let size = 0;
  try {
    for await (const body of inParts(bytes, partBytes)) {
      hash.update(body);
      size += body.length;
      const part = parts.length + 1;
      const url = s3.partUrl(key, upload, { part, size: body.length }, origin);
      parts.push({ part, size: body.length, etag: await putPart(url, body, s3.deadline) });
    }
    await s3.complete(key, upload, parts);
  } catch (error) {
    await s3.abort(key, upload).catch(() => undefined);
    throw error;
  }
  if ((await s3.stat(key))?.size !== size) throw new Error("The server did not store what was sent.");
  return { bytes: size, sha256: hash.digest("hex") };
}

/**
 * Sends one part, again after one, four and nine seconds if that fails, but only once if the server does not answer in
 * time. Returns its ETag.
 */
async function putPart(url: string, body: Uint8Array<ArrayBuffer>, answerMs: number): Promise<string> {
  const maxMs = Math.min(maxPartMs, answerMs + body.length / slowestBytesPerMs);
  for (let attempt = 1; ; attempt++)
    try {
      const signal = AbortSignal.timeout(maxMs);
      const response = await fetch(url, { method: "PUT", body, signal, redirect: "error" });
      const etag = response.headers.get("etag");
      if (response.ok && etag) return etag.replaceAll('"', "");
      throw new Error(`The server answered ${response.status} to a part.`);
    } catch (error) {
      const isSilent = isTimeout(error);
      if (attempt === attempts || (isSilent && attempt > 1)) throw isSilent ? timeout() : error;
      await Bun.sleep(1_000 * attempt ** 2);
    }
}

/**
 * Collects pieces into parts of equal size; the last one is what is left. All are in the same memory: each is valid until
 * the next one is asked for. Of nothing, there is one empty part: no upload is without any.
 */
async function* inParts(bytes: AsyncIterable<Uint8Array>, partBytes: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const part = new Uint8Array(partBytes);
  let [length, isEmpty] = [0, true];
  for await (const piece of bytes)
    for (let at = 0; at < piece.length;) {
      const fits = Math.min(piece.length - at, partBytes - length);
      part.set(piece.subarray(at, at + fits), length);
      [at, length] = [at + fits, length + fits];
      if (length < partBytes) continue;
      yield part;
      [length, isEmpty] = [0, false];
    }
  if (length || isEmpty) yield part.subarray(0, length);
}
